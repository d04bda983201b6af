/** Concurrent invitation mails. */
export const MAILS_AT_ONCE = 1

/** Lease in ms of a claimed mail. */
export const CLAIMED_MS = 60_000

/** Attempts for a mail that could not be handed over, and delays in ms between them. */
export const ATTEMPTS_MAX = 5
export const RETRY_MS = 60_000

/** Wait in ms of a stopping server for a mail in progress. */
export const DRAIN_MS = 2_000

/** Length in bytes of a link's secret. */
export const SECRET_BYTES = 32

/** Limits of a join request in bytes, and of its address, name and password in characters; bcrypt reads 72 bytes. */
export const JOIN_BYTES_MAX = 4_096
export const EMAIL_CHARS_MAX = 254
export const NAME_CHARS_MAX = 60
export const PASSWORD_CHARS_MAX = 200

/** Concurrent join requests; each may compute a password hash. */
export const JOINING_MAX = 4
