/** Stored bytes of a response body; the rest is not read. */
export const RESPONSE_BYTES_MAX = 1_048_576

/** Maximum redirects per request. */
export const REDIRECTS_MAX = 5

/** Upper limit in ms for a request's timeout. */
export const TIMEOUT_MAX_MS = 300_000

/** Extra lease in ms beyond a request's timeout, for recording the outcome. */
export const RECORDING_MS = 10_000

/** Divisor: one receiver may use a quarter of all connections. */
export const RECEIVER_SHARE = 4

/** Maximum bytes of waiting requests per table or role, as stored by Postgres. */
export const WAITING_BYTES_MAX = 268_435_456

/** Pause between measurements of the queue: at least so many ms and so many times the duration of one, to use at most a twentieth of a core. */
export const MEASURE_EVERY_MS = 1_000
export const MEASURE_REST = 20

/** Retry backoff for failed requests: first delay in ms, growth factor and maximum delay in ms. */
export const RETRY_FIRST_MS = 1_000
export const RETRY_FACTOR = 5
export const RETRY_LONGEST_MS = 900_000

/** Time in ms from start to the first deletion of old responses, and between deletions while there are any. */
export const PRUNE_AFTER_MS = 1_000
export const PRUNE_EVERY_MS = 600_000

/** Rows deleted per statement. */
export const PRUNE_ROWS = 10_000

/** Time in ms that in-flight requests get at shutdown; unfinished ones are resent after the next start. */
export const DRAIN_MS = 1_000
