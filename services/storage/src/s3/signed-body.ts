import type { IncomingHttpHeaders } from 'node:http'
import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream'
import { callbackify } from 'node:util'
import { S3_XML_BYTES_MAX } from '../limits.ts'
import { checksumOf, createDigest, type Checksum } from './checksums.ts'
import { ChunkedBody } from './chunked-body.ts'
import {
  badDigest,
  contentHashMismatch,
  invalidArgument,
  invalidDigest,
  malformedXml,
  missingLength,
} from './s3-errors.ts'
import { UNSIGNED_PAYLOAD, type ClaimedSignature } from './signature.ts'

export interface SignedBody {
  /** Errors at the end if signature or checksum do not match. Must be consumed or destroyed. */
  readonly bytes: Readable
  /** Decoded length; `undefined` if not declared. */
  readonly length: number | undefined
}

/** A checksum declared by the client, verified after the last byte. */
interface Expected {
  readonly sum: Checksum
  /** Called at the end, because trailers come last. */
  readonly isMet: (digest: Buffer) => boolean
  readonly refuse: () => Error
}

const STREAMING_SIGNED = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
const TRAILER = '-TRAILER'
const STREAMING_UNSIGNED = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'

/**
 * Decodes a request body and verifies its signature and checksums while streaming.
 *
 * @param body - the request stream, if any
 * @param signing - how the request was signed, and the key
 * @throws {HoldfastError} `InvalidDigest`, `InvalidArgument`, `MissingContentLength`
 */
export function openSignedBody(
  headers: IncomingHttpHeaders,
  body: unknown,
  signing: { readonly key: Buffer; readonly claimed: ClaimedSignature },
): SignedBody {
  const { payloadHash } = signing.claimed
  const raw = body instanceof Readable ? body : Readable.from([])
  const expected = [...readChecksums(headers), ...readContentHash(payloadHash)]
  if (!payloadHash.startsWith('STREAMING-')) {
    return { bytes: join([raw, new SummedBody(expected)]), length: lengthOf(headers['content-length']) }
  }
  const isSigned = payloadHash === STREAMING_SIGNED || payloadHash === STREAMING_SIGNED + TRAILER
  if (!isSigned && payloadHash !== STREAMING_UNSIGNED)
    throw invalidArgument(`x-amz-content-sha256 ${payloadHash.slice(0, 100)} is not supported`)
  const length = lengthOf(headers['x-amz-decoded-content-length'])
  if (length === undefined) throw missingLength()
  const names = payloadHash.endsWith(TRAILER) ? readTrailerNames(headers['x-amz-trailer']) : []
  const chunks = new ChunkedBody(isSigned ? signing : undefined, length, names)
  const inTrailers = names.map((name) => expectSum(name, () => chunks.trailers.get(name)))
  return { bytes: join([raw, chunks, new SummedBody([...expected, ...inTrailers])]), length }
}

/** Reads a small XML body. @throws {HoldfastError} `MalformedXML` if it is too large */
export async function readText({ bytes }: SignedBody): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > S3_XML_BYTES_MAX) throw malformedXml()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

class SummedBody extends Transform {
  readonly #expected: readonly Expected[]

  constructor(expected: readonly Expected[]) {
    super()
    this.#expected = expected
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    for (const { sum } of this.#expected) sum.update(chunk)
    done(null, chunk)
  }

  override _flush(done: TransformCallback): void {
    callbackify(() => this.#compare())((error) => done(error))
  }

  async #compare(): Promise<void> {
    for (const { sum, isMet, refuse } of this.#expected) if (!isMet(await sum.digest())) throw refuse()
  }
}

/** Pipes the streams: an error in any ends the others and reaches the reader of the last. */
function join(streams: readonly [Readable, ...Transform[]]): Readable {
  const last = streams.at(-1)
  pipeline([...streams] as never, () => undefined)
  return last as Readable
}

function readContentHash(payloadHash: string): readonly Expected[] {
  if (payloadHash === UNSIGNED_PAYLOAD || payloadHash.startsWith('STREAMING-')) return []
  if (!/^[0-9a-f]{64}$/.test(payloadHash)) throw invalidDigest('x-amz-content-sha256')
  return [
    {
      sum: createDigest('sha256'),
      isMet: (digest) => digest.toString('hex') === payloadHash,
      refuse: () => contentHashMismatch(),
    },
  ]
}

function readChecksums(headers: IncomingHttpHeaders): readonly Expected[] {
  const expected: Expected[] = []
  const md5 = headers['content-md5']
  if (typeof md5 === 'string') {
    if (Buffer.from(md5, 'base64').length !== 16) throw invalidDigest('Content-MD5')
    const isMet = (digest: Buffer): boolean => digest.equals(Buffer.from(md5, 'base64'))
    expected.push({ sum: createDigest('md5'), isMet, refuse: () => badDigest('Content-MD5') })
  }
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith('x-amz-checksum-') && checksumOf(name) && typeof value === 'string')
      expected.push(expectSum(name, () => value))
  }
  return expected
}

/** @throws {HoldfastError} `InvalidArgument` for an unknown algorithm */
function expectSum(name: string, read: () => string | undefined): Expected {
  const checksum = checksumOf(name)
  if (!checksum) throw invalidArgument(`${name.slice(0, 100)} is not a supported checksum`)
  return {
    sum: checksum.create(),
    isMet: (digest) => digest.equals(Buffer.from(read() ?? '', 'base64')),
    refuse: () => badDigest(name),
  }
}

function readTrailerNames(header: string | readonly string[] | undefined): readonly string[] {
  return [header ?? []]
    .flat()
    .flatMap((text) => text.split(','))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
}

function lengthOf(header: string | readonly string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}
