/** Bytes of a response's body that are kept; the rest is not read. */
export const RESPONSE_BYTES_MAX = 1_048_576

/** Redirects that one request follows. */
export const REDIRECTS_MAX = 5

/** Milliseconds that a request may take at most, whatever it asks for. */
export const TIMEOUT_MAX_MS = 300_000

/** Milliseconds beside its own time for which a request is not sent again: it takes a moment to write down what came of it. */
export const RECORDING_MS = 10_000

/** Part of all connections that one receiver may have. */
export const RECEIVER_SHARE = 4

/** Bytes that one table or role may have waiting, as Postgres stores them. */
export const WAITING_BYTES_MAX = 268_435_456

/** Milliseconds between two measurements of the queue at least, and how many times as long as one takes: they are to cost a twentieth of a core at most. */
export const MEASURE_EVERY_MS = 1_000
export const MEASURE_REST = 20

/** Milliseconds until a failed request is sent again: the first wait, by what it grows, and the longest. */
export const RETRY_FIRST_MS = 1_000
export const RETRY_FACTOR = 5
export const RETRY_LONGEST_MS = 900_000

/** Milliseconds until old responses are deleted after a start, and between two deletions as long as there are any. */
export const PRUNE_AFTER_MS = 1_000
export const PRUNE_EVERY_MS = 600_000

/** Rows that one statement deletes. */
export const PRUNE_ROWS = 10_000

/** Milliseconds that requests which are being sent get when the server stops; then they are sent again after the next start. */
export const DRAIN_MS = 1_000
