/** JSON body limit in bytes. 1,000 keys of 1,024 bytes are one MiB. */
export const JSON_BODY_BYTES_MAX = 2 * 1024 * 1024

/** Object key limit in bytes, as in S3. Postgres indexes allow about 2,700. */
export const KEY_BYTES_MAX = 1_024

/** Bucket name limit in characters, as in Supabase. */
export const BUCKET_NAME_LENGTH_MAX = 100

/** User metadata limit in bytes, as in Supabase. */
export const USER_METADATA_BYTES_MAX = 1024 * 1024

/** Nesting limit of user metadata. Postgres and JavaScript's JSON fail beyond some thousand levels. */
export const USER_METADATA_DEPTH_MAX = 500

/** Form fields beside the file, as in Supabase. */
export const FORM_FIELDS_MAX = 10

/** Bytes of all form fields, which stay in memory during the upload: metadata plus short values. */
export const FORM_FIELDS_BYTES_MAX = USER_METADATA_BYTES_MAX + 64 * 1024

/** Keys per delete or signing request, as in Supabase. */
export const KEYS_PER_REQUEST_MAX = 1_000

/** Rows per page of `list`, as in Supabase's SQL function. */
export const LIST_PAGE_MAX = 1_500

/** Entries per page of `listV2`, as in Supabase. */
export const LIST_V2_PAGE_MAX = 1_000

/** Prefix limit in characters. Longer prefixes match nothing: API keys have at most 1,024 characters, and no index accepts longer names from SQL. */
export const LIST_PREFIX_LENGTH_MAX = 8_192

/** Cursor limit of `listV2` in characters: a name with four bytes per character, plus the position. */
export const CURSOR_LENGTH_MAX = 8_192

/** Objects that one call can empty from a bucket, as in Supabase. Larger buckets are emptied by prefix. */
export const EMPTY_BUCKET_OBJECTS_MAX = 200_000

/** Objects deleted per transaction while emptying a bucket; holds locks for some milliseconds. */
export const EMPTY_BUCKET_STEP = 500

/** Wait in ms for a concurrent write of the same key, as in Supabase. */
export const KEY_LOCK_MS = 5_000

/** Lifetime of a signed upload URL in seconds, as documented by Supabase. */
export const SIGNED_UPLOAD_LIFETIME_S = 7_200

/** Longest lifetime of a signed URL in seconds: a century. Later dates are not portable. */
export const SIGNED_LIFETIME_S_MAX = 3_155_760_000

/** Concurrent uploads. Each holds a file descriptor and one buffer window. */
export const UPLOADS_UNDER_WAY_MAX = 500

/** Concurrent downloads. Each holds a file descriptor and one buffer window. */
export const DOWNLOADS_UNDER_WAY_MAX = 1_000

/** Timeout in ms for a client that stops reading a download. */
export const STALLED_MS = 60_000

/** Downloads up to this many bytes are read at once instead of streamed, without using more memory. */
export const READ_AT_ONCE_BYTES_MAX = 64 * 1024

/** Upload bytes buffered for the disk: several socket chunks, written together. */
export const WRITE_WINDOW_BYTES = 256 * 1024

/** Bytes per file read; a download from disk holds two buffers of this size. */
export const READ_WINDOW_BYTES = 128 * 1024

/** Side length limit of a rendered image in pixels, as in Supabase. */
export const IMAGE_SIDE_MAX = 2_000

/** Source image limit in bytes, as in Supabase. Rendering holds this much in memory. */
export const IMAGE_SOURCE_BYTES_MAX = 25_000_000

/** Source image limit in pixels, as in Supabase. A small file may declare huge dimensions. */
export const IMAGE_PIXELS_MAX = 50_000_000

/** Default quality of rendered images, as in Supabase. */
export const IMAGE_QUALITY = 80

/** Rendering timeout in seconds. The largest images take two. */
export const IMAGE_SECONDS_MAX = 10

/** Images rendered concurrently, one thread each. Postgres and password hashing share the CPU. */
export const IMAGES_AT_ONCE = 2

/** Concurrent requests for rendered images. Queued requests hold only their connection. */
export const TRANSFORMS_UNDER_WAY_MAX = 100

/** Retries of a download whose bytes were replaced after its row was read. */
export const REPLACED_RETRIES_MAX = 3

/** Lifetime of a resumable upload in ms, finished or not, as documented by Supabase. */
export const UPLOAD_LIFETIME_MS = 24 * 60 * 60 * 1_000

