/** Maximum operations per transaction, which holds its row locks until the last one is applied. */
export const UPLOAD_OPERATIONS_MAX = 10_000

/** Maximum transactions per batch. At a few milliseconds each, the response takes seconds. */
export const UPLOAD_TRANSACTIONS_MAX = 500

/** Time in ms after which a batch is answered with the results so far. */
export const UPLOAD_BATCH_MS_MAX = 10_000

/** Maximum columns per operation, above Postgres's limit of 1,600 columns per table. */
export const OPERATION_COLUMNS_MAX = 2_000

/** `retry-after` in seconds when the database is unavailable. */
export const UPLOAD_RETRY_AFTER_S = 1

/** `retry-after` in seconds when too many uploads are in progress: about the duration of one. */
export const UPLOAD_BUSY_RETRY_AFTER_S = 3

/** Maximum bytes of all upload bodies in progress. Parsed bodies take several times as much. */
export const UPLOAD_BYTES_UNDER_WAY_MAX = 128 * 1024 * 1024

/** Maximum operations per write. Client disconnects are noticed only between writes; some hundred operations take less than 0.1 s. */
export const RUN_OPERATIONS_MAX = 250

/** Minimum occurrences of a statement in a run to prepare it, because a connection keeps a limited number of prepared statements, shared with REST. */
export const PREPARE_FROM_REPEATS = 5

/** Time in ms for the transaction of a disconnected client to stop between two statements. Then its connection is terminated. */
export const ABANDONED_GRACE_MS = 500

/** Maximum operations per transaction of a chain, which is sent in one write. A larger transaction is judged by itself. */
export const CHAIN_OPERATIONS_MAX = 50

/** Time in ms for which a chain keeps its connection before other users get their turn. */
export const CHAIN_MS_MAX = 250
