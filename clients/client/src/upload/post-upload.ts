import {
  UPLOAD_BODY_BYTES_MAX,
  UPLOAD_PATH,
  type UploadBatchResponse,
  type UploadResponse,
  errorMessage,
  parseJson,
} from '@holdfast/protocol'
import type { Link } from '../link/watch-link.ts'
import type { UploadFailure } from './classify-failure.ts'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'

/** Minimum body size for compression; smaller ones fit into one packet anyway. */
const PACKED_FROM = 1_024

/** Responses of a server or intermediary that cannot decompress. */
const NOT_READ = new Set([400, 415, 422, 501])

/** Consecutive uploads that failed compressed and succeeded uncompressed before compression is disabled. */
const DOUBTS_MAX = 2

const PACKS: Packing = { when: 'now', doubts: 0 }
const NEVER_PACKS: Packing = { when: 'never', doubts: 0 }

export type UploadOutcome =
  /** Verdicts of the first transactions, at least one. */
  | { readonly kind: 'judged'; readonly responses: readonly UploadResponse[] }
  | { readonly kind: 'failed'; readonly failure: UploadFailure }

/** Content of an upload: at least one transaction of a device, oldest first. */
export interface SentUpload {
  readonly clientId: string
  readonly transactions: readonly QueuedTransaction[]
}

/** Uploads transactions. Never throws: errors are part of the outcome. */
export type PostUpload = (upload: SentUpload, token: string) => Promise<UploadOutcome>

/** Runs a request of a given size and aborts it on silence; a retry gets the recorded verdict. */
type RunUpload = Link['upload']

/**
 * Creates the upload function. Compresses bodies: 200 status changes of different records shrink to a quarter. Falls back to uncompressed.
 *
 * @param url - server URL without trailing slash
 */
export function createPostUpload(url: string, fetch: typeof globalThis.fetch, run: RunUpload): PostUpload {
  let packing: Packing = 'CompressionStream' in globalThis ? PACKS : NEVER_PACKS

  async function send(json: Uint8Array<ArrayBuffer>, token: string, isPacked: boolean): Promise<UploadOutcome> {
    try {
      const body = isPacked ? await pack(json) : json
      return await run(body.length, async (signal) => {
        const response = await fetch(`${url}${UPLOAD_PATH}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            authorization: `Bearer ${token}`,
            ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
          },
          body,
          signal,
        })
        return readOutcome(response.status, response.headers.get('retry-after'), await response.text())
      })
    } catch (error) {
      return { kind: 'failed', failure: unanswered(error) }
    }
  }

  return async (upload, token) => {
    const body = new TextEncoder().encode(renderUpload(upload))
    // Not sent: refusing a long body may close the connection midway, which looks like a network failure.
    if (body.length > UPLOAD_BODY_BYTES_MAX) return { kind: 'failed', failure: tooLarge(body.length) }
    const isPacked = packing.when === 'now' && body.length >= PACKED_FROM
    const outcome = await send(body, token, isPacked)
    const status = outcome.kind === 'judged' ? 200 : outcome.failure.status
    packing = afterUpload(packing, isPacked, status)
    return isPacked && isNotRead(status) ? await send(body, token, false) : outcome
  }
}

async function pack(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([body]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(packed).arrayBuffer())
}

/** A single transaction uses the endpoint's generic format. */
function renderUpload({ clientId, transactions }: SentUpload): string {
  const [only, ...others] = transactions
  const body = others.length === 0 ? { client_id: clientId, ...only } : { client_id: clientId, transactions }
  return JSON.stringify(body, withInfinity)
}

/** JSON would replace infinity by null. Postgres parses the word. */
function withInfinity(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

function tooLarge(bytes: number): UploadFailure {
  const mib = (size: number): string => `${(size / 1_048_576).toFixed(1)} MiB`
  return {
    status: 413,
    code: 'HF_UPLOAD_TOO_LARGE',
    message: `The change has ${mib(bytes)}; the server accepts ${mib(UPLOAD_BODY_BYTES_MAX)} at once.`,
    fromServer: false,
    retryAfterMs: undefined,
  }
}

function unanswered(error: unknown): UploadFailure {
  const message = errorMessage(error)
  return { status: undefined, code: undefined, message, fromServer: false, retryAfterMs: undefined }
}

/** @internal */
export function readOutcome(status: number, retryAfter: string | null, text: string): UploadOutcome {
  const body = parseJson(text)
  if (status === 200 && isUploadResponse(body)) return { kind: 'judged', responses: [body] }
  if (status === 200 && isBatchResponse(body)) return { kind: 'judged', responses: body.results }
  const error = (body as { error?: { code?: unknown; description?: unknown; message?: unknown } } | undefined)?.error
  const message = [error?.description, error?.message].find((part) => typeof part === 'string')
  const retryAfterS = Number(retryAfter ?? Number.NaN)
  return {
    kind: 'failed',
    failure: {
      status,
      code: typeof error?.code === 'string' ? error.code : undefined,
      message: message ?? `The server answered ${status}`,
      fromServer: typeof error?.code === 'string',
      retryAfterMs: Number.isFinite(retryAfterS) ? retryAfterS * 1_000 : undefined,
    },
  }
}

function isUploadResponse(body: unknown): body is UploadResponse {
  if (typeof body !== 'object' || body === null) return false
  const { status, verdicts } = body as { status?: unknown; verdicts?: unknown }
  return (status === 'applied' || status === 'refused') && Array.isArray(verdicts)
}

function isBatchResponse(body: unknown): body is UploadBatchResponse {
  const results = (body as { results?: unknown } | null | undefined)?.results
  return Array.isArray(results) && results.length > 0 && results.every(isUploadResponse)
}

/** Whether uploads are compressed. */
interface Packing {
  /**
   * `later`: the previous one got no response, and this one is sent uncompressed: a proxy may block the encoding header for other origins, which looks like a
   * network failure.
   */
  readonly when: 'now' | 'later' | 'never'
  /** Consecutive uploads that failed compressed and succeeded uncompressed. */
  readonly doubts: number
}

/** @param status - of the response; `undefined` for none */
function afterUpload(packing: Packing, isPacked: boolean, status: number | undefined): Packing {
  if (isPacked) {
    if (isNotRead(status)) return NEVER_PACKS
    return status === undefined ? { ...packing, when: 'later' } : PACKS
  }
  if (packing.when !== 'later') return packing
  if (status === undefined) return { ...packing, when: 'now' }
  return packing.doubts + 1 >= DOUBTS_MAX ? NEVER_PACKS : { when: 'now', doubts: packing.doubts + 1 }
}

/** Whether the response means that the compressed body was not understood. */
function isNotRead(status: number | undefined): boolean {
  return status !== undefined && NOT_READ.has(status)
}