/** Unfinished resumable uploads per user. No other limit covers their disk space. */
export const UPLOADS_OF_PERSON_MAX = 100

/** Wait in ms for the previous request on the same upload. It is asked to stop, and disconnected 3 s later. */
export const UPLOAD_LOCK_WAIT_MS = 30_000

/** Interval in ms between searches for expired resumable uploads. */
export const UPLOADS_SWEEP_EVERY_MS = 60 * 60 * 1_000

/** Age in ms at which bytes without a row are deleted. Rows are written within seconds of the last byte. */
export const SWEEP_AGE_MS = 60 * 60 * 1_000

/** Interval in ms between sweeps. Orphaned bytes only cost disk space. */
export const SWEEP_EVERY_MS = 60 * 60 * 1_000

/** Versions or rows looked up per statement while comparing bytes and rows. */
export const VERSIONS_BATCH = 1_000

/** Objects verified concurrently. */
export const VERIFY_AT_ONCE = 8

/** Time in ms that the version of an expired resumable upload stays in use; longer than its last request can take. */
export const UPLOAD_NOTE_GRACE_MS = 2 * 60 * 60 * 1_000

/** Timeout in ms for an S3-compatible store that neither sends nor accepts a byte. */
export const S3_SILENCE_MS = 30_000

/** Connect timeout in ms for an S3-compatible store. */
export const S3_CONNECT_MS = 5_000

/** Timeout in ms for server-side work of an S3-compatible store: copying an object or assembling its parts. */
export const S3_COPY_MS = 5 * 60 * 1_000

/** Attempts per request to an S3-compatible store. */
export const S3_ATTEMPTS_MAX = 3

/** Connections to an S3-compatible store: one per possible download. */
export const S3_SOCKETS_MAX = 1_000

/** Larger objects are sent to an S3-compatible store in parts of this many bytes. Amazon accepts 5 GiB per request and 10,000 parts. */
export const S3_PART_BYTES = 512 * 1024 * 1024

/** Time limit in ms for sending a file in parts, which takes hours on a slow line. Older parts count as abandoned. */
export const S3_SENDING_MS_MAX = 24 * 60 * 60 * 1_000

/** Clock skew in ms allowed for S3 clients, as in S3. An intercepted request can be replayed for this long. */
export const S3_CLOCK_SKEW_MS = 15 * 60 * 1_000

/** Longest lifetime of a presigned S3 URL in seconds: a week, as in S3. */
export const S3_PRESIGNED_LIFETIME_S_MAX = 7 * 24 * 60 * 60

/** Limit in bytes of a line between body chunks: a size, a signature or a trailer. */
export const S3_CHUNK_LINE_BYTES_MAX = 4_096

/** Trailers per body. Clients send one checksum and its signature. */
export const S3_TRAILERS_MAX = 8

/** XML body limit in bytes. 10,000 parts with checksums are 3 MB. */
export const S3_XML_BYTES_MAX = 4 * 1024 * 1024

/** Entries per list page, as in S3. */
export const S3_PAGE_MAX = 1_000

/** Parts per upload, as in S3. */
export const S3_PARTS_MAX = 10_000

/** Part size limit in bytes, as in S3. */
export const S3_UPLOADED_PART_BYTES_MAX = 5 * 1024 ** 3

/** Minimum size in bytes of every part but the last, as in S3. Bounds the number of files and rows. */
export const S3_UPLOADED_PART_BYTES_MIN = 5 * 1024 * 1024

/** Unfinished S3 multipart uploads per user. No other limit covers their disk space. */
export const S3_UPLOADS_OF_PERSON_MAX = 100

/** Lifetime in ms of an unfinished S3 multipart upload: allows resuming after a weekend. */
export const S3_UPLOAD_LIFETIME_MS = 7 * 24 * 60 * 60 * 1_000

/** Time in ms during which completing an S3 upload again returns the same response; longer than clients retry. */
export const S3_COMPLETED_KEPT_MS = 24 * 60 * 60 * 1_000

/** Fields of a POST form upload, as in Supabase. */
export const S3_FORM_FIELDS_MAX = 20

/** Bytes of all form fields, as in S3. */
export const S3_FORM_FIELDS_BYTES_MAX = 20 * 1024

/** Bytes of a resumable upload stored as one part. With S3, each part is a request; a server that dies loses the unfinished one. */
export const UPLOAD_SEGMENT_BYTES = 16 * 1024 * 1024
