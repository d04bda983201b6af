import { UPLOAD_PATH, type UploadRequest, type UploadResponse } from '@holdfast/protocol'
import type { UploadFailure } from './classify-failure.ts'

export type UploadOutcome =
  | { readonly kind: 'judged'; readonly response: UploadResponse }
  | { readonly kind: 'failed'; readonly failure: UploadFailure }

/** Sends one transaction to the server with a token. Never throws: what went wrong is the outcome. */
export type PostUpload = (request: UploadRequest, token: string) => Promise<UploadOutcome>

/** An answer that takes longer is given up, in milliseconds; the repeat gets the recorded verdict. */
const ANSWER_TIMEOUT_MS = 60_000

/** @param url - the server's address without a slash at its end */
export function createPostUpload(url: string, fetch: typeof globalThis.fetch): PostUpload {
  return async (request, token) => {
    try {
      const response = await fetch(`${url}${UPLOAD_PATH}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(request),
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      })
      return readOutcome(response.status, response.headers.get('retry-after'), await response.text())
    } catch (error) {
      return { kind: 'failed', failure: unanswered(error) }
    }
  }
}

function unanswered(error: unknown): UploadFailure {
  const message = error instanceof Error ? error.message : String(error)
  return { status: undefined, code: undefined, message, fromServer: false, retryAfterMs: undefined }
}

/** @internal */
export function readOutcome(status: number, retryAfter: string | null, text: string): UploadOutcome {
  const body = parseJson(text)
  if (status === 200 && isUploadResponse(body)) return { kind: 'judged', response: body }
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // somebody between us and the server answered
  }
}

function isUploadResponse(body: unknown): body is UploadResponse {
  if (typeof body !== 'object' || body === null) return false
  const { status, verdicts } = body as { status?: unknown; verdicts?: unknown }
  return (status === 'applied' || status === 'refused') && Array.isArray(verdicts)
}
