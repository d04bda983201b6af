import { HoldfastError, refusal } from '@holdfast/foundation'
import { UPLOAD_BUSY_RETRY_AFTER_S, UPLOAD_RETRY_AFTER_S } from './limits.ts'

/** The body is not an upload. Code and status are those of the PowerSync service for a body that violates its schema. */
export const malformedUpload = (detail: string): HoldfastError =>
  new HoldfastError('PSYNC_S2001', 400, 'The body is not an upload', { detail })
/** Unsupported `content-encoding`. */
export const unknownEncoding = (encoding: string): HoldfastError =>
  new HoldfastError('PSYNC_S2001', 415, 'The body is not an upload', {
    detail: `Bodies come as they are or with "content-encoding: gzip", not ${JSON.stringify(encoding.slice(0, 40))}.`,
    headers: { 'accept-encoding': 'gzip' },
  })
/** The token has no user. Uploads belong to users, because repeats are recognised per user. */
export const uploadNeedsUser = refusal('PSYNC_S2106', 401, 'Authentication required', {
  detail: 'Uploads need the token of a user, an API key alone is not enough.',
})
/** Requests may not run as the token's role. */
export const uploadRoleUnknown = (cause: unknown): HoldfastError =>
  new HoldfastError('PSYNC_S2101', 401, 'The role of the token is not known to this database', { cause })
/** The key was used for other operations: neither their verdict nor a second write would be correct. */
export const uploadKeyReused = refusal(
  'HF_UPLOAD_KEY_REUSED',
  409,
  'Another transaction was judged under this client id and position',
  {
    hint: 'Positions of one local database never repeat. Write the change again as a new transaction.',
  },
)
/** The database is busy, restarting or gone. Nothing was recorded; a retry may succeed. */
export const uploadNotJudged = (cause: unknown): HoldfastError =>
  new HoldfastError('PSYNC_S2001', 503, 'The database could not judge the transaction now', {
    hint: 'Send the same transaction again.',
    cause,
    headers: { 'retry-after': String(UPLOAD_RETRY_AFTER_S) },
  })
/** Too many concurrent uploads of one user. The body was not read. */
export const tooManyUploadsOfUser = (max: number): HoldfastError =>
  new HoldfastError('HF_UPLOAD_TOO_MANY', 429, `This account has ${max} uploads under way, the most it may have`, {
    hint: 'Send the same transaction again in a moment. One device should send one upload at a time.',
    headers: { 'retry-after': String(UPLOAD_BUSY_RETRY_AFTER_S) },
  })
/** Too many concurrent uploads in total. The body was not read. */
export const tooManyUploads = refusal('HF_UPLOAD_BUSY', 503, 'The server has as many uploads under way as it takes', {
  hint: 'Send the same transaction again in a moment.',
  headers: { 'retry-after': String(UPLOAD_BUSY_RETRY_AFTER_S) },
})
/** Applying exceeded the time that a transaction may hold a connection and locks. Nothing was recorded. */
export const uploadTakesTooLong = (what: 'The transaction' | 'A statement', timeoutMs: number): HoldfastError =>
  new HoldfastError('HF_UPLOAD_TIMEOUT', 503, `${what} took longer than ${timeoutMs} ms`, {
    hint: 'Send the same transaction again. If that never helps, write less in one transaction, or raise syncUploadTimeoutMs or syncUploadStatementTimeoutMs.',
    headers: { 'retry-after': String(UPLOAD_BUSY_RETRY_AFTER_S) },
  })
/** Nobody reads this error: the client disconnected and the transaction was rolled back. */
export const uploadAbandoned = refusal('HF_UPLOAD_ABANDONED', 499, 'The client closed the connection')
