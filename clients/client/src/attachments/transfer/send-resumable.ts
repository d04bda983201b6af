import { DetailedError, Upload, type HttpRequest, type HttpResponse, type UploadOptions } from 'tus-js-client'
import { PART_BYTES } from '../limits.ts'
import { UPLOAD_MARK, type SendOptions, type SentFile } from './sent-file.ts'
import { fetchAsUser, sendAsUser, SignInNeeded, type StorageEndpoint } from './storage-endpoint.ts'
import { noAnswer, readResumableFailure, TransferFailure } from './storage-failure.ts'
import { unseenBytes, watchSilence, type SilenceWatch } from './watch-silence.ts'

/** The server no longer knows the upload because it expired; a new one is created. */
const GONE: ReadonlySet<number> = new Set([404, 410])

/**
 * Uploads a file in parts (TUS), resuming an earlier attempt.
 *
 * tus-js-client creates a new upload whenever it cannot query the old one, even on a proxy's 502. Therefore it gets either the upload's URL or the endpoint,
 * never both.
 */
export async function sendResumable(
  endpoint: StorageEndpoint,
  file: SentFile,
  bytes: Blob,
  options: SendOptions,
): Promise<void> {
  if (file.uploadUrl !== undefined) {
    try {
      return await runUpload(endpoint, file, bytes, options)
    } catch (error) {
      if (!(error instanceof TransferFailure) || !GONE.has(error.problem.status ?? 0)) throw error
    }
  }
  return runUpload(endpoint, { ...file, uploadUrl: undefined }, bytes, options)
}

async function runUpload(endpoint: StorageEndpoint, file: SentFile, bytes: Blob, options: SendOptions): Promise<void> {
  using silence = watchSilence(options.signal)
  /** Pending writes of the upload's state, in order, which the next request awaits. */
  let recorded: Promise<void> = Promise.resolve()
  let stop = (): void => undefined
  try {
    await new Promise<void>((resolve, reject) => {
      const upload = new Upload(bytes, {
        ...(file.uploadUrl === undefined
          ? { endpoint: `${endpoint.url}/storage/v1/upload/resumable` }
          : { uploadUrl: file.uploadUrl }),
        ...fixedOptions(file),
        httpStack: {
          getName: () => 'holdfast',
          createRequest: (method, url) =>
            createRequest({ endpoint, silence, recorded: () => recorded, onOffset }, method, url),
        },
        onProgress: (sentBytes) => options.onProgress(sentBytes),
        onUploadUrlAvailable: () => {
          const { url } = upload
          if (url !== null && url !== file.uploadUrl) record(() => options.onCreated(url))
        },
        onChunkComplete: (_, sentBytes) => record(() => options.onPartSent(sentBytes)),
        onSuccess: () => void recorded.then(resolve, reject),
        onError: reject,
      })
      const abandon = (): void => {
        void upload.abort()
        reject(silence.signal.reason as Error)
      }
      stop = () => silence.signal.removeEventListener('abort', abandon)
      silence.signal.addEventListener('abort', abandon, { once: true })
      if (silence.signal.aborted) abandon()
      else upload.start()
    })
  } catch (error) {
    await recorded // a failure to record takes precedence over a network failure
    throw toFailure(error)
  } finally {
    stop()
  }

  /** Records the offset reported by the server. */
  function onOffset(sentBytes: number): void {
    record(() => options.onPartSent(sentBytes))
  }

  function record(write: () => Promise<void>): void {
    recorded = recorded.then(write)
    recorded.catch(() => undefined) // the awaiting code handles the error
  }
}

function fixedOptions(file: SentFile): Partial<UploadOptions> {
  return {
    chunkSize: PART_BYTES,
    retryDelays: null, // the queue has its own delays, which survive restarts
    storeFingerprintForResuming: false,
    uploadDataDuringCreation: false,
    metadata: {
      bucketName: file.bucket,
      objectName: file.path,
      contentType: file.mediaType,
      cacheControl: '31536000',
      metadata: JSON.stringify({ [UPLOAD_MARK]: file.bytesName }),
    },
    fileReader: { openFile: async (input: Blob) => sourceOf(input) },
  }
}

function toFailure(error: unknown): unknown {
  if (!(error instanceof DetailedError)) return error
  const { originalResponse: response, causingError } = error
  if (causingError instanceof SignInNeeded || causingError instanceof TransferFailure) return causingError
  if (!response) return noAnswer(causingError ?? error)
  // A success status outside the protocol comes from an intermediary.
  const status = response.getStatus()
  return status < 300
    ? noAnswer(error)
    : readResumableFailure(status, response.getBody(), response.getHeader('retry-after') ?? null)
}

/** Ensures that the user's token is never sent to another server, whatever URL the response named. */
function onOwnOrigin(endpoint: StorageEndpoint, url: string): string {
  const own = new URL(endpoint.url)
  const { pathname, search } = new URL(url, own)
  return `${own.origin}${pathname}${search}`
}

function sourceOf(bytes: Blob): {
  size: number
  slice(start: number, end: number): Promise<{ value: Blob; done: boolean }>
  close(): void
} {
  return {
    size: bytes.size,
    slice: async (start, end) => ({ value: bytes.slice(start, end), done: end >= bytes.size }),
    close: () => undefined,
  }
}

/** Creates one request of the upload, as the user. */
function createRequest(
  {
    endpoint,
    silence,
    recorded,
    onOffset,
  }: {
    readonly endpoint: StorageEndpoint
    readonly silence: SilenceWatch
    readonly recorded: () => Promise<void>
    readonly onOffset: (sentBytes: number) => void
  },
  method: string,
  url: string,
): HttpRequest {
  const headers: Record<string, string> = {}
  const own = new AbortController()
  let onProgress: (sentBytes: number) => void = () => undefined
  return {
    getMethod: () => method,
    getURL: () => url,
    setHeader: (name, value) => void (headers[name.toLowerCase()] = value),
    getHeader: (name) => headers[name.toLowerCase()],
    setProgressHandler: (handler) => void (onProgress = handler),
    getUnderlyingObject: () => undefined,
    abort: async () => own.abort(),
    async send(body: Blob | null = null): Promise<HttpResponse> {
      await recorded()
      const signal = AbortSignal.any([own.signal, silence.signal])
      const address = onOwnOrigin(endpoint, url)
      silence.heard()
      const response = await (body === null
        ? fetchAsUser(endpoint, address, { method, headers, signal })
        : sendPart(body, address, signal))
      const text = method === 'HEAD' ? '' : await response.text()
      silence.heard()
      if (method === 'HEAD' && response.ok) onOffset(Number(response.headers.get('upload-offset') ?? 0))
      return {
        getStatus: () => response.status,
        getHeader: (name) => response.headers.get(name) ?? undefined,
        getBody: () => text,
        getUnderlyingObject: () => response,
      }
    },
  }

  function sendPart(body: Blob, address: string, signal: AbortSignal): Promise<Response> {
    const note = (sentBytes: number): void => silence.heard(unseenBytes(endpoint.bodies, body.size, sentBytes))
    note(0)
    const onPart = (sentBytes: number): void => {
      note(sentBytes)
      onProgress(sentBytes)
    }
    return sendAsUser(endpoint, address, { method, headers, body, signal, onProgress: onPart })
  }
}
