/** Maximum operations per `data` line, as in the PowerSync service. */
export const DATA_LINE_OPS_MAX = 1_000

/** Maximum operation bytes per `data` line; a larger operation gets its own line. Clients hold a whole line in memory. */
export const DATA_LINE_BYTES_MAX = 1024 * 1024

/** Bytes of operations in the first `data` lines of a connection, and for the slowest devices: at 4 KB/s, four seconds. */
export const DATA_LINE_BYTES_MIN = 16 * 1024

/** A `data` line of so many bytes of operations waits for its turn: one of them, of whatever device, in each turn of the event loop. */
export const BULK_LINE_BYTES = 32 * 1024

/** Target duration in ms of a `data` line for a slow device, which bounds what a broken connection loses. */
export const SLOW_LINE_MS = 5_000

/**
 * Bytes of documents that are read from the log in one round trip. From some 1 MiB on, Postgres and Node ask the kernel for new memory each time instead of
 * using theirs again, which costs several times what reading does.
 */
export const SLICE_BYTES_MAX = 512 * 1024

/** Average operation size in bytes from which operations are read as separate rows instead of being joined by Postgres. */
export const LARGE_OPS_BYTES = 16 * 1024

/** The same for the slowest devices: what a device that does not read makes the server hold. */
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

/** Bytes of a stream request: a device with 50,000 buckets still fits. */
export const REQUEST_BYTES_MAX = 8 * 1024 * 1024

/** Maximum buckets in a stream request: twice the limit per user, since a device may name buckets it has lost. */
export const REQUEST_BUCKETS_MAX = 100_000

/** Maximum share of all streams per user, so that no account locks out the others. */
export const PERSON_STREAMS_SHARE = 1 / 4

/** Keepalive interval in ms. Clients and proxies wait at least 30 s. */
export const KEEPALIVE_MS = 20_000

/**
 * A device to which not a byte has left for this long is cut off, in milliseconds; it reconnects and resumes. A kernel takes up to 4 MiB for a connection and
 * says that there is room only when a third of it is: at 4 KB/s after six minutes.
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

/** Keys of one person in a link that narrows access classes: each is some 200 bytes in memory while they are asked for. Above it the definition is left out. */
export const LINK_KEYS_PER_CLIENT_MAX = 100_000

/** People who had more buckets than fit, of whom it is remembered who changed what gives them; and how many such authors of each. */
export const FLOODED_PEOPLE_MAX = 1_000
export const FLOOD_AUTHORS_MAX = 5

/** Streams that one changed row may concern for its author to be noted with each: a flood is aimed at a person. */
export const FLOOD_STREAMS_MAX = 20

/** Access classes above `syncClassesMax` that are counted, for the operator: more are "at least so many". */
export const LEFT_OUT_CLASSES_MAX = 1_000

/** Authors with more classes than their share that are remembered for each list, each with up to as many classes as above. */
export const LEFT_OUT_AUTHORS_MAX = 100

/** Days after which it is forgotten when the classes of a table that is no longer followed by them came. */
export const CLASS_ORIGIN_DAYS = 30

/** How often classes that are left out are looked at again, in milliseconds: everybody's keys are asked for when there is room for some. */
export const CLASS_RECOUNT_MS = 30_000

/** Downloads of buckets whose devices can go on after their connection broke, about 200 bytes each. */
export const DOWNLOADS_MAX = 20_000

/** Compaction threshold: fewer superseded operations than this are not worth a transaction. */
export const COMPACT_SLACK_OPS = 64

/** Superseded operations merged per transaction: about 20 ms of work. */
export const COMPACT_BATCH_OPS_MAX = 2_000

/** Empty buckets that a person has, of which compaction remembers to look again; the others wait for the next start. */
export const COMPACT_IN_USE_MAX = 50_000

/** Buckets that compaction examines per statement. */
export const COMPACT_LOOK_BUCKETS = 2_000

/** Steps of compaction that are remembered of a bucket; a download under way that began before them begins again. */
export const COMPACTED_STEPS_MAX = 256

/** Buckets whose steps of compaction are remembered. */
export const COMPACTED_BUCKETS_MAX = 10_000

/** Lines below this size in bytes are not compressed, because they fit into one packet anyway. */
export const COMPRESS_BYTES_MIN = 1_200

/** Gzip level. Level 1 compresses rows to a sixth; level 6 to a seventh, in three times the time. */
export const COMPRESS_LEVEL = 1

/** Time in ms that a stopping server waits for its devices to reach a checkpoint and reconnect elsewhere. */
export const DRAIN_MS = 1_500

/**
 * Buckets of a transaction whose sums wait in memory for its end, about 400 bytes each with their names. Those of a transaction that has more go to Postgres
 * as they come.
 */
