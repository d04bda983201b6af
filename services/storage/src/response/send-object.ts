import type { FastifyReply, FastifyRequest } from 'fastify'
import { finished } from 'node:stream'
import type { StorageContext } from '../context.ts'
import type { ObjectRow } from '../database/objects.ts'
import { STALLED_MS } from '../limits.ts'
import { openObject } from '../objects/read-object.ts'
import { parseRange } from '../request/range.ts'
import { isRangeOfThis, isUnchanged, objectHeaders, rangeHeaders, sizeOf, type HeaderFacts } from './object-headers.ts'

/** Answers with the bytes of an object, or with the part of them that was asked for, or with 304. No faster than the client takes them. */
export async function sendObject(
  context: Pick<StorageContext, 'backend' | 'logger' | 'downloads'>,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: {
    readonly person: string | undefined
    readonly find: () => Promise<ObjectRow>
  } & Omit<HeaderFacts, 'row'>,
): Promise<FastifyReply> {
  const first = await answer.find()
  if (isUnchanged(first, request.headers))
    return reply
      .code(304)
      .headers(objectHeaders({ ...answer, row: first }))
      .send()
  const leave = context.downloads.enter(answer.person)
  reply.raw.once('close', leave)
  let found: ObjectRow | undefined = first
  const find = async (): Promise<ObjectRow> => {
    const row = found ?? (await answer.find())
    found = undefined
    return row
  }
  const { row, bytes, range } = await openObject(context, find, (of) => wantedRange(request, of))
  // A client that goes away ends the reading; Fastify sees to that only from the first byte on.
  finished(reply.raw, () => bytes.destroy())
  reply.raw.setTimeout(STALLED_MS, () => request.raw.socket.destroy())
  return reply
    .code(range ? 206 : 200)
    .headers({ ...objectHeaders({ ...answer, row }), ...rangeHeaders(range, sizeOf(row)) })
    .send(bytes)
}

function wantedRange(request: FastifyRequest, row: ObjectRow): ReturnType<typeof parseRange> | undefined {
  const { range, 'if-range': ifRange } = request.headers
  if (range === undefined || !isRangeOfThis(row, ifRange as string | undefined)) return undefined
  return parseRange(range, sizeOf(row))
}
