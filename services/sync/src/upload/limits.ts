/** Operations of one transaction. It holds its row locks until the last one is judged. */
export const UPLOAD_OPERATIONS_MAX = 10_000

/** Transactions of one batch: at a few milliseconds each, an answer is there within seconds. */
export const UPLOAD_TRANSACTIONS_MAX = 500

/** Milliseconds after which a batch is answered with what has been judged so far. */
export const UPLOAD_BATCH_MS_MAX = 10_000

/** Columns that one operation may give: more than a Postgres table can have (1,600). */
export const OPERATION_COLUMNS_MAX = 2_000

/** Seconds after which a client should repeat an upload that the database could not judge now. */
export const UPLOAD_RETRY_AFTER_S = 1

/** Seconds after which a client should repeat an upload that was refused because others are under way: about as long as some of those take. */
export const UPLOAD_BUSY_RETRY_AFTER_S = 3

/** Bytes of the bodies of all uploads under way. Parsed they take some times as much. */
export const UPLOAD_BYTES_UNDER_WAY_MAX = 128 * 1024 * 1024

/** Operations sent in one write. Between two of them it is seen whether the client is still there; some hundred take less than a tenth of a second. */
export const RUN_OPERATIONS_MAX = 250

/** Times that a statement has to occur in a run to be prepared: a connection keeps a limited number of statements, for REST as well. */
export const PREPARE_FROM_REPEATS = 5

/** Milliseconds that a transaction whose client has gone gets to end between two statements; then its connection is closed. */
export const ABANDONED_GRACE_MS = 500
