/** Poll interval in ms for users whose morning has come. */
export const LOOK_MS = 60_000

/** Users whose day begins per poll, and concurrent mails. */
export const PEOPLE_PER_LOOK_MAX = 1_000
export const PEOPLE_AT_ONCE = 2

/** Lease in ms: longer than processing takes. */
export const CLAIMED_MS = 300_000

/** Attempts per day to read a user's news. */
export const ATTEMPTS_MAX = 3

/** Timeout in ms of a query for what a user may see. */
export const READ_MS = 10_000

/** Age in days at which news counts as read, as in the app. */
export const UNREAD_DAYS = 30

/** Items listed in a mail; further ones are only counted. */
export const ITEMS_MAX = 40

/** Items read per user. */
export const READ_MAX = 500

/** Length limits in characters of a title, a name and a comment in the mail. */
export const TITLE_CHARS_MAX = 120
export const TEXT_CHARS_MAX = 300

/** Size limit in bytes of an unsubscribe request. */
export const REQUEST_BYTES_MAX = 4_096
