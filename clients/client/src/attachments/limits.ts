/** A file of at most so many bytes goes up in one request; a larger one in parts that survive a restart (TUS). 6 MiB. */
export const SINGLE_REQUEST_BYTES_MAX = 6 * 1_048_576
/**
 * A larger file goes up in parts once a single request of it was cut, and one that is fetched goes on from where it was cut, if so much came: what came through stays. What
 * is smaller is as quickly transferred again. 128 KiB.
 */
export const RESUMED_BYTES_MIN = 131_072
/** Bytes in one part of a resumable upload: what hosted servers ask for. 6 MiB. */
export const PART_BYTES = 6 * 1_048_576
/** Files that go up at once: one that hangs must not keep the others waiting. */
export const SENDING_MAX = 2
/** Files that come down at once. With those that go up and the sync stream they leave one of a browser's six connections to changes of rows. */
export const FETCHING_MAX = 2
/** Files that are prepared at once: a phone has no memory for many decoded pictures. */
export const PREPARING_MAX = 2
/** First delay before a file is tried again, in milliseconds; it doubles. */
export const FILE_RETRY_MS_MIN = 5_000
/** The longest delay between two attempts, before the random part, in milliseconds: 10 minutes. */
export const FILE_RETRY_MS_MAX = 600_000
/**
 * The longest wait, whatever the server asks for, in milliseconds: 1 hour. A moment that is further away was written down before the device's clock was set back,
 * and counts as passed.
 */
export const FILE_WAIT_MS_MAX = 3_600_000
/** How often the server may refuse in a way that may pass before a person has to look. */
export const DOUBTFUL_ATTEMPTS_MAX = 5
/** Bytes of other devices' files that are kept here, unless the app says otherwise: 500 MiB. */
export const CACHE_BYTES_MAX = 500 * 1_048_576
/** A transfer that is silent for so long is given up, in milliseconds. */
export const TRANSFER_SILENCE_MS = 30_000
/** Slower lines are not waited for, in bytes a millisecond: 4 KB/s. */
export const SLOWEST_BYTES_A_MS = 4
/** What a system keeps of a sent body on a slow line before it is through, in bytes: 128 KiB. On a faster line it keeps more, for a shorter time. */
export const SOCKET_BYTES = 131_072
/** How far a file is, is written down so often at most, in milliseconds. */
export const PROGRESS_EVERY_MS = 500
/** Bytes without an entry are deleted after this long, in milliseconds: another tab may be about to make the entry. 1 hour. */
export const ORPHAN_AGE_MS = 3_600_000
/** The longest key that storage takes, in bytes. */
export const KEY_BYTES_MAX = 1_024
/** What failed without a state of its own rests for this long, in milliseconds. */
export const REST_MS = 60_000
/** Changes of rows and files are looked at together, in milliseconds. */
export const LOOK_THROTTLE_MS = 30
/** Files that screens show are read again at most this often, in milliseconds. */
export const LIVE_FILES_THROTTLE_MS = 50
/** A file counts as used again after this long, in milliseconds: a list that is scrolled must not write for every picture. */
export const USED_EVERY_MS = 60_000
/** Files that were used within this time are written down together, in milliseconds. */
export const USED_TOGETHER_MS = 500
/** Entries that are made in one transaction. */
export const ENTRIES_TOGETHER = 500
/** Small pictures that are kept without the bytes of their files; a few kilobytes each. */
export const SMALL_PICTURES_MAX = 1_000
/** A larger one is not small, and not kept: 64 KiB. */
export const SMALL_PICTURE_BYTES_MAX = 65_536
/** Small pictures that came within this time are written together, in milliseconds. */
export const SMALL_PICTURES_TOGETHER_MS = 500
