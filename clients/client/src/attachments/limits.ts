/** Files up to this size are uploaded in one request; larger ones in parts that survive a restart (TUS). 6 MiB. */
export const SINGLE_REQUEST_BYTES_MAX = 6 * 1_048_576
/**
 * Minimum size for resuming: a larger file is uploaded in parts after a single request was cut, and a cut download resumes if at least this much arrived.
 * Smaller transfers are repeated just as quickly. 128 KiB.
 */
export const RESUMED_BYTES_MIN = 131_072
/** Part size of resumable uploads in bytes, as hosted servers require. 6 MiB. */
export const PART_BYTES = 6 * 1_048_576
/** Concurrent uploads, so that a hanging one does not block the others. */
export const SENDING_MAX = 2
/** Concurrent downloads. With uploads and the sync stream they leave one of a browser's six connections for row changes. */
export const FETCHING_MAX = 2
/** Files prepared concurrently: a phone has no memory for many decoded images. */
export const PREPARING_MAX = 2
/** First retry delay of a file in ms; it doubles. */
export const FILE_RETRY_MS_MIN = 5_000
/** Maximum retry delay in ms before jitter: 10 minutes. */
export const FILE_RETRY_MS_MAX = 600_000
/** Maximum wait in ms, whatever the server asks for: 1 hour. A later time was recorded before the device's clock was set back, and counts as passed. */
export const FILE_WAIT_MS_MAX = 3_600_000
/** Possibly temporary refusals before the user is asked. */
export const DOUBTFUL_ATTEMPTS_MAX = 5
/** Default cache limit in bytes for files of other devices: 500 MiB. */
export const CACHE_BYTES_MAX = 500 * 1_048_576
/** Timeout in ms of a silent transfer. */
export const TRANSFER_SILENCE_MS = 30_000
/** Minimum transfer rate in bytes per ms: 4 KB/s. */
export const SLOWEST_BYTES_A_MS = 4
/** Bytes of a sent body that the system buffers on a slow connection: 128 KiB. Faster connections buffer more for a shorter time. */
export const SOCKET_BYTES = 131_072
/** Minimum interval in ms for recording progress. */
export const PROGRESS_EVERY_MS = 500
/** Age in ms at which unreferenced bytes are deleted; before, another tab may be about to create their entry. 1 hour. */
export const ORPHAN_AGE_MS = 3_600_000
/** Key limit of storage in bytes. */
export const KEY_BYTES_MAX = 1_024
/** Pause in ms after an unexpected failure. */
export const REST_MS = 60_000
/** Throttle in ms for reacting to changes of rows and files. */
export const LOOK_THROTTLE_MS = 30
/** Throttle in ms for reading displayed files again. */
export const LIVE_FILES_THROTTLE_MS = 50
/** Minimum interval in ms for recording a file's use, so that scrolling does not write for every image. */
export const USED_EVERY_MS = 60_000
/** Delay in ms for recording used files in one batch. */
export const USED_TOGETHER_MS = 500
/** Entries created per transaction. */
export const ENTRIES_TOGETHER = 500
/** Thumbnails kept without their files' bytes; a few kilobytes each. */
export const SMALL_PICTURES_MAX = 1_000
/** Thumbnail limit in bytes: 64 KiB. */
export const SMALL_PICTURE_BYTES_MAX = 65_536
/** Delay in ms for writing thumbnails in one batch. */
export const SMALL_PICTURES_TOGETHER_MS = 500
