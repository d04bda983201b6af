import { createReadStream } from 'node:fs'
import { Transform, type Readable, type TransformCallback } from 'node:stream'
import { S3Client } from '@aws-sdk/client-s3'
import { errorMessage, HoldfastError } from '@holdfast/foundation'
import { storeFull, storeUnavailable } from '../errors.ts'
import { READ_WINDOW_BYTES, S3_ATTEMPTS_MAX, S3_CONNECT_MS, S3_SOCKETS_MAX } from '../limits.ts'
import type { ByteRange } from './backend.ts'

/** Location of an S3-compatible store and its credentials. */
export interface S3Settings {
  /** Default: Amazon's endpoint for the region. */
  readonly endpoint: string | undefined
  readonly region: string
  readonly bucket: string
  /** Prefix of all object names: empty, or ends in `/`. */
  readonly prefix: string
  /** `undefined`: the SDK's default credentials, such as the machine's role. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
  /** Whether the bucket is part of the path rather than the host. */
  readonly forcePathStyle: boolean
  /** Timeout in ms for a request without progress or without a response. */
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
    // The default logger writes to the console.
    logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
    // Not every store supports newer checksums; all support `Content-MD5`.
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
 * Whether the store itself reported an absent object, as opposed to a proxy's 404.
 *
 * @param name - error name of the SDK: `NotFound` for HEAD, whose responses have no body with a more specific name
 */
export function isAbsent(error: unknown, name: 'NoSuchKey' | 'NotFound' = 'NoSuchKey'): boolean {
  return statusOf(error) === 404 && (error as ServiceError).name === name
}

/**
 * Error for a response without the headers that every S3 store sends, from a captive portal or proxy. The bytes may not be stored, so the request has failed.
 */
export function notFromStore(method: string, key: string): HoldfastError {
  return storeUnavailable(new Error(`the response to ${method} ${key} did not come from an S3 store`))
}

/** Converts an SDK error to the error that callers report. */
export function toStoreError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error
  return statusOf(error) === 507 ? storeFull(error) : storeUnavailable(error)
}

/** Whether retrying may succeed. */
function isTransient(error: unknown): boolean {
  const status = statusOf(error)
  return status === undefined || status === 408 || status === 429 || (status >= 500 && status !== 507)
}

/** Sends a request with a response timeout. @throws the store's error */
export async function withSilenceTimeout<T>(silenceMs: number, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), silenceMs)
  try {
    return await send(silence.signal)
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Sends a part of a file as a request body, with retries. An attempt fails when the store accepts no byte for `silenceMs`, or does not respond for that long
 * after the last byte.
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

/** Passes bytes through; fails after `silenceMs` without input while the reader is waiting. */
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
    // Buffered bytes wait for the reader, not for the store.
    if (!this.#hasMoved && this.readableLength === 0)
      this.destroy(storeUnavailable(new Error('the object store stopped responding')))
    this.#hasMoved = false
  }
}

/** Startup error for a store that refuses access. */
export function storeRefused(settings: S3Settings, error: unknown): HoldfastError {
  const status = statusOf(error)
  const reason =
    status === 403
      ? 'the credentials are invalid, or do not allow listing the bucket'
      : status === 404
        ? 'the bucket does not exist'
        : status === 301 || status === 400
          ? 'the region or endpoint is wrong'
          : errorMessage(error)
  return new HoldfastError(
    'option_invalid',
    500,
    `storageS3Bucket: the bucket "${settings.bucket}" cannot be used: ${reason}.`,
    {
      cause: error,
      hint: 'Check storageS3Endpoint, storageS3Region, storageS3AccessKeyId and storageS3SecretAccessKey.',
    },
  )
}
