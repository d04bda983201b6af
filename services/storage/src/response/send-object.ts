import type { FastifyReply, FastifyRequest } from 'fastify'
import { finished, type Readable } from 'node:stream'
import type { Backend, ByteRange } from '../backend/backend.ts'
import type { StorageContext } from '../context.ts'
import { sizeOf, type ObjectRow } from '../database/objects.ts'
import { invalidRange } from '../errors.ts'
import { READ_AT_ONCE_BYTES_MAX } from '../limits.ts'
import { openObject } from '../objects/read-object.ts'
import { matchesIfRange, isUnchanged, objectHeaders, rangeHeaders, type HeaderFacts } from './object-headers.ts'

/** Sends an object, the requested range, or 304, no faster than the client reads. */
export async function sendObject(
  context: Pick<StorageContext, 'backend' | 'logger' | 'downloads' | 'stalledMs'>,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: {
    readonly userKey: string | undefined
    readonly find: () => Promise<ObjectRow>
  } & Omit<HeaderFacts, 'row'>,
): Promise<FastifyReply> {
  const first = await answer.find()
  if (isUnchanged(first, request.headers))
    return reply
      .code(304)
      .headers(objectHeaders({ ...answer, row: first }))
      .send()
  const leave = context.downloads.acquireNow({ key: answer.userKey })
  reply.raw.once('close', leave)
  let found: ObjectRow | undefined = first
  const find = async (): Promise<ObjectRow> => {
    const row = found ?? (await answer.find())
    found = undefined
    return row
  }
  const { row, opened } = await openObject(context, find, async (version, of) => {
    const range = wantedRange(request, of)
    const bytes = await readBytes(context.backend, version, range, sizeOf(of))
    return bytes && { bytes, range }
  })
  const { bytes, range } = opened
  // Stop reading if the client disconnects; Fastify does so only after the first byte.
  if (!Buffer.isBuffer(bytes)) finished(reply.raw, () => bytes.destroy())
  reply.raw.setTimeout(context.stalledMs, () => request.raw.socket.destroy())
  return reply
    .code(range ? 206 : 200)
    .headers({ ...objectHeaders({ ...answer, row }), ...rangeHeaders(range, sizeOf(row)) })
    .send(bytes)
}

/** Reads a short object at once, which is far cheaper than a stream. */
async function readBytes(
  backend: Backend,
  version: string,
  range: ByteRange | undefined,
  size: number,
): Promise<Readable | Buffer | undefined> {
  const { from, to } = range ?? { from: 0, to: size - 1 }
  if (to >= from && to - from < READ_AT_ONCE_BYTES_MAX) {
    const part = await backend.readPart(version, { from, to })
    // The row's size differs from the stored bytes: the client must see a truncated body.
    if (part === undefined || part.length === to - from + 1) return part
  }
  return backend.read(version, range)
}

function wantedRange(request: FastifyRequest, row: ObjectRow): ReturnType<typeof parseRange> | undefined {
  const { range, 'if-range': ifRange } = request.headers
  if (range === undefined || !matchesIfRange(row, ifRange as string | undefined)) return undefined
  return parseRange(range, sizeOf(row))
}

/**
 * Parses a single range: `bytes=a-b`, `bytes=a-` or `bytes=-n`. Clamps the end to the last byte.
 *
 * @throws {HoldfastError} `InvalidRange`
 */
function parseRange(header: string, size: number): ByteRange {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim())
  const [, first = '', last = ''] = match ?? []
  if (!match || size === 0 || (first === '' && last === '')) throw invalidRange(size)
  if (first === '') {
    const length = Number(last)
    if (!Number.isSafeInteger(length) || length === 0) throw invalidRange(size)
    return { from: Math.max(size - length, 0), to: size - 1 }
  }
  const from = Number(first)
  const to = last === '' ? size - 1 : Number(last)
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || to < from || from >= size) throw invalidRange(size)
  return { from, to: Math.min(to, size - 1) }
}
