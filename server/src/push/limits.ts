/** Users served concurrently, with one turn per user at a time. */
export const PEOPLE_MAX = 16

/** Response timeout in ms of a push service. */
export const ANSWER_MS = 10_000

/** Time in seconds for which a push service keeps a notification for an offline device. */
export const KEPT_SECONDS = 24 * 3600

/** Time limit in ms per turn for all devices of a user, so slow push services do not delay others. */
export const TURN_MS = 60_000

/** Lease in ms of claimed events: longer than a turn. */
export const CLAIMED_MS = 120_000

/** Attempts for an event that no device accepted, and delays in ms between them. */
export const ATTEMPTS_MAX = 5
export const RETRY_MS = [5_000, 60_000, 600_000, 3_600_000] as const

/** Consecutive failures after which a device is deleted. */
export const FAILURES_MAX = 20

/** Age in ms at which unsent events are dropped. */
export const NEWS_MS = 24 * 3_600_000

/** Interval in ms for deleting old events while any are waiting, and rows per statement. */
export const PRUNE_EVERY_MS = 60_000
export const PRUNE_ROWS = 10_000

/** Events per turn of a user; `holdfast.queue_push` queues the same number at most. */
export const EVENTS_MAX = 50

/** Above this number, events are combined into one notification. */
export const SINGLE_MAX = 3

/** Length limits in characters of a comment and a title, which keep notifications below the 4,096 bytes that push services accept. */
export const TEXT_CHARS_MAX = 300
export const TITLE_CHARS_MAX = 120

/** Timeout in ms of a query for what a user may see. */
export const READ_MS = 5_000

/** Validity in seconds of a signature for a push service; RFC 8292 allows 24 hours. */
export const SIGNED_SECONDS = 12 * 3600
