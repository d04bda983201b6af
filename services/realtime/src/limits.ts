/** Bytes of one frame of a client, as in Supabase. */
export const FRAME_BYTES_MAX = 5_000_000

/** Bytes that a broadcast may have beside its payload of the largest size, as in Supabase. */
export const PAYLOAD_ALLOWANCE_BYTES = 500

/** Bytes of a body of the REST API. Two payloads of the largest size that is configured by default. */
export const BODY_BYTES_MAX = 8_000_000

/** Milliseconds between two looks at all connections for silence, tokens that have expired and ends that take too long. */
export const SWEEP_EVERY_MS = 1_000

/** Milliseconds that a client has to answer the end of its connection before it is cut off. */
export const CLOSE_PATIENCE_MS = 2_000

/** Milliseconds that a refused join waits for its answer, so that a client that repeats it at once does not do so in a loop. */
export const REFUSAL_DELAY_MS = 250

/** Messages of one channel that wait for one before them. A client that sends more before its join is answered is not read meanwhile. */
export const WAITING_MESSAGES_MAX = 100

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

/** Hours that messages of the table are kept, as in Supabase. */
export const MESSAGES_KEPT_HOURS = 72

/** Milliseconds between two looks for partitions that are to be made or dropped. They are made for three days ahead. */
export const PARTITIONS_EVERY_MS = 60 * 60 * 1_000

/** Milliseconds after which that is tried again when it failed, such as while the table is locked. */
export const PARTITIONS_RETRY_MS = 30_000

/** Subscriptions to Postgres changes that one channel may ask for. */
export const POSTGRES_CHANGES_PER_CHANNEL_MAX = 100
