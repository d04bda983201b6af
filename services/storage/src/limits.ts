/** Bytes of a JSON body of this API. 1,000 keys of 1,024 bytes are one MiB. */
export const JSON_BODY_BYTES_MAX = 2 * 1024 * 1024

/** Bytes of an object's key, as in S3. An index of Postgres takes about 2,700. */
export const KEY_BYTES_MAX = 1_024

/** Characters of the name of a bucket, as in Supabase. */
export const BUCKET_NAME_LENGTH_MAX = 100

/** Bytes of the metadata of its own that a client may give an object, as in Supabase. */
export const USER_METADATA_BYTES_MAX = 1024 * 1024

/** Fields of an upload form beside the file, as in Supabase. */
export const FORM_FIELDS_MAX = 10

/** Keys of one request that deletes objects or signs addresses, as in Supabase. */
export const KEYS_PER_REQUEST_MAX = 1_000

/** Rows of one page of `list`, as in Supabase's SQL function. */
export const LIST_PAGE_MAX = 1_500

/** Entries of one page of `listV2`, as in Supabase. */
export const LIST_V2_PAGE_MAX = 1_000

/** Objects of a bucket that one call empties, as in Supabase. Larger ones are emptied by prefix. */
export const EMPTY_BUCKET_OBJECTS_MAX = 200_000

/** Objects that are deleted in one transaction while a bucket is emptied: some milliseconds of locks. */
export const EMPTY_BUCKET_STEP = 500

/** Milliseconds that a write waits for another one of the same key, as in Supabase. */
export const KEY_LOCK_MS = 5_000

/** Seconds that the address of a signed upload holds, as Supabase documents. */
export const SIGNED_UPLOAD_LIFETIME_S = 7_200

/** Seconds that a signed address may hold: a century, above which dates are not portable. */
export const SIGNED_LIFETIME_S_MAX = 3_155_760_000

/** Uploads whose bodies come in at the same time. Each holds a file descriptor and a window of its body. */
export const UPLOADS_UNDER_WAY_MAX = 500

/** Downloads that are answered at the same time. Each holds a file descriptor and a window of its bytes. */
export const DOWNLOADS_UNDER_WAY_MAX = 1_000

/** Milliseconds in which a client takes nothing of a download before it is cut off. */
export const STALLED_MS = 60_000

/** Bytes that are read from a file at a time. */
export const READ_WINDOW_BYTES = 256 * 1024

/** Times that a download looks for the row again when its bytes were replaced between the two. */
export const REPLACED_RETRIES_MAX = 3

/** Milliseconds after which an upload in parts is given up, finished or not, as Supabase documents. */
export const UPLOAD_LIFETIME_MS = 24 * 60 * 60 * 1_000

/** Unfinished uploads in parts of one person. Their bytes take space that nothing else accounts for. */
export const UPLOADS_OF_PERSON_MAX = 100

/** Milliseconds that a request waits for the one before it to leave the same upload. It is asked to; 3 s later it is cut off. */
export const UPLOAD_LOCK_WAIT_MS = 30_000

/** Milliseconds between two looks for uploads in parts that have expired. */
export const UPLOADS_SWEEP_EVERY_MS = 60 * 60 * 1_000

/** Milliseconds after which bytes without a row are deleted. Their row is written within seconds of their last byte. */
export const SWEEP_AGE_MS = 60 * 60 * 1_000

/** Milliseconds between two sweeps: what is stray takes place, and nothing else. */
export const SWEEP_EVERY_MS = 60 * 60 * 1_000

/** Versions or rows that one statement looks up while bytes and rows are compared. */
export const VERSIONS_BATCH = 1_000

/** Objects whose bytes are compared with their rows at the same time. */
export const VERIFY_AT_ONCE = 8

/** Milliseconds that the version of an expired upload in parts stays in use: longer than its last request may take. */
export const UPLOAD_NOTE_GRACE_MS = 2 * 60 * 60 * 1_000
