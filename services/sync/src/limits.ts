/** Maximum operations per `data` line, as in the PowerSync service. */
export const DATA_LINE_OPS_MAX = 1_000

/** Maximum operation bytes per `data` line; a larger operation gets its own line. Clients hold a whole line in memory. */
export const DATA_LINE_BYTES_MAX = 1024 * 1024

/** Operation bytes per `data` line at the start of a connection and for the slowest devices: four seconds at 4 KB/s. */
export const DATA_LINE_BYTES_MIN = 16 * 1024

/** Operation bytes from which a `data` line waits for its turn: one such line, of any device, per turn of the event loop. */
export const BULK_LINE_BYTES = 32 * 1024

/** Target duration in ms of a `data` line for a slow device, which bounds what a broken connection loses. */
export const SLOW_LINE_MS = 5_000

/**
 * Maximum document bytes read from the log per round trip. From about 1 MiB, Postgres and Node request new memory from the kernel each time instead of reusing
 * theirs, which costs several times as much as the read.
 */
export const SLICE_BYTES_MAX = 512 * 1024

/** Average operation size in bytes from which operations are read as separate rows instead of being joined by Postgres. */
export const LARGE_OPS_BYTES = 16 * 1024

/** {@link SLICE_BYTES_MAX} for the slowest devices: what the server holds for a device that does not read. */
export const SLICE_BYTES_MIN = 64 * 1024

/** Operations fetched from the log in one round trip for many small buckets. */
export const READ_GROUP_OPS_MAX = 4_000

/** Buckets read in one round trip. */
export const READ_GROUP_BUCKETS_MAX = 500

/** Operations of a transaction held in memory before one `COPY` writes them to the log. */
export const CHUNK_OPS_MAX = 4_000

/** Bytes of operations held in memory before they go to the log. */
export const CHUNK_BYTES_MAX = 8 * 1024 * 1024

/** Batches below this many operations are written by one statement; above, `COPY` is faster. */
export const STATEMENT_OPS_MAX = 400

/** Maximum operation bytes written by one statement, which copies them several times. */
export const STATEMENT_BYTES_MAX = 512 * 1024

/** Bytes of recent operations kept for live fan-out; a client that is further behind reads from the log. */
export const RECENT_BYTES_MAX = 16 * 1024 * 1024

/** Interval in ms between checkpoints for a device that is sending its changes: it applies none until it has sent them, and each costs it several writes. */
export const UPLOADING_INTERVAL_MS = 1_000

/** Time in ms after which a device without a further upload counts as finished, if it requests no write checkpoint. */
export const UPLOADING_QUIET_MS = 2_000

/** Bytes of a stream request: a device with 50,000 buckets still fits. */
export const REQUEST_BYTES_MAX = 8 * 1024 * 1024

/** Maximum buckets in a stream request: twice the limit per user, since a device may name buckets it has lost. */
export const REQUEST_BUCKETS_MAX = 100_000

/** Maximum share of all streams per user, so that no account locks out the others. */
export const PERSON_STREAMS_SHARE = 1 / 4

/** Keepalive interval in ms. Clients and proxies wait at least 30 s. */
export const KEEPALIVE_MS = 20_000

/**
 * Time in ms without a byte sent after which a device is disconnected; it reconnects and resumes. A kernel buffers up to 4 MiB per connection and reports room
 * only once a third of that is free: after six minutes at 4 KB/s.
 */
export const STALLED_READER_MS = 10 * 60_000

/** Concurrent bucket reads from the log; further streams wait. Each holds one connection and about a line in memory. */
export const CONCURRENT_READS_MAX = 6

/** Connections of each role that reads or evaluates for the change reader: one for it, one for an operator who asks. */
export const RESTRICTED_CONNECTIONS_MAX = 2

/** Concurrent key evaluations; each is one connection of the request pool. */
export const CONCURRENT_EVALUATIONS_MAX = 8

/** Maximum users whose keys are evaluated in one round trip. Each waits for the slowest of them. */
export const EVALUATED_TOGETHER_MAX = 8

/** Maximum devices whose buckets or write checkpoints are looked up in one statement. */
export const LOOKED_UP_TOGETHER_MAX = 64

/** Maximum stream subscriptions per request. Each distinct one queries Postgres whenever keys change. */
export const SUBSCRIPTIONS_MAX = 1_000

/** Maximum buckets per user. With more, the checkpoint line alone would exceed 5 MiB. */
export const BUCKETS_PER_CLIENT_MAX = 50_000

/** Maximum keys per user in a link that narrows access classes; each takes about 200 bytes while queried. With more, the definition is left out. */
export const LINK_KEYS_PER_CLIENT_MAX = 100_000

