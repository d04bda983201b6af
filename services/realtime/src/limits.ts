/** Frame size limit in bytes, as in Supabase. */
export const FRAME_BYTES_MAX = 5_000_000

/** Frames per message: clients send one, browsers fragment large messages. Each costs memory beyond its bytes. */
export const FRAGMENTS_MAX = 256

/** Bytes of an arriving message that are not accounted for; most messages are shorter. */
export const ARRIVING_UNCOUNTED_BYTES = 8 * 1024

/** Memory overhead of a message fragment in bytes. */
export const PIECE_BYTES = 256

/** Memory of a joined channel (beside its join payload) and of a subscription to Postgres changes, in bytes. Measured and rounded up. */
export const MEMBERSHIP_BYTES = 6 * 1024
export const SUBSCRIPTION_BYTES = 1024

/** Memory per byte of a join: non-Latin strings take two. */
export const KEPT_PER_BYTE = 2

/** Bytes allowed for a broadcast beyond the maximum payload, as in Supabase. */
export const PAYLOAD_ALLOWANCE_BYTES = 500

/** REST body limit in bytes: two payloads of the default maximum size. */
export const BODY_BYTES_MAX = 8_000_000

/** Write buffer per client in bytes: smaller amounts are written once per event loop turn. */
export const WRITE_THROUGH_BYTES = 64 * 1024

/** Interval in ms for checking connections for silence, expired tokens and slow closing. */
export const SWEEP_EVERY_MS = 1_000

/** Time in ms for a client to acknowledge closing before it is disconnected. */
export const CLOSE_PATIENCE_MS = 2_000

/** Delay in ms of a join refusal, so that clients that retry immediately do not loop. */
export const REFUSAL_DELAY_MS = 250

/** Queued messages per channel. A client that sends more before its join is answered is not read until then. */
export const WAITING_MESSAGES_MAX = 100

/** Delay in ms before retrying a failed recheck of rights. */
export const RIGHTS_RETRY_MS = 5_000

/** Concurrent rechecks of rights, so that joins are not delayed. */
export const RIGHTS_TOGETHER_MAX = 32

/** Topic name limit in bytes: the maximum in a binary frame minus the prefix `realtime:`. */
export const TOPIC_NAME_BYTES_MAX = 246

/** Event name limit in bytes: the maximum in a binary frame. */
export const EVENT_NAME_BYTES_MAX = 255

/** Messages per REST request. */
export const BATCH_MESSAGES_MAX = 1_000

/** Window in seconds for the rate of presence calls, as in Supabase. */
export const PRESENCE_WINDOW_S = 30

/** Presence limit per member in bytes: everyone who joins the topic receives it. */
export const PRESENCE_BYTES_MAX = 64 * 1024

/** Nesting limit of presence: it is serialized for each join and must never overflow the stack. */
export const PRESENCE_DEPTH_MAX = 100

/** Database messages waiting to be published, also per transaction; further ones are dropped. */
export const DATABASE_MESSAGES_WAITING_MAX = 10_000

/** Bytes of their payloads. */
export const DATABASE_BYTES_WAITING_MAX = 32 * 1024 * 1024

/** Time budget in ms per event loop turn for publishing database messages. */
export const DATABASE_PUBLISH_TURN_MS = 10

/** Delay in ms before reading the log position again after a failure. */
export const OPENED_AT_RETRY_MS = 1_000

/** Replayed messages per join, as in Supabase. */
export const REPLAY_MESSAGES_MAX = 25

/** Live messages held per member during a replay. */
export const REPLAY_HELD_MAX = 1_000

/** Retention of messages in hours, as in Supabase. */
export const MESSAGES_KEPT_HOURS = 72

/** Interval in ms for creating and dropping partitions. Partitions are created three days ahead. */
export const PARTITIONS_EVERY_MS = 60 * 60 * 1_000

/** Delay in ms before retrying after a failure, such as a locked table. */
export const PARTITIONS_RETRY_MS = 30_000

/** Postgres changes subscriptions per channel. */
export const POSTGRES_CHANGES_PER_CHANNEL_MAX = 100

/** Values per filter of Postgres changes, as in Supabase. */
export const FILTER_VALUES_MAX = 100

/** Filter length limit in characters: 100 values of some hundred each. */
export const FILTER_LENGTH_MAX = 65_536

/** Filters evaluated per statement. */
export const FILTERS_TOGETHER_MAX = 200

/** Batch limits for changes of one table: number and bytes. */
export const BATCH_CHANGES_MAX = 200
export const BATCH_BYTES_MAX = 8 * 1024 * 1024

