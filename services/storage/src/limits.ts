/** Bytes of a JSON body of this API. 1,000 keys of 1,024 bytes are one MiB. */
export const JSON_BODY_BYTES_MAX = 2 * 1024 * 1024

/** Bytes of an object's key, as in S3. An index of Postgres takes about 2,700. */
export const KEY_BYTES_MAX = 1_024

/** Characters of the name of a bucket, as in Supabase. */
export const BUCKET_NAME_LENGTH_MAX = 100

/** Bytes of the metadata of its own that a client may give an object, as in Supabase. */
export const USER_METADATA_BYTES_MAX = 1024 * 1024

/** Objects and arrays within each other in the metadata of a client. Postgres and JSON of JavaScript take some thousands, and fail at more. */
export const USER_METADATA_DEPTH_MAX = 500

/** Fields of an upload form beside the file, as in Supabase. */
export const FORM_FIELDS_MAX = 10

/** Bytes of all fields of an upload form, which are in memory while its file comes: the metadata, and what is short. */
export const FORM_FIELDS_BYTES_MAX = USER_METADATA_BYTES_MAX + 64 * 1024

/** Keys of one request that deletes objects or signs addresses, as in Supabase. */
export const KEYS_PER_REQUEST_MAX = 1_000

/** Rows of one page of `list`, as in Supabase's SQL function. */
export const LIST_PAGE_MAX = 1_500

/** Entries of one page of `listV2`, as in Supabase. */
export const LIST_V2_PAGE_MAX = 1_000

/** Characters that keys are looked for by. Longer ones find nothing: the API makes no key of more than 1,024, and no index takes one that long from SQL. */
export const LIST_PREFIX_LENGTH_MAX = 8_192

/** Characters of a cursor of `listV2`: a name of four bytes for each character, and where the page ended. */
export const CURSOR_LENGTH_MAX = 8_192

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

/** Bytes of a download that are read at once, instead of as a stream. One download has no more of them in memory than of a stream. */
export const READ_AT_ONCE_BYTES_MAX = 64 * 1024

/** Bytes of an upload that wait for the disk: some pieces of a socket, so that they are written together. */
export const WRITE_WINDOW_BYTES = 256 * 1024

/** Bytes that are read from a file at a time; a download from disk has two of them. */
export const READ_WINDOW_BYTES = 128 * 1024

/** Pixels of a side of an image that is drawn, as in Supabase. */
export const IMAGE_SIDE_MAX = 2_000

/** Bytes of an image that others are drawn of, as in Supabase. As many are in memory while it is drawn. */
export const IMAGE_SOURCE_BYTES_MAX = 25_000_000

/** Pixels of an image that others are drawn of, as in Supabase: what a few bytes may claim to be. */
export const IMAGE_PIXELS_MAX = 50_000_000

/** Quality of a drawn image, as in Supabase, unless the request says another. */
export const IMAGE_QUALITY = 80

/** Seconds after which the drawing of an image is given up. The largest take two. */
export const IMAGE_SECONDS_MAX = 10

/** Images that are drawn at the same time, each on one thread. Requests to Postgres and passwords share the processors. */
export const IMAGES_AT_ONCE = 2

/** Requests for drawn images under way; the others wait for their turn with their connection and nothing else. */
export const TRANSFORMS_UNDER_WAY_MAX = 100

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

/** Milliseconds between two sweeps: stray bytes take space, and nothing else. */
export const SWEEP_EVERY_MS = 60 * 60 * 1_000

/** Versions or rows that one statement looks up while bytes and rows are compared. */
export const VERSIONS_BATCH = 1_000

/** Objects whose bytes are compared with their rows at the same time. */
export const VERIFY_AT_ONCE = 8

/** Milliseconds that the version of an expired upload in parts stays in use: longer than its last request may take. */
export const UPLOAD_NOTE_GRACE_MS = 2 * 60 * 60 * 1_000

/** Milliseconds in which an S3-compatible store takes no byte, gives none, or does not answer, before a request to it has failed. */
export const S3_SILENCE_MS = 30_000

/** Milliseconds that a connection to an S3-compatible store may take. */
export const S3_CONNECT_MS = 5_000

/** Milliseconds that an S3-compatible store may take for what it does by itself: a copy, or an object of its parts. */
export const S3_COPY_MS = 5 * 60 * 1_000

/** Times that a request is sent to an S3-compatible store. */
export const S3_ATTEMPTS_MAX = 3

/** Connections to an S3-compatible store: as many as there may be downloads, each of which holds one. */
export const S3_SOCKETS_MAX = 1_000

/** Bytes above which an object goes to an S3-compatible store in parts of this size. Amazon takes 5 GiB at once, and 10,000 parts. */
export const S3_PART_BYTES = 512 * 1024 * 1024

/** Milliseconds that a file may take to an S3-compatible store in parts: a large one takes hours over a slow line. Older parts count as left behind. */
export const S3_SENDING_MS_MAX = 24 * 60 * 60 * 1_000

/** Milliseconds that the clock of an S3 client may be off, as in S3. A request that was seen can be repeated for as long. */
export const S3_CLOCK_SKEW_MS = 15 * 60 * 1_000

/** Seconds that a presigned address of S3 may hold: a week, as in S3. */
export const S3_PRESIGNED_LIFETIME_S_MAX = 7 * 24 * 60 * 60

/** Bytes of a line between the chunks of a body: a size, a signature, or a trailer. */
export const S3_CHUNK_LINE_BYTES_MAX = 4_096

/** Trailers of a body. Clients send one checksum and its signature. */
export const S3_TRAILERS_MAX = 8

/** Bytes of a body that is XML. 10,000 parts with a checksum each are 3 MB. */
export const S3_XML_BYTES_MAX = 4 * 1024 * 1024

/** Entries of one page of a list, as in S3. */
export const S3_PAGE_MAX = 1_000

/** Parts of one upload, as in S3. */
export const S3_PARTS_MAX = 10_000

/** Bytes of one part, as in S3. */
export const S3_UPLOADED_PART_BYTES_MAX = 5 * 1024 ** 3

/** Bytes of every part but the last, as in S3. Smaller ones are files and rows that nothing else bounds. */
export const S3_UPLOADED_PART_BYTES_MIN = 5 * 1024 * 1024

/** Uploads in parts over S3 that one person may have begun and not ended. Their bytes take space that nothing else accounts for. */
export const S3_UPLOADS_OF_PERSON_MAX = 100

/** Milliseconds after which an upload in parts over S3 that has not ended is given up: what clients and people take up again after a weekend. */
export const S3_UPLOAD_LIFETIME_MS = 7 * 24 * 60 * 60 * 1_000

/** Milliseconds in which a completed upload of S3 can be completed again, with the same answer: longer than any client repeats a request. */
export const S3_COMPLETED_KEPT_MS = 24 * 60 * 60 * 1_000

/** Fields of a form that posts an object, as in Supabase. */
export const S3_FORM_FIELDS_MAX = 20

/** Bytes of all of them, as in S3. */
export const S3_FORM_FIELDS_BYTES_MAX = 20 * 1024
