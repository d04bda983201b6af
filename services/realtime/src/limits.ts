/** Bytes of one frame of a client, as in Supabase. */
export const FRAME_BYTES_MAX = 5_000_000

/** Frames of one message: clients send one, browsers several of a large one. Each costs memory beside its bytes. */
export const FRAGMENTS_MAX = 256

/** Bytes of a message that has begun to arrive which are not counted: most messages are shorter. */
export const ARRIVING_UNCOUNTED_BYTES = 8 * 1024

/** Bytes that a piece of a message takes beside its own, however small it is. */
export const PIECE_BYTES = 256

/** Bytes that the server keeps for a channel that a client has joined, beside what the join says; and for one subscription to Postgres changes. Measured, rounded up. */
export const MEMBERSHIP_BYTES = 6 * 1024
export const SUBSCRIPTION_BYTES = 1024

/** Bytes that the server keeps for a byte of a join: of texts that are not Latin characters two. */
export const KEPT_PER_BYTE = 2

/** Bytes that a broadcast may have beside its payload of the largest size, as in Supabase. */
export const PAYLOAD_ALLOWANCE_BYTES = 500

/** Bytes of a body of the REST API. Two payloads of the largest size that is configured by default. */
export const BODY_BYTES_MAX = 8_000_000

/** Bytes for one client above which they are written at once: below it, all of one turn of the event loop go together. */
export const WRITE_THROUGH_BYTES = 64 * 1024

/** Milliseconds between two looks at all connections for silence, tokens that have expired and ends that take too long. */
export const SWEEP_EVERY_MS = 1_000

/** Milliseconds that a client has to answer the end of its connection before it is cut off. */
export const CLOSE_PATIENCE_MS = 2_000

/** Milliseconds that a refused join waits for its answer, so that a client that repeats it at once does not do so in a loop. */
export const REFUSAL_DELAY_MS = 250

/** Messages of one channel that wait for one before them. A client that sends more before its join is answered is not read meanwhile. */
export const WAITING_MESSAGES_MAX = 100

/** Milliseconds until the rights of a member are asked again when Postgres could not be asked. */
export const RIGHTS_RETRY_MS = 5_000

/** Members whose rights are asked again at the same time, so that those who join are not kept waiting. */
export const RIGHTS_TOGETHER_MAX = 32

/** Bytes of the name of a topic: what a binary frame can say, less the prefix `realtime:`. */
export const TOPIC_NAME_BYTES_MAX = 246

/** Bytes of the name of an event: what a binary frame can say. */
export const EVENT_NAME_BYTES_MAX = 255

/** Messages of one request of the REST API. */
export const BATCH_MESSAGES_MAX = 1_000

/** Seconds in which the calls for presence of a client are counted, as in Supabase. */
export const PRESENCE_WINDOW_S = 30

/** Bytes of what one member shows of itself: every member of the topic gets all of it when it joins. */
export const PRESENCE_BYTES_MAX = 64 * 1024

/** Objects and arrays within one another in it: it is written again for all who join, which the depth of the stack must never end. */
export const PRESENCE_DEPTH_MAX = 100

/** Messages of the database that wait to be published, and those of one transaction: further ones are dropped. */
export const DATABASE_MESSAGES_WAITING_MAX = 10_000

/** Bytes of their payloads. */
export const DATABASE_BYTES_WAITING_MAX = 32 * 1024 * 1024

/** Milliseconds in which messages of the database are published before the event loop does other things. */
export const DATABASE_PUBLISH_TURN_MS = 10

/** Milliseconds until the position of the log is read again when that failed. */
export const OPENED_AT_RETRY_MS = 1_000

/** Messages that are replayed to who joins, as in Supabase. */
export const REPLAY_MESSAGES_MAX = 25

/** Messages for one member that wait while older ones are read. */
export const REPLAY_HELD_MAX = 1_000

/** Hours that messages of the table are kept, as in Supabase. */
export const MESSAGES_KEPT_HOURS = 72

/** Milliseconds between two looks for partitions that are to be made or dropped. They are made for three days ahead. */
export const PARTITIONS_EVERY_MS = 60 * 60 * 1_000

/** Milliseconds after which that is tried again when it failed, such as while the table is locked. */
export const PARTITIONS_RETRY_MS = 30_000

/** Subscriptions to Postgres changes that one channel may ask for. */
export const POSTGRES_CHANGES_PER_CHANNEL_MAX = 100

/** Values of one filter of Postgres changes, as in Supabase. */
export const FILTER_VALUES_MAX = 100

/** Characters of one filter: 100 values of some hundred each. */
export const FILTER_LENGTH_MAX = 65_536

/** Filters that one statement evaluates. */
export const FILTERS_TOGETHER_MAX = 200

/** Changes of one table that are judged together, and bytes of them. */
export const BATCH_CHANGES_MAX = 200
export const BATCH_BYTES_MAX = 8 * 1024 * 1024

/** Changes of one table that wait to be judged, and bytes of them. Above it those who have subscribed to the table are cut off, and join again. */
export const WAITING_CHANGES_MAX = 20_000
export const WAITING_CHANGES_BYTES_MAX = 32 * 1024 * 1024

/** Changes of one transaction that are told of, and bytes of them: who has subscribed to the tables of a larger one is cut off. */
export const TRANSACTION_CHANGES_MAX = 20_000
export const TRANSACTION_BYTES_MAX = 32 * 1024 * 1024

/** Classes of people that are asked in one transaction: a connection is not held for longer. */
export const CLASSES_TOGETHER_MAX = 50

/** Pairs of a row and a claim that are read from other tables for one batch of changes. Above it, and where it takes too long, all classes are asked. */
export const LINKED_PAIRS_MAX = 20_000

/** Milliseconds that the policies of a table have to judge a batch of changes for one class. */
export const JUDGED_MS = 2_000

/** Milliseconds that Postgres has to print a batch of changes, or to evaluate filters over it. */
export const EVALUATION_MS = 5_000

/** Milliseconds for which the catalog is taken as it was read, also where no event trigger tells of a change: rights of roles have none. */
export const INFO_LIFETIME_MS = 5_000

/** Milliseconds between two looks whether a transaction of the stream has ended for queries, too. */
export const VISIBLE_POLL_MS = 5

/**
 * Milliseconds for which a subscription waits until the stream has its table: one that the answer to a join waits for, for which the client has 10 s; any other; and
 * between two looks.
 */
export const FOLLOWED_JOIN_PATIENCE_MS = 5_000
export const FOLLOWED_PATIENCE_MS = 30_000
export const FOLLOWED_POLL_MS = 50

/** Milliseconds after which a subscription to a table that is not published is looked at again. */
export const UNPUBLISHED_RETRY_MS = 5_000

/** Bytes of a changed row in the stream, as in Supabase: of a larger one only short values are sent. */
export const RECORD_BYTES_MAX = 1024 * 1024

/** Bytes of such a value. */
export const SHORT_VALUE_BYTES = 64
