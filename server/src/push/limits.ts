/** People whose notifications are sent at the same time; one person has one turn at a time. */
export const PEOPLE_MAX = 16

/** Milliseconds that a push service has to answer. */
export const ANSWER_MS = 10_000

/** Seconds for which a push service keeps a notification for a device that is off. */
export const KEPT_SECONDS = 24 * 3600

/** Milliseconds that all devices of a person have in one turn: whose push services are slow does not keep others waiting for longer. */
export const TURN_MS = 60_000

/** Milliseconds for which what was claimed is not sent by another server: longer than a turn takes. */
export const CLAIMED_MS = 120_000

/** How often something is tried that no device of the person took, and milliseconds until the next time. */
export const ATTEMPTS_MAX = 5
export const RETRY_MS = [5_000, 60_000, 600_000, 3_600_000] as const

/** Failures in a row after which a device is forgotten. */
export const FAILURES_MAX = 20

/** Milliseconds after which what was not sent is no news any more. */
export const NEWS_MS = 24 * 3_600_000

/** Milliseconds between two deletions of old events, as long as any wait, and how many rows one statement deletes. */
export const PRUNE_EVERY_MS = 60_000
export const PRUNE_ROWS = 10_000

/** Events that one turn of a person takes; `holdfast.queue_push` lets as many wait. */
export const EVENTS_MAX = 50

/** More than so many at once are one notification. */
export const SINGLE_MAX = 3

/** Characters of a comment and of a title that a notification has: all of it stays below the 4,096 bytes that push services take. */
export const TEXT_CHARS_MAX = 300
export const TITLE_CHARS_MAX = 120

/** Milliseconds that the question may take what a person may see. */
export const READ_MS = 5_000

/** Seconds for which a signature for a push service holds; RFC 8292 allows 24 hours. */
export const SIGNED_SECONDS = 12 * 3600
