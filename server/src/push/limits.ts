/** People whose notifications are sent at the same time; one person has one turn at a time. */
export const PEOPLE_MAX = 16

/** Response timeout in ms of a push service. */
export const ANSWER_MS = 10_000

/** Seconds for which a push service keeps a notification for a device that is off. */
export const KEPT_SECONDS = 24 * 3600

/** Time limit in ms per turn for all devices of a user, so slow push services do not delay others. */
export const TURN_MS = 60_000

/** Lease in ms of claimed events: longer than a turn. */
export const CLAIMED_MS = 120_000

/** Attempts for an event that no device accepted, and delays in ms between them. */
export const ATTEMPTS_MAX = 5
export const RETRY_MS = [5_000, 60_000, 600_000, 3_600_000] as const

/** Failures in a row after which a device is forgotten. */
export const FAILURES_MAX = 20

/** Age in ms at which unsent events are dropped. */
export const NEWS_MS = 24 * 3_600_000

/** Interval in ms for deleting old events while any are waiting, and rows per statement. */
export const PRUNE_EVERY_MS = 60_000
export const PRUNE_ROWS = 10_000

/** Events that one turn of a person takes; `holdfast.queue_push` lets as many wait. */
export const EVENTS_MAX = 50

/** More than so many at once are one notification. */
export const SINGLE_MAX = 3

/** Characters of a comment and of a title that a notification has: all of it stays below the 4,096 bytes that push services take. */
export const TEXT_CHARS_MAX = 300
export const TITLE_CHARS_MAX = 120

/** Timeout in ms of a query for what a user may see. */
export const READ_MS = 5_000

/** Seconds for which a signature for a push service holds; RFC 8292 allows 24 hours. */
export const SIGNED_SECONDS = 12 * 3600
