import { errorMessage, parseJson } from '@holdfast/protocol'
import type { FailureKind, FileProblem } from '../file-state.ts'

/** A failed transfer, or an error response of storage. */
export class TransferFailure extends Error {
  override readonly name = 'TransferFailure'
  readonly failure: FailureKind
  readonly problem: FileProblem
  readonly retryAfterMs: number | undefined

  constructor(failure: FailureKind, problem: FileProblem, retryAfterMs?: number) {
    super(problem.message)
    this.failure = failure
    this.problem = problem
    this.retryAfterMs = retryAfterMs
  }
}

/** Error body of storage. The HTTP status is usually 400; the specific one is here. */
interface StorageError {
  readonly statusCode: string
  readonly code?: string
  readonly error?: string
  readonly message: string
}

/** Permanent statuses: too large, unsupported type, invalid name, or no such bucket. */
const FINAL: ReadonlySet<number> = new Set([404, 409, 413, 415])
const FINAL_CODES: ReadonlySet<string> = new Set(['InvalidKey', 'InvalidMimeType', 'EntityTooLarge'])
const RETRIED: ReadonlySet<number> = new Set([401, 408, 423, 425, 429])

/**
 * Parses an error response.
 *
 * A response outside storage's vocabulary, such as a captive portal's page, says nothing about the file and is retried indefinitely. Denied access may be
 * temporary: the row that grants it may have just been accepted, or a policy is changing.
 */
export function readFailure(status: number, text: string, retryAfter: string | null): TransferFailure {
  const body = parseStorageError(text)
  const retryAfterS = Number(retryAfter ?? Number.NaN)
  const retryAfterMs = Number.isFinite(retryAfterS) ? retryAfterS * 1_000 : undefined
  if (!body) {
    const problem = { code: 'unexpected_answer', message: `The server answered ${status}.`, status }
    return new TransferFailure(status === 413 ? 'final' : 'retry', problem, retryAfterMs)
  }
  const trueStatus = Number(body.statusCode) || status
  const code = body.code ?? body.error ?? String(trueStatus)
  const problem = { code, message: body.message, status: trueStatus }
  return new TransferFailure(kindOf(trueStatus, code), problem, retryAfterMs)
}

/** Parses an error of the resumable endpoint, which uses specific statuses and plain text. */
export function readResumableFailure(status: number, text: string, retryAfter: string | null): TransferFailure {
  // Other formats come from intermediaries.
  if (text.startsWith('{') || text.startsWith('<') || text.length > 500) return readFailure(status, text, retryAfter)
  // An earlier request of this upload arrived after all: ask the server for the offset.
  if (status === 409 && /offset/i.test(text)) return noAnswer(new Error(text.trim()))
  const retryAfterS = Number(retryAfter ?? Number.NaN)
  const message = text.trim() === '' ? `The server answered ${status}.` : text.trim()
  const problem = { code: RESUMABLE_CODES[status] ?? String(status), message, status }
  return new TransferFailure(
    kindOf(status, problem.code),
    problem,
    Number.isFinite(retryAfterS) ? retryAfterS * 1_000 : undefined,
  )
}

const RESUMABLE_CODES: Readonly<Record<number, string>> = {
  403: 'AccessDenied',
  404: 'NoSuchBucket',
  409: 'KeyAlreadyExists',
  413: 'EntityTooLarge',
  415: 'InvalidMimeType',
}

/** No response: a network failure or an aborted transfer. */
export function noAnswer(error: unknown): TransferFailure {
  if (error instanceof TransferFailure) return error
  const message = errorMessage(error)
  return new TransferFailure('retry', { code: 'network', message, status: undefined })
}

function kindOf(status: number, code: string): FailureKind {
  if (FINAL.has(status) || FINAL_CODES.has(code)) return 'final'
  if (status >= 500 || RETRIED.has(status)) return 'retry'
  // An expired token is refused like denied access.
  return 'doubt'
}

function parseStorageError(text: string): StorageError | undefined {
  const body = parseJson(text) as Partial<StorageError> | null | undefined
  return typeof body?.statusCode === 'string' && typeof body.message === 'string' ? (body as StorageError) : undefined
}
