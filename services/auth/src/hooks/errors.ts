import { HoldfastError } from '@holdfast/foundation'

// Codes, statuses and messages are GoTrue's.

/** @param status - what the hook asked for */
export function refusedByHook(status: number, message: string): HoldfastError {
  return new HoldfastError(status === 500 ? 'unexpected_failure' : 'unknown', status, message)
}

/** The hook itself is broken, or away. */
export function hookFailed(message: string, cause?: unknown): HoldfastError {
  return new HoldfastError('unexpected_failure', 500, message, { cause })
}

export function hookTimeout(timeoutMs: number): HoldfastError {
  const seconds = (timeoutMs / 1000).toFixed(6)
  return new HoldfastError('hook_timeout', 422, `Failed to reach hook within maximum time of ${seconds} seconds`)
}

export function hookTimeoutAfterRetry(cause: unknown): HoldfastError {
  return new HoldfastError('hook_timeout_after_retry', 422, 'Failed to reach hook after maximum retries', { cause })
}

export function hookAnswerTooLarge(bytesMax: number): HoldfastError {
  const message = `Payload size exceeded size limit of ${bytesMax} bytes`
  return new HoldfastError('hook_payload_over_size_limit', 422, message)
}

export function hookAnswerNotJson(message: string): HoldfastError {
  return new HoldfastError('hook_payload_invalid_content_type', 400, message)
}

export function passwordAttemptRejected(message: string): HoldfastError {
  return new HoldfastError('invalid_credentials', 400, message)
}

export function mfaAttemptRejected(message: string): HoldfastError {
  return new HoldfastError('mfa_verification_rejected', 403, message)
}
