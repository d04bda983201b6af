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