export const BATCH_BUCKETS_MAX = 20_000

/** For each of these, buckets whose ids are remembered by name, so that the change reader need not ask Postgres for them. */
export const BUCKET_IDS_PER_HELD = 10

/** Buckets emptied per statement. */
export const CLEAR_BUCKETS_MAX = 5_000

/** Bucket sums written per statement. */
export const TOTALS_BUCKETS_MAX = 10_000

/** Bytes of tables that are read for the first time at one snapshot and written in one transaction; larger ones in pieces. */
export const SNAPSHOT_BYTES_MAX = 256 * 1024 * 1024

/**
 * How long reading a table waits for a lock of a user before it leaves and is tried again, in milliseconds: shorter than Postgres's `deadlock_timeout` of a
 * second, so that a deadlock with a user's transaction ends before Postgres has to choose one of the two.
 */
export const READ_LOCK_TIMEOUT_MS = 300

/** Minimum interval in ms between attempts to read a locked table. */
export const LOCKED_RETRY_MS = 1_000

/** How often to look whether transactions have ended that have written to a table that is to be read, at most, in milliseconds. */
export const WRITERS_RETRY_MS = 200

/** How long transactions of users may keep a table from being read before checkpoints go on without it, and operators are told whom it waits for, in milliseconds. */
export const BLOCKED_MS = 5_000

/**
 * How long publishing the tables of a plan waits for all tables that are locked, together, in milliseconds: everyone's checkpoints wait for it. A table that
 * is locked longer is left out and tried again in the background.
 */
export const PUBLISH_PATIENCE_MS = 400

/** How long after the last change of the schema that no device sees policies are compiled, in milliseconds: once for the statements of a migration. */
export const QUIET_COMPILE_MS = 1_000

/** The same after the first of them, at most, in milliseconds: what operators are told of tables is not older. */
export const QUIET_COMPILE_MAX_MS = 30_000

/** Changes of the schema are in a row when there is no more time between them, in milliseconds: tables that are new to sync wait for their end. */
export const CHANGES_IN_A_ROW_MS = 1_000

/** How long after the last change in a row that may bring a table policies are compiled in the background, in milliseconds, and after the first at most. */
export const APART_COMPILE_MS = 200
export const APART_COMPILE_MAX_MS = 5_000

/**
 * How long a table that was filled waits for others, so that they come into use together, in milliseconds: at first, and at most when the others take long. The
 * keys of everybody are evaluated again each time.
 */
export const COMPLETED_TOGETHER_MS = 250
export const COMPLETED_TOGETHER_MAX_MS = 2_000

/** Wait before a plan that is partial because of locks is compiled again in the background: the first and the longest, in milliseconds. */
export const PARTIAL_RETRY_MS = 500
export const PARTIAL_RETRY_MAX_MS = 5_000

/** How long the size of a table that is to be read is waited for, in milliseconds: while a user has the table locked, it is taken for large. */
export const SIZE_LOCK_TIMEOUT_MS = 50

/** How often event triggers and rights are looked at that sync depends on, in milliseconds: three queries of the catalog. */
export const PREREQUISITES_POLL_MS = 2_000

/** Heartbeat interval in ms; costs some kilobytes of WAL per minute. */
export const HEARTBEAT_MS = 5_000

/** Maximum silence in ms after a heartbeat. Postgres may take long to decode a large transaction. */
export const HEARTBEAT_PATIENCE_MS = 30_000

/** Poll interval in ms for transactions that block the creation of the slot. */
export const SLOT_LOOK_MS = 1_000

/** Renewal interval of the lease in ms. */
export const LEASE_RENEWAL_MS = 500

/** Interval in ms at which a standby process polls for the lease. */
export const LEASE_POLL_MS = 100

/** Time in ms without renewal after which a lease is taken over. Spans several renewals, so that a busy process does not count as dead. */
export const LEASE_STALE_MS = 3_000

/** How long taking the lease waits for whatever still writes the log, in milliseconds, before that is ended or named. */
export const LEASE_LOCK_TIMEOUT_MS = 1_000

/** Connections for writing the log, bucket sums and write checkpoints. */
export const LOG_CONNECTIONS_MAX = 8

/** Lifetime of such a connection in seconds. After a fill, its backend retains some 85 MB until it exits. */
export const LOG_CONNECTION_LIFETIME_S = 600

/**
 * How long a question for keys may take when several people are asked for in one transaction, in milliseconds: the others wait for it. A role's own
 * `statement_timeout` comes before it.
 */
export const KEYS_TIMEOUT_MS = 5_000

/** How long each part of such a question may take when a person is asked for alone, in milliseconds. What takes longer fails, and only that. */
export const KEYS_PART_TIMEOUT_MS = 15_000