/** Maximum remembered users who had too many buckets, and remembered authors per such user of the rows that give these buckets. */
export const FLOODED_USERS_MAX = 1_000
export const FLOOD_AUTHORS_MAX = 5

/** Maximum streams that a changed row may concern for its author to be noted with each, because a flood targets a single user. */
export const FLOOD_STREAMS_MAX = 20

/** Maximum access classes above `syncClassesMax` that are counted for the operator; beyond that the number is a lower bound. */
export const LEFT_OUT_CLASSES_MAX = 1_000

/** Maximum remembered authors per list with more classes than their share, each with up to {@link LEFT_OUT_CLASSES_MAX} classes. */
export const LEFT_OUT_AUTHORS_MAX = 100

/** Days for which the creation times of classes are kept after their table stopped using them. */
export const CLASS_ORIGIN_DAYS = 30

/** Interval in ms at which omitted classes are counted again. If there is room for some, the keys of all users are evaluated. */
export const CLASS_RECOUNT_MS = 30_000

/** Maximum remembered bucket downloads, which devices can resume after a disconnect; about 200 bytes each. */
export const DOWNLOADS_MAX = 20_000

/** Compaction threshold: fewer superseded operations than this are not worth a transaction. */
export const COMPACT_SLACK_OPS = 64

/** Superseded operations merged per transaction: about 20 ms of work. */
export const COMPACT_BATCH_OPS_MAX = 2_000

/** Maximum empty buckets in use that compaction remembers to examine again; others wait for the next start. */
export const COMPACT_IN_USE_MAX = 50_000

/** Buckets that compaction examines per statement. */
export const COMPACT_LOOK_BUCKETS = 2_000

/** Maximum remembered compaction steps per bucket. A running download that started before them starts again. */
export const COMPACTED_STEPS_MAX = 256

/** Maximum buckets with remembered compaction steps. */
export const COMPACTED_BUCKETS_MAX = 10_000

/** Lines below this size in bytes are not compressed, because they fit into one packet anyway. */
export const COMPRESS_BYTES_MIN = 1_200

/** Gzip level. Level 1 compresses rows to a sixth; level 6 to a seventh, in three times the time. */
export const COMPRESS_LEVEL = 1

/** Time in ms that a stopping server waits for its devices to reach a checkpoint and reconnect elsewhere. */
export const DRAIN_MS = 1_500

/** Devices that a stopping server sends to other servers per second. */
export const DRAINED_PER_SECOND = 1_000

/**
 * Maximum buckets of a transaction whose sums are held in memory until its end, about 400 bytes each with their names. A transaction with more writes its sums
 * to Postgres before it is complete.
 */
export const BATCH_BUCKETS_MAX = 20_000

/** Bucket ids remembered by name per bucket of {@link BATCH_BUCKETS_MAX}, which saves the change reader queries. */
export const BUCKET_IDS_PER_HELD = 10

/** Buckets emptied per statement. */
export const CLEAR_BUCKETS_MAX = 5_000

/** Bucket sums written per statement. */
export const TOTALS_BUCKETS_MAX = 10_000

/** Maximum bytes of tables that are first read at one snapshot and written in one transaction. Larger ones are read in pieces. */
export const SNAPSHOT_BYTES_MAX = 256 * 1024 * 1024

/**
 * Lock timeout in ms for reading a table, which is then retried. Shorter than Postgres's `deadlock_timeout` of 1 s, so that a deadlock with a user's
 * transaction ends before Postgres has to abort one of the two.
 */
export const READ_LOCK_TIMEOUT_MS = 300

/** Minimum interval in ms between attempts to read a locked table. */
export const LOCKED_RETRY_MS = 1_000

/** Minimum interval in ms between checks whether the transactions that wrote to a table to be read have ended. */
export const WRITERS_RETRY_MS = 200

/** Time in ms that users' transactions may block reading a table before checkpoints proceed without it and operators are told what blocks it. */
export const BLOCKED_MS = 5_000

/**
 * Time in ms that publishing a plan waits for locked tables, all together, because all checkpoints wait for it. Tables locked for longer are left out and
 * retried in the background.
 */
export const PUBLISH_PATIENCE_MS = 400

/** Delay in ms between the last schema change without effect on devices and compiling policies: once for all statements of a migration. */
export const QUIET_COMPILE_MS = 1_000

/** Maximum delay in ms after the first such change, which bounds the age of what operators see of tables. */
export const QUIET_COMPILE_MAX_MS = 30_000

/** Maximum gap in ms between schema changes of one series. Tables that are new to sync wait for the end of the series. */
export const CHANGES_IN_A_ROW_MS = 1_000

