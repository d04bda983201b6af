import { HoldfastError } from '@holdfast/foundation'

// Codes, statuses and messages are GoTrue's.

/** @param status - requested by the hook */
export const refusedByHook = (status: number, message: string): HoldfastError =>
  new HoldfastError(status === 500 ? 'unexpected_failure' : 'unknown', status, message)
/** The hook is broken or unreachable. */
export const hookFailed = (message: string, cause?: unknown): HoldfastError =>
  new HoldfastError('unexpected_failure', 500, message, { cause })

export function hookTimeout(timeoutMs: number): HoldfastError {
  const seconds = (timeoutMs / 1000).toFixed(6)
  return new HoldfastError('hook_timeout', 422, `Failed to reach hook within maximum time of ${seconds} seconds`)
}

/** The queue for hooks is full, or a call waited too long. */
export function hooksBusy(): HoldfastError {
  const headers = { 'retry-after': '5' }
  return new HoldfastError('hook_timeout', 503, 'The hooks of this project are too slow at the moment', { headers })
}

export const hookTimeoutAfterRetry = (cause: unknown): HoldfastError =>
  new HoldfastError('hook_timeout_after_retry', 422, 'Failed to reach hook after maximum retries', { cause })

export function hookAnswerTooLarge(bytesMax: number): HoldfastError {
  const message = `Payload size exceeded size limit of ${bytesMax} bytes`
  return new HoldfastError('hook_payload_over_size_limit', 422, message)
}

export const hookAnswerNotJson = (message: string): HoldfastError =>
  new HoldfastError('hook_payload_invalid_content_type', 400, message)
export const passwordAttemptRejected = (message: string): HoldfastError =>
  new HoldfastError('invalid_credentials', 400, message)
export const mfaAttemptRejected = (message: string): HoldfastError =>
  new HoldfastError('mfa_verification_rejected', 403, message)

/** Error codes of hook failures, as opposed to refusals. */
const FAILURES: ReadonlySet<string> = new Set([
  'hook_timeout',
  'hook_timeout_after_retry',
  'hook_payload_over_size_limit',
  'hook_payload_invalid_content_type',
])

/**
 * For refreshes, where a retry may succeed: auth-js signs out on every status below 500.
 *
 * @throws the error, as 503 if the hook failed
 */
export function failForNow(error: unknown): never {
  if (!(error instanceof HoldfastError) || !FAILURES.has(error.code)) throw error
  throw new HoldfastError(error.code, 503, error.message, { cause: error, headers: { 'retry-after': '5' } })
}
