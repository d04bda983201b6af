import { HoldfastError } from '@holdfast/foundation'
import { UPLOAD_RETRY_AFTER_S } from './limits.ts'

/** The body is not an upload. Code and status as the PowerSync service answers a body that does not fit its schema. */
export function malformedUpload(detail: string): HoldfastError {
  return new HoldfastError('PSYNC_S2001', 400, 'The body is not an upload', { detail })
}

/** Nobody in particular is asking: an upload belongs to a person, because a repeat is recognised per person. */
export function uploadNeedsUser(): HoldfastError {
  return new HoldfastError('PSYNC_S2106', 401, 'Authentication required', {
    detail: 'Uploads need the token of a user, an API key alone is not enough.',
  })
}

/** The token's role is not one that requests may run as. */
export function uploadRoleUnknown(cause: unknown): HoldfastError {
  return new HoldfastError('PSYNC_S2101', 401, 'The role of the token is not known to this database', { cause })
}

/** The key was used for other operations: answering with their judgement would be wrong, and so would writing. */
export function uploadKeyReused(): HoldfastError {
  return new HoldfastError(
    'HF_UPLOAD_KEY_REUSED',
    409,
    'Another transaction was judged under this client id and position',
    {
      hint: 'Positions of one local database never repeat. Write the change again as a new transaction.',
    },
  )
}

/** The database is busy, restarting or gone. Nothing was recorded; the same request may succeed later. */
export function uploadNotJudged(cause: unknown): HoldfastError {
  return new HoldfastError('PSYNC_S2001', 503, 'The database could not judge the transaction now', {
    hint: 'Send the same transaction again.',
    cause,
    headers: { 'retry-after': String(UPLOAD_RETRY_AFTER_S) },
  })
}
