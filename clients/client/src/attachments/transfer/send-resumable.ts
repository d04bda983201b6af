import { DetailedError, Upload, type HttpRequest, type HttpResponse, type UploadOptions } from 'tus-js-client'
import { PART_BYTES } from '../limits.ts'
import { UPLOAD_MARK, type SentFile } from './sent-file.ts'
import { fetchAsPerson, SignInNeeded, type StorageEndpoint } from './storage-endpoint.ts'
import { noAnswer, readResumableFailure, TransferFailure } from './storage-failure.ts'
import { watchSilence, type SilenceWatch } from './watch-silence.ts'

/** What has to be remembered, so that an upload goes on after a restart. Awaited before more is sent. */
export interface ResumableProgress {
  readonly onCreated: (url: string) => Promise<void>
  readonly onPartSent: (sentBytes: number) => Promise<void>
}

/** The server no longer knows the upload: it expired. A new one is made. */
const GONE: ReadonlySet<number> = new Set([404, 410])

/**
 * Sends a file in parts (TUS), going on where an earlier attempt ended.
 *
 * tus-js-client makes a new upload whenever the old one cannot be asked, also while a proxy answers 502. So it is given either the address of an
 * upload or the endpoint, and never both.
 */
export async function sendResumable(
  endpoint: StorageEndpoint,
  file: SentFile,
  bytes: Blob,
  options: ResumableProgress & { readonly signal: AbortSignal },
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

async function runUpload(
  endpoint: StorageEndpoint,
  file: SentFile,
  bytes: Blob,
  options: ResumableProgress & { readonly signal: AbortSignal },
): Promise<void> {
  using silence = watchSilence(options.signal)
  /** What is known of the upload, being written down in order. The next request waits for it. */
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
          getName: () => 'fetch',
          createRequest: (method, url) => createRequest({ endpoint, silence, recorded: () => recorded }, method, url),
        },
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
    await recorded // a failure to write down counts before that of the network
    throw toFailure(error)
  } finally {
    stop()
  }

  function record(write: () => Promise<void>): void {
    recorded = recorded.then(write)
    recorded.catch(() => undefined) // whoever waits for it is told
  }
}

function fixedOptions(file: SentFile): Partial<UploadOptions> {
  return {
    chunkSize: PART_BYTES,
    retryDelays: null, // the queue's own delays, which survive a restart
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
  // A success that the protocol does not know comes from whatever stands between.
  const status = response.getStatus()
  return status < 300
    ? noAnswer(error)
    : readResumableFailure(status, response.getBody(), response.getHeader('retry-after') ?? null)
}

/** The person's token never goes to another server, whatever the answer named as the address of the upload. */
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

/** One request of the upload, over the kit's own `fetch` and as the person. */
function createRequest(
  {
    endpoint,
    silence,
    recorded,
  }: {
    readonly endpoint: StorageEndpoint
    readonly silence: SilenceWatch
    readonly recorded: () => Promise<void>
  },
  method: string,
  url: string,
): HttpRequest {
  const headers: Record<string, string> = {}
  const own = new AbortController()
  return {
    getMethod: () => method,
    getURL: () => url,
    setHeader: (name, value) => void (headers[name.toLowerCase()] = value),
    getHeader: (name) => headers[name.toLowerCase()],
    setProgressHandler: () => undefined, // fetch does not tell how far it is
    getUnderlyingObject: () => undefined,
    abort: async () => own.abort(),
    async send(body: Blob | null = null): Promise<HttpResponse> {
      await recorded()
      silence.heard(body?.size ?? 0)
      const response = await fetchAsPerson(endpoint, onOwnOrigin(endpoint, url), {
        method,
        headers,
        body,
        signal: AbortSignal.any([own.signal, silence.signal]),
      })
      const text = method === 'HEAD' ? '' : await response.text()
      silence.heard()
      return {
        getStatus: () => response.status,
        getHeader: (name) => response.headers.get(name) ?? undefined,
        getBody: () => text,
        getUnderlyingObject: () => response,
      }
    },
  }
}
