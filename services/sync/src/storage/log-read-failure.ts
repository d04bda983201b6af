import { HoldfastError } from '@holdfast/foundation'

/** The log could not be read for a transient reason, so a retry may succeed. */
export function logReadFailed(message: string, cause?: unknown): HoldfastError {
  return new HoldfastError('sync_log_read', 503, message, { cause })
}

/** Whether reading failed for a transient reason. */
export function isLogReadFailure(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === 'sync_log_read'
}
