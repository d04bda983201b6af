import { createReadStream } from 'node:fs'
import { Transform, type Readable, type TransformCallback } from 'node:stream'
import { S3Client } from '@aws-sdk/client-s3'
import { errorMessage, HoldfastError } from '@holdfast/foundation'
import { storeFull, storeUnavailable } from '../errors.ts'
import { READ_WINDOW_BYTES, S3_ATTEMPTS_MAX, S3_CONNECT_MS, S3_SOCKETS_MAX } from '../limits.ts'
import type { ByteRange } from './backend.ts'

/** Which S3-compatible store keeps the bytes, and how to get in. */
export interface S3Settings {
  /** Default: Amazon's of the region. */
  readonly endpoint: string | undefined
  readonly region: string
  readonly bucket: string
  /** Before the name of every object of ours: empty, or ending in `/`. */
  readonly prefix: string
  /** `undefined`: what the SDK finds by itself, such as the role of the machine. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
  /** Whether the bucket is in the path of an address, and not in its host. */
  readonly forcePathStyle: boolean
  /** Milliseconds without a byte, or without an answer, after which a request has failed. */
  readonly silenceMs: number
}

export function createS3Client(settings: S3Settings): S3Client {
  const { endpoint, region, credentials, forcePathStyle } = settings
  const agent = { maxSockets: S3_SOCKETS_MAX, keepAlive: true }
  return new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials && { credentials }),
    maxAttempts: S3_ATTEMPTS_MAX,
    // It would write to the console.
    logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
    // Not every store knows them; bytes are held to `Content-MD5`, which all do.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { httpAgent: agent, httpsAgent: agent, connectionTimeout: S3_CONNECT_MS },
  })
}

interface ServiceError {
  readonly name?: unknown
  readonly code?: unknown
  readonly $metadata?: { readonly httpStatusCode?: number }
}

export function statusOf(error: unknown): number | undefined {
  return (error as ServiceError | undefined)?.$metadata?.httpStatusCode
}

/**
 * Whether the store said that an object does not exist. A 404 of a proxy does not say it.
 *
 * @param name - of the SDK's error: `NotFound` for HEAD, whose answers have no body that could name another
 */
export function isAbsent(error: unknown, name: 'NoSuchKey' | 'NotFound' = 'NoSuchKey'): boolean {
  return statusOf(error) === 404 && (error as ServiceError).name === name
}

/** An answer without what every S3 store sends: a captive portal or a proxy gave it. The bytes may not be in the store, so the request has failed. */
export function notFromStore(method: string, key: string): HoldfastError {
  return storeUnavailable(new Error(`the answer to ${method} ${key} is not that of an S3 store`))
}

/** Says what the store answered, or that it did not. */
export function toStoreError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error
  return statusOf(error) === 507 ? storeFull(error) : storeUnavailable(error)
}

/** Whether the same request may succeed a moment later. */
function isTransient(error: unknown): boolean {
  const status = statusOf(error)
  return status === undefined || status === 408 || status === 429 || (status >= 500 && status !== 507)
}

/** One request that has to be answered within the patience. @throws what the store answered with */
export async function withPatience<T>(silenceMs: number, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), silenceMs)
  try {
    return await send(silence.signal)
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Sends a part of a file as the body of a request, again when the store has failed. It has failed when it takes no byte for `silenceMs`, and when it has all and does
 * not answer for as long.
 */
export async function sendFile<T>(
  { path, range, silenceMs }: { readonly path: string; readonly range: ByteRange; readonly silenceMs: number },
  send: (body: Readable, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const body = createReadStream(path, { start: range.from, end: range.to, highWaterMark: READ_WINDOW_BYTES })
    const silence = new AbortController()
    let seen = 0
    const timer = setInterval(() => {
      if (body.bytesRead === seen) silence.abort()
      seen = body.bytesRead
    }, silenceMs)
    try {
      return await send(body, silence.signal)
    } catch (error) {
      if (attempt >= S3_ATTEMPTS_MAX || !isTransient(error)) throw error
    } finally {
      clearInterval(timer)
      body.destroy()
    }
  }
}

/** Passes bytes on until none come for `silenceMs` although a person waits for them. */
export class SilenceLimit extends Transform {
  readonly #timer: NodeJS.Timeout
  #hasMoved = true

  constructor(silenceMs: number) {
    super({ highWaterMark: READ_WINDOW_BYTES })
    this.#timer = setInterval(() => this.#look(), silenceMs)
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hasMoved = true
    done(null, chunk)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearInterval(this.#timer)
    done(error)
  }

  #look(): void {
    // Bytes that wait here wait for whoever reads, and not for the store.
    if (!this.#hasMoved && this.readableLength === 0) this.destroy(storeUnavailable(new Error('the store went silent')))
    this.#hasMoved = false
  }
}

/** What to say when the store refuses us from the first request on. */
export function storeRefused(settings: S3Settings, error: unknown): HoldfastError {
  const status = statusOf(error)
  const reason =
    status === 403
      ? 'the credentials are not accepted, or may not list the bucket'
      : status === 404
        ? 'there is no such bucket'
        : status === 301 || status === 400
          ? 'the region or the endpoint is another one'
          : errorMessage(error)
  return new HoldfastError(
    'option_invalid',
    500,
    `storageS3Bucket: the bucket "${settings.bucket}" cannot be used: ${reason}.`,
    {
      cause: error,
      hint: 'Look at storageS3Endpoint, storageS3Region, storageS3AccessKeyId and storageS3SecretAccessKey.',
    },
  )
}