/**
 * Once asking for all access classes of a definition has taken too long: how long it may take for a few of them, and how long all of that may take, in
 * milliseconds. Classes that are not asked for by then are not seen.
 */
export const CLASS_TIMEOUT_MS = 500
export const CLASSES_TIMEOUT_MS = 20_000

/** Questions of people whose keys have taken too long before that are asked at once: the other connections are for everybody else. */
export const SLOW_EVALUATIONS_MAX = 2

/** People whose keys have taken too long that are remembered, and for how many milliseconds. */
export const SLOW_PEOPLE_MAX = 1_000
export const SLOW_PERSON_MS = 60_000

/** Delay in ms before keys are reevaluated after a timeout, without which nothing would restore the rows. */
export const RETRY_KEYS_MS = 60_000

/**
 * How long row filters and computed keys may take, in milliseconds: a statement, for each row of it in addition, a row that is tried once more because the
 * machine may have been busy, and all of a table before it is given up. The change reader, and so everybody, waits for them.
 */
export const ROW_LIMITS = { statementMs: 500, rowMs: 0.5, retryMs: 2_000, tableMs: 15_000 }

/** The part of all time that slow rows of one table may take for as long as they come: time beyond it adds up to `ROW_LIMITS.tableMs`. */
export const SLOW_SHARE = 0.2

/** Maximum remembered slow rows, which are not waited for again; about 150 bytes each. */
export const SLOW_ROWS_MAX = 10_000

/** Delay in ms before terminating a session whose statement continues after cancellation. */
export const TERMINATE_AFTER_MS = 1_000

/** How long rows may be counted by access class when a policy is new, in milliseconds: the change reader waits. */
export const CLASS_COUNT_TIMEOUT_MS = 15_000

/** Distinct policy failures kept for operators. */
export const POLICY_FAILURES_MAX = 500

/** Minimum interval in ms between log lines for a repeated policy failure. */
export const POLICY_FAILURE_LOG_MS = 60_000

/** Characters of the id that a device gives itself, which is a UUID in all known clients. */
export const CLIENT_ID_LENGTH_MAX = 200

/** Devices of one person whose last write checkpoint is kept. Those that have asked for none for longest are forgotten, and get one with their next upload. */
export const DEVICES_PER_PERSON_MAX = 100

/** Days without an upload after which a device's write checkpoint is deleted. */
export const WRITE_CHECKPOINT_DAYS = 90

/** Maximum stale write checkpoints, of any user, deleted when a new device connects. */
export const STALE_DELETED_MAX = 100

/** Characters of the name of a stream that a device asks for; Postgres's own names have at most 63 bytes. */
export const STREAM_NAME_LENGTH_MAX = 200

/** Characters of the name of a bucket that a device says it has: longer ones were never given out. */
export const BUCKET_NAME_LENGTH_MAX = 1_000

/** How often to look for rows whose policies compare them with the clock and whose moment has come, in milliseconds; they change on devices within a second. */
export const DUE_ROWS_POLL_MS = 250

/** Such rows that are evaluated again at once: the changes of other people wait for no more than these. */
export const DUE_ROWS_MAX = 1_000

/** Rows per statement that records their next moments. */
export const MOMENTS_WRITTEN_MAX = 2_000

/** Milliseconds after which keys are evaluated again where the clock decides about them, at the latest: timers count no further than some weeks. */
export const KEYS_HOLD_MS_MAX = 24 * 3_600_000

/** How long keys hold when Postgres could not tell how long they hold, in milliseconds. */
export const KEY_MOMENTS_RETRY_MS = 1_000

/** How long the time zone of people's sessions is remembered, in milliseconds: a change of it reaches sessions as they connect. */
export const TIME_ZONE_KEPT_MS = 60_000

/** Poll interval in ms for requests that wait until the policies are compiled. */
export const COMPILED_POLL_MS = 50

/** Devices that are compared with the server at once: each holds a snapshot and a connection of the streams' share. */
export const CHECKS_MAX = 2

/** How long one such request may take, and one statement of it, in milliseconds. A role's own `statement_timeout` comes before it. */
export const CHECK_TIMEOUT_MS = 120_000
export const CHECK_STATEMENT_TIMEOUT_MS = 10_000

/** What one person's requests may take at once, in milliseconds, the part of all time that they may take in the long run, and what each counts at least. */
export const CHECK_BUDGET_MS = 60_000
export const CHECK_SHARE = 0.1
export const CHECK_COST_MIN_MS = 500

/** Rows that are read at once, and about how many bytes of them: the event loop is held meanwhile. */
export const SHOWN_ROWS_MAX = 500
export const SHOWN_BYTES = 512 * 1024