/** Delay in ms between the last change of a series that may add a table and compiling in the background, and maximum delay after the first. */
export const APART_COMPILE_MS = 200
export const APART_COMPILE_MAX_MS = 5_000

/**
 * Time in ms that a filled table waits for others, so that they are activated together: at first, and at most if the others take long. Each activation
 * evaluates the keys of all users again.
 */
export const COMPLETED_TOGETHER_MS = 250
export const COMPLETED_TOGETHER_MAX_MS = 2_000

/** First and maximum delay in ms before a plan that is partial because of locks is compiled again in the background. */
export const PARTIAL_RETRY_MS = 500
export const PARTIAL_RETRY_MAX_MS = 5_000

/** Lock timeout in ms for reading the size of a table to be read. A locked table counts as large. */
export const SIZE_LOCK_TIMEOUT_MS = 50

/** Poll interval in ms for the event triggers and privileges that sync depends on: three catalog queries. */
export const PREREQUISITES_POLL_MS = 2_000

/** Heartbeat interval in ms; costs some kilobytes of WAL per minute. */
export const HEARTBEAT_MS = 5_000

/** Maximum silence in ms after a heartbeat. Postgres may take long to decode a large transaction. */
export const HEARTBEAT_PATIENCE_MS = 30_000

/** Poll interval in ms for transactions that block the creation of the slot. */
export const SLOT_LOOK_MS = 1_000

/** Idle time in ms after which an open transaction of a Holdfast server that blocks the creation of the slot counts as abandoned: the server hangs or is stopped. */
export const ABANDONED_MS = 5_000

/** Renewal interval of the lease in ms. */
export const LEASE_RENEWAL_MS = 500

/** Interval in ms at which a standby process polls for the lease. */
export const LEASE_POLL_MS = 100

/** Time in ms without renewal after which a lease is taken over. Spans several renewals, so that a busy process does not count as dead. */
export const LEASE_STALE_MS = 3_000

/** Time in ms that taking the lease waits for sessions that still write the log before it terminates or reports them. */
export const LEASE_LOCK_TIMEOUT_MS = 1_000

/** Connections for writing the log, bucket sums and write checkpoints. */
export const LOG_CONNECTIONS_MAX = 8

/** Lifetime of such a connection in seconds. After a fill, its backend retains some 85 MB until it exits. */
export const LOG_CONNECTION_LIFETIME_S = 600

/**
 * Timeout in ms of a key query for several users in one transaction, in which the others wait for it. A role's own `statement_timeout` takes precedence.
 */
export const KEYS_TIMEOUT_MS = 5_000

/** Timeout in ms of each part of a key query for a single user. Only the part that exceeds it fails. */
export const KEYS_PART_TIMEOUT_MS = 15_000

/**
 * Timeouts in ms after evaluating all access classes of a definition at once took too long: for a few of them, and for all of them in total. Classes that are
 * not evaluated by then are not visible.
 */
export const CLASS_TIMEOUT_MS = 500
export const CLASSES_TIMEOUT_MS = 20_000

/** Concurrent key queries for users whose keys took too long before. The other connections remain for everybody else. */
export const SLOW_EVALUATIONS_MAX = 2

/** Maximum remembered users whose keys took too long, and for how many ms. */
export const SLOW_USERS_MAX = 1_000
export const SLOW_USER_MS = 60_000

/** Delay in ms before keys are reevaluated after a timeout, without which nothing would restore the rows. */
export const RETRY_KEYS_MS = 60_000

/**
 * Time limits in ms for row filters and computed keys: per statement, in addition per row of it, for retrying a single row because the machine may have been
 * busy, and in total before a table is given up. The change reader, and so every user, waits for them.
 */
export const ROW_LIMITS = { statementMs: 500, rowMs: 0.5, retryMs: 2_000, tableMs: 15_000 }

/** Share of time that the slow rows of a table may take continuously. Time beyond it counts towards `ROW_LIMITS.tableMs`. */
export const SLOW_SHARE = 0.2

/** Maximum remembered slow rows, which are not waited for again; about 150 bytes each. */
export const SLOW_ROWS_MAX = 10_000

/** Delay in ms before terminating a session whose statement continues after cancellation. */
export const TERMINATE_AFTER_MS = 1_000

/** Timeout in ms for counting rows by access class under a new policy; the change reader waits for it. */
export const CLASS_COUNT_TIMEOUT_MS = 15_000

/** Distinct policy failures kept for operators. */
export const POLICY_FAILURES_MAX = 500

/** Minimum interval in ms between log lines for a repeated policy failure. */
export const POLICY_FAILURE_LOG_MS = 60_000

