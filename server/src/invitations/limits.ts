/** Mails of invitations that are written at the same time. */
export const MAILS_AT_ONCE = 1

/** Milliseconds for which a claimed mail is not written by another server. */
export const CLAIMED_MS = 60_000

/** How often a mail is tried that could not be handed over, and milliseconds until the next time. */
export const ATTEMPTS_MAX = 5
export const RETRY_MS = 60_000

/** Milliseconds for which a stopping server waits for a mail that is being written. */
export const DRAIN_MS = 2_000

/** Bytes of the secret in a link. */
export const SECRET_BYTES = 32

/** Bytes of a request to join, and characters of a name and a password in it; bcrypt reads 72 bytes. */
export const JOIN_BYTES_MAX = 4_096
export const NAME_CHARS_MAX = 60
export const PASSWORD_CHARS_MAX = 200

/** Requests to join that are looked at at the same time; each may cost a password hash. */
export const JOINING_MAX = 4