/** Queue limits for changes of one table: number and bytes. Beyond them, its subscribers are disconnected and join again. */
export const WAITING_CHANGES_MAX = 20_000
export const WAITING_CHANGES_BYTES_MAX = 32 * 1024 * 1024

/** Limits for changes of one transaction: number and bytes. Subscribers to tables of a larger one are disconnected. */
export const TRANSACTION_CHANGES_MAX = 20_000
export const TRANSACTION_BYTES_MAX = 32 * 1024 * 1024

/** Access classes evaluated per transaction, to release the connection early. */
export const CLASSES_TOGETHER_MAX = 50

/** Pairs of row and claim read from other tables per batch. Beyond that, or on a timeout, all classes are evaluated. */
export const LINKED_PAIRS_MAX = 20_000

/** Timeout in ms for judging a batch of changes for one class. */
export const JUDGED_MS = 2_000

/** Timeout in ms for printing a batch of changes or evaluating filters on it. */
export const EVALUATION_MS = 5_000

/** Lifetime in ms of catalog information. Event triggers invalidate it earlier, but do not cover role rights. */
export const INFO_LIFETIME_MS = 5_000

/** Poll interval in ms for a streamed transaction to become visible to queries. */
export const VISIBLE_POLL_MS = 5

/** Wait in ms for a table to appear in the stream: during a join, for which clients allow 10 s; otherwise; and the poll interval. */
export const FOLLOWED_JOIN_PATIENCE_MS = 5_000
export const FOLLOWED_PATIENCE_MS = 30_000
export const FOLLOWED_POLL_MS = 50

/** Interval in ms for rechecking a subscription to an unpublished table. */
export const UNPUBLISHED_RETRY_MS = 5_000

/** Row size limit in bytes, as in Supabase: of a larger row only short values are sent. */
export const RECORD_BYTES_MAX = 1024 * 1024

/** Size limit of such a value in bytes. */
export const SHORT_VALUE_BYTES = 64

/** Interval in ms at which a node checks the others, and checks per sign of life. */
export const BUS_CHECK_MS = 500
export const BUS_CHECKS_PER_BEAT = 2

/** Checks without a message until the presence of another node leaves: 4 s. Until it is forgotten: 10 minutes. */
export const BUS_GONE_CHECKS = 8
export const BUS_FORGOTTEN_CHECKS = 1_200

/** Channels per request for presence. */
export const BUS_REQUEST_CHANNELS_MAX = 500

/** Size limit in bytes of a message between nodes: above the presence of a topic, and a broadcast of the largest size. */
export const BUS_MESSAGE_BYTES_MAX = 64 * 1024 * 1024

/** Frames waiting to be sent or to be read, each: number and bytes. Further ones are dropped, which the receivers notice. */
export const BUS_WAITING_MAX = 20_000
export const BUS_WAITING_BYTES_MAX = 32 * 1024 * 1024

/** Frames and bytes per statement. */
export const BUS_STATEMENT_FRAMES_MAX = 500
export const BUS_STATEMENT_BYTES_MAX = 2 * 1024 * 1024

/** Frame size limit in bytes of NOTIFY, whose payload has at most 7,999 characters of base64. Longer frames are stored. */
export const BUS_NOTIFIED_BYTES_MAX = 5_900

/** Size limit in bytes of a stored frame. */
export const BUS_STORED_BYTES_MAX = 1024 * 1024

/** Lifetime in seconds of a stored frame, and the interval in ms for deleting expired ones. */
export const BUS_STORED_S = 60
export const BUS_CLEANUP_MS = 30_000

/** Age in ms at which unsent frames are dropped, and the delay before sending again after a failure. */
export const BUS_STALE_MS = 5_000
export const BUS_RETRY_MS = 200

/** Time in ms for sending what waits while the server closes. */
export const BUS_CLOSE_PATIENCE_MS = 1_000

/** Timeout in ms for connecting to NATS, delay before the next attempt, and interval of probes: a dead connection is noticed within three. */
export const NATS_CONNECT_MS = 2_000
export const NATS_RETRY_MS = 500
export const NATS_PING_MS = 2_000

/** Interval in ms at which a server renews its wish for table changes of another, and checks after which the reader no longer passes them on. */
export const SHARED_CHECK_MS = 1_000
export const FORWARDED_FOR_CHECKS = 5

/** Wait in ms for the server that reads the changes, when a client subscribes on another. */
export const SHARED_READY_MS = 3_000

/** Tables in a wish; beyond that, changes of all tables are passed on. */
export const WANTED_TABLES_MAX = 500
