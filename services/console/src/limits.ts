/** Minimum length of a password in characters. */
export const PASSWORD_CHARS_MIN = 12

/** Length limits in characters. */
export const EMAIL_CHARS_MAX = 255
export const NAME_CHARS_MAX = 80
export const USER_AGENT_CHARS_MAX = 300

/** Lifetime of an invitation in hours; of the link printed at a start, too. */
export const INVITATION_HOURS = 72

/** A session ends after this many hours without use, and this many days after sign-in. */
export const SESSION_IDLE_HOURS = 12
export const SESSION_DAYS = 14

/** Time in minutes to enter the code of the second factor. */
export const SECOND_FACTOR_MINUTES = 10

/** Interval in seconds between writes of a session's last use. */
export const SESSION_USE_S = 60

/** Sessions of one operator. A further sign-in ends the one unused for longest. */
export const SESSIONS_PER_OPERATOR_MAX = 20

/** Days for which the audit log is kept, and the rows removed per pass. */
export const AUDIT_DAYS = 400
export const AUDIT_PURGE_ROWS = 10_000

/** Rows per page of lists. */
export const PAGE_ROWS = 50
export const PAGE_ROWS_MAX = 200

/** Users whose devices a search finds. */
export const DEVICE_USERS_MAX = 50

/** Size in bytes of `before` and `after` in the audit log. Larger values are cut. */
export const AUDIT_VALUE_BYTES_MAX = 16 * 1024

/** Length limit in characters of statements, and limits in rows and bytes of what is kept of their results. */
export const SQL_CHARS_MAX = 200_000
export const SQL_ROWS_MAX = 1_000
export const SQL_BYTES_MAX = 4 * 1024 * 1024

/** Default and maximum timeout in seconds, and the time in ms that Postgres has to end a statement itself. */
export const SQL_TIMEOUT_S = 30
export const SQL_TIMEOUT_S_MAX = 600
export const SQL_CANCEL_GRACE_MS = 2_000

/** Interval in ms in which Postgres looks whether the server is still there, so that a statement does not outlive it. */
export const CONNECTION_CHECK_MS = 5_000

/** Concurrent runs: of all operators, and of one. */
export const SQL_RUNNING_MAX = 6
export const SQL_PER_OPERATOR_MAX = 2

/** Tables whose names are offered for completion. */
export const NAMES_MAX = 2_000