/** Maximum characters of the id that a device gives itself, which is a UUID in all known clients. */
export const CLIENT_ID_LENGTH_MAX = 200

/** Maximum number that a device gives a write checkpoint: half of what fits, so that there is always a higher one. */
export const CHECKPOINT_REQUEST_MAX = 2n ** 62n

/** Maximum devices per user whose last write checkpoint is kept. The least recently used are forgotten and get one with their next upload. */
export const DEVICES_PER_PERSON_MAX = 100

/** Days without an upload after which a device's write checkpoint is deleted. */
export const WRITE_CHECKPOINT_DAYS = 90

/** Maximum stale write checkpoints, of any user, deleted when a new device connects. */
export const STALE_DELETED_MAX = 100

/** Maximum characters of a requested stream's name; Postgres's own names have at most 63 bytes. */
export const STREAM_NAME_LENGTH_MAX = 200

/** Maximum characters of a bucket name that a device reports. The server never issues longer ones. */
export const BUCKET_NAME_LENGTH_MAX = 1_000

/** Poll interval in ms for due rows, whose policies compare them with the clock. They change on devices within a second. */
export const DUE_ROWS_POLL_MS = 250

/** Maximum due rows evaluated again at once, because the changes of other users wait for them. */
export const DUE_ROWS_MAX = 1_000

/** Rows per statement that records their next moments. */
export const MOMENTS_WRITTEN_MAX = 2_000

/** Maximum time in ms until keys that depend on the clock are evaluated again, because timers are limited to a few weeks. */
export const KEYS_HOLD_MS_MAX = 24 * 3_600_000

/** Validity in ms of keys for which Postgres could not tell how long they are valid. */
export const KEY_MOMENTS_RETRY_MS = 1_000

/** Time in ms for which the time zone of users' sessions is cached. A change reaches sessions when they connect. */
export const TIME_ZONE_KEPT_MS = 60_000

/** Poll interval in ms for requests that wait until the policies are compiled. */
export const COMPILED_POLL_MS = 50

/** Maximum devices compared with the server concurrently. Each holds a snapshot and a connection of the streams' share. */
export const CHECKS_MAX = 2

/** Timeouts in ms of such a comparison and of each of its statements. A role's own `statement_timeout` takes precedence. */
export const CHECK_TIMEOUT_MS = 120_000
export const CHECK_STATEMENT_TIMEOUT_MS = 10_000

/** Budget for the comparisons of one user: burst in ms, long-term share of time, and minimum cost of each in ms. */
export const CHECK_BUDGET_MS = 60_000
export const CHECK_SHARE = 0.1
export const CHECK_COST_MIN_MS = 500

/** Rows read at once and their approximate bytes, limited because they block the event loop. */
export const SHOWN_ROWS_MAX = 500
export const SHOWN_BYTES = 512 * 1024

/** Maximum characters of a device's user agent and app metadata that are kept for operators. */
export const USER_AGENT_LENGTH_MAX = 200
export const APP_METADATA_LENGTH_MAX = 1_000

/** Maximum distinct user agents in memory. */
export const USER_AGENTS_MAX = 1_000

/** Delay in ms until opened and ended streams are recorded, so that many devices that reconnect together share a statement. */
export const DEVICES_WRITTEN_MS = 2_000

/** Interval in ms between records of a device that stays connected. */
export const DEVICES_SEEN_MS = 5 * 60_000

/** Maximum devices per statement that records them, and ended streams that wait for one. */
export const DEVICES_WRITTEN_MAX = 500
export const ENDED_STREAMS_MAX = 5_000

/** Days for which a device that does not connect any more is listed. */
export const DEVICE_DAYS = 30

/** Devices deleted per pass. */
export const DEVICES_PURGED_MAX = 10_000

/** Devices whose last failed upload is remembered, in memory. */
export const UPLOAD_PROBLEMS_MAX = 2_000

/** Verdicts of a device that operators see, and that its rejected changes are grouped from. */
export const LISTED_UPLOADS = 50
export const GROUPED_UPLOADS_MAX = 1_000

/** Timeout in ms for counting a device's rows, which are left out when it takes longer. */
export const COUNT_ROWS_TIMEOUT_MS = 2_000

/** Limits of comparing a device's buckets with Postgres: operations, rows of the log per statement, listed differences, comparisons at once, and time in ms. */
export const COMPARED_OPERATIONS_MAX = 300_000
export const COMPARED_ROWS_READ = 1_000
export const LISTED_DIFFERENCES_MAX = 100
export const COMPARISONS_MAX = 1
export const COMPARISON_TIMEOUT_MS = 25_000
