/** Buckets of one batch noted for followers. With more, followers read the sums of their buckets again. */
export const NOTED_BUCKETS_MAX = 20_000

/** Operations and document bytes of one batch passed to followers with its note. More are read from the log by each stream. */
export const NOTED_OPS_MAX = 5_000
export const NOTED_DOC_BYTES_MAX = 1024 * 1024

/** Time in ms for which notes are kept. A follower that is further behind starts again at the log's end. */
export const NOTES_KEPT_MS = 60_000

/** Interval in ms at which old notes are deleted. */
export const NOTES_PRUNE_MS = 10_000

/** Notes that a follower reads at once. */
export const NOTES_READ_MAX = 200

/** Interval in ms at which a follower looks for notes whose announcement was lost. */
export const NOTES_POLL_MS = 1_000

/** Poll interval in ms until a new follower serves. */
export const FOLLOW_POLL_MS = 50

/** Delay in ms before a follower connects again. */
export const FOLLOW_RETRY_MS = 250

/** Time in ms that connected devices wait for a new follower to serve, before they are told to reconnect. */
export const FOLLOW_PATIENCE_MS = 5_000
