import { HoldfastError, refusal } from '@holdfast/foundation'

/*
 * Refusals in the PowerSync service's vocabulary; clients read `error.code` and the status.
 * See its error code reference.
 */

/** The request body does not have the shape of a stream request. */
export const invalidRequest = (details: readonly string[]): HoldfastError =>
  new HoldfastError('PSYNC_S2001', 400, 'The request does not have the shape of a sync request', {
    detail: JSON.stringify(details),
  })
/** The first snapshot is not complete, or the change reader is being repaired. */
export const notReady = refusal('PSYNC_S2302', 503, 'The server is preparing data for sync. Try again in a moment.', {
  headers: { 'retry-after': '2' },
})
/** The database does not meet the prerequisites of sync. The reason is for operators. */
export const syncRefused = refusal(
  'HF_SYNC_REFUSED',
  503,
  'Sync is off: this server cannot follow all changes of its database, so devices might keep rows that their users may no longer read.',
  { hint: 'An operator finds the reason with "holdfast doctor" or in the log.', headers: { 'retry-after': '30' } },
)
/** Another process on this database has the lease, and this one cannot follow it yet. */
export const standingBy = refusal(
  'PSYNC_S2302',
  503,
  'Another server reads the changes of this database, and this one is about to follow it. Try again in a moment.',
  {
    headers: { 'retry-after': '1' },
  },
)
/** A token without a subject cannot sync, because buckets and write checkpoints belong to a user. */
export const missingSubject = refusal('PSYNC_S2101', 401, 'The token has no subject (sub)')
/** The server is shutting down; clients reconnect. */
export const shuttingDown = refusal('PSYNC_S2003', 503, 'The server is shutting down', {
  headers: { 'retry-after': '1' },
})
/** Only a caller with the service key may see what one user has. */
export const administratorsOnly = refusal('PSYNC_S2106', 403, 'Only the service key may ask for this')
/** No user has this id or address. */
export const noSuchUser = (who: string): HoldfastError =>
  new HoldfastError('sync_person_unknown', 404, `There is no account "${who}"`)
/** Each check reads everything that the user sees, so only one runs at a time. */
export const checkUnderWay = refusal('HF_CHECK_UNDER_WAY', 429, 'Another device of this account is being checked', {
  hint: 'Try again when it is done.',
  headers: { 'retry-after': '2' },
})
/** The user's checks have used up their share of the server's time. */
export const tooManyChecks = (retryAfterS: number): HoldfastError =>
  new HoldfastError('HF_CHECK_TOO_MANY', 429, 'This account has been checked many times', {
    hint: 'Try again in a few minutes.',
    headers: { 'retry-after': String(retryAfterS) },
  })
/** The server's limit of concurrent device checks is reached. */
export const checksBusy = refusal('HF_CHECK_BUSY', 503, 'The server is checking other devices', {
  hint: 'Try again in a moment.',
  headers: { 'retry-after': '3' },
})
/** The rows of a device are compared in memory. */
export const deviceTooLarge = (max: number): HoldfastError =>
  new HoldfastError('device_too_large', 413, `This device has more than ${max.toLocaleString('en')} operations.`, {
    hint: 'Compare a new device of the same user with "holdfast sync verify --user …".',
  })
/** One comparison runs at a time, because it reads all rows of a user twice. */
export const comparisonUnderWay = refusal('comparison_under_way', 429, 'Another device is being compared.', {
  hint: 'Try again in a moment.',
  headers: { 'retry-after': '5' },
})
export const comparisonTooLong = refusal('comparison_too_long', 504, 'The comparison took too long.', {
  hint: 'Compare a new device of the same user with "holdfast sync verify --user …".',
})
