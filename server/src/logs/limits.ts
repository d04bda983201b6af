/** Size in bytes and age in ms at which a segment is closed. The oldest segment is deleted as a whole. */
export const SEGMENT_BYTES_MAX = 4 * 1024 * 1024
export const SEGMENT_AGE_MAX_MS = 60 * 60_000

/** The log is kept for this time in ms, and in at most this many bytes. */
export const LOG_AGE_MAX_MS = 7 * 24 * 60 * 60_000
export const LOG_BYTES_MAX = 160 * 1024 * 1024

/** Part of a segment that one user, address or function may fill, so that others stay in the log. */
export const SOURCE_SHARE = 0.25

/** Sources counted per segment. Further ones share one part. */
export const SOURCES_MAX = 10_000

/** Lines that wait to be written. Further ones are dropped and counted. */
export const QUEUED_LINES_MAX = 10_000

/** Interval in ms between writes while lines arrive. */
export const FLUSH_MS = 500

/** Length limits in characters; fields of an entry. */
export const MESSAGE_CHARS_MAX = 2_000
export const FIELD_CHARS_MAX = 1_000
export const PATH_CHARS_MAX = 512
export const FIELDS_MAX = 20

/** Bytes read at once, from the end of a segment. */
export const BLOCK_BYTES = 256 * 1024

/** Time in ms of a search. It then returns what it found and where to go on. */
export const SEARCH_MS = 1_500
