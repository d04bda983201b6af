/** Minimum length of a password in characters. */
export const PASSWORD_CHARS_MIN = 12

/** Length limit in characters of a password that is checked. */
export const PASSWORD_CHARS_MAX = 200

/** Length limits in characters. */
export const EMAIL_CHARS_MAX = 255
export const NAME_CHARS_MAX = 80
export const USER_AGENT_CHARS_MAX = 300

/** Lifetime of an invitation in hours; of the link printed at a start, too. */
export const INVITATION_HOURS = 72

/** A session ends after this many hours without use, and this many days after sign-in. */
export const SESSION_IDLE_HOURS = 12
export const SESSION_DAYS = 14

/** Time in minutes to enter the code of the second factor. */
export const SECOND_FACTOR_MINUTES = 10

/** Interval in seconds between writes of a session's last use. */
export const SESSION_USE_S = 60

/** Sessions of one operator. A further sign-in ends the one unused for longest. */
export const SESSIONS_PER_OPERATOR_MAX = 20

/** Days for which the audit log is kept, and the rows removed per pass. */
export const AUDIT_DAYS = 400
export const AUDIT_PURGE_ROWS = 10_000

/** Rows per page of lists. */
export const PAGE_ROWS = 50
export const PAGE_ROWS_MAX = 200

/** Lifetime in seconds of the session that a support link starts. */
export const SUPPORT_SESSION_S = 3_600

/** Characters of a mail template that are shown. */
export const MAIL_SOURCE_CHARS_MAX = 100_000

/** Users whose devices a search finds. */
export const DEVICE_USERS_MAX = 50

/** Size in bytes of `before` and `after` in the audit log. Larger values are cut. */
export const AUDIT_VALUE_BYTES_MAX = 16 * 1024

/** Length limit in characters of statements, and limits in rows and bytes of what is kept of their results. */
export const SQL_CHARS_MAX = 200_000
export const SQL_ROWS_MAX = 1_000
export const SQL_BYTES_MAX = 4 * 1024 * 1024

/** Default and maximum timeout in seconds, and the time in ms that Postgres has to end a statement itself. */
export const SQL_TIMEOUT_S = 30
export const SQL_TIMEOUT_S_MAX = 600
export const SQL_CANCEL_GRACE_MS = 2_000

/** Interval in ms in which Postgres looks whether the server is still there, so that a statement does not outlive it. */
export const CONNECTION_CHECK_MS = 5_000

/** Concurrent runs: of all operators, and of one. */
export const SQL_RUNNING_MAX = 6
export const SQL_PER_OPERATOR_MAX = 2

/** Runs in an operator's history, and size in bytes of the JSON of a text in the audit log. Longer texts are cut. */
export const HISTORY_MAX = 200
export const HISTORY_TEXT_BYTES_MAX = AUDIT_VALUE_BYTES_MAX - 2 * 1024

/** Length in characters of an error in the audit log, and of the start of a text in lists. */
export const HISTORY_ERROR_CHARS_MAX = 500
export const SQL_START_CHARS = 300

/** Saved queries of an operator, listed ones, and length limit in characters of one. */
export const SAVED_QUERIES_MAX = 200
export const SAVED_LISTED_MAX = 1_000
export const SAVED_CHARS_MAX = 50_000

/** Tables whose names are offered for completion. */
export const NAMES_MAX = 2_000

/** Tables and views listed. */
export const TABLES_MAX = 3_000

/** Foreign keys of the diagram. */
export const RELATIONS_MAX = 5_000

/** Filters of a page of rows, and characters of a filter's value. */
export const FILTERS_MAX = 10
export const FILTER_CHARS_MAX = 10_000

/** Values of a page: rows times columns. */
export const PAGE_CELLS_MAX = 20_000

/** A printed value above this size in bytes is cut to so many characters. */
export const CELL_BYTES_MAX = 600
export const CELL_CHARS_SHOWN = 200

/** Size in bytes up to which a value is loaded whole. */
export const VALUE_BYTES_MAX = 8 * 1024 * 1024

/** Length in characters of a position between pages. A sorted value above it ends paging. */
export const POSITION_CHARS_MAX = 4_000

/** Rows deleted at once, and length in characters of a written value. */
export const DELETED_ROWS_MAX = 100
export const VALUE_CHARS_MAX = 1_000_000

/** Time in ms for a query or change of rows, and for waiting on locks, so that users are not held up. */
export const ROWS_TIMEOUT_MS = 8_000
export const ROWS_LOCK_TIMEOUT_MS = 2_000

/** Length limit in characters of names in requests: Postgres has 63 bytes. */
export const NAME_PG_CHARS_MAX = 63

/** Length limit in characters of a default or condition. */
export const CHANGE_CHARS_MAX = 10_000

/** Time in ms that a change of a table waits for its lock, during which users wait behind it, and that a statement of it may take. */
export const CHANGE_LOCK_TIMEOUT_MS = 2_000
export const CHANGE_TIMEOUT_MS = 20_000

/** Time in ms for one statement or policy of an explanation, and for all of them. */
export const POLICY_TIMEOUT_MS = 2_000
export const EXPLAIN_TIMEOUT_MS = 15_000

/** Length limit in characters of the values of a proposed row. */
export const PROPOSAL_CHARS_MAX = 100_000

/** Scheduled jobs listed, and characters of a run's message. */
export const JOBS_MAX = 500
export const JOB_MESSAGE_CHARS_MAX = 4_000

/** Requests of the database per list, and characters of a response that are shown. */
export const WEBHOOKS_MAX = 100
export const CONTENT_CHARS_SHOWN = 1_000

/** Queues listed, and characters of a message that are shown. */
export const QUEUES_MAX = 100
export const QUEUE_MESSAGE_CHARS_MAX = 4_000

/** Mails listed. */
export const MAILS_MAX = 100

/** Lines of a function's log per request. */
export const LOG_LINES = 200
export const LOG_LINES_MAX = 1_000

/** A call of a function: length limits in characters, number of headers, and concurrent calls of all operators. */
export const FUNCTION_PATH_CHARS_MAX = 4_000
export const FUNCTION_HEADER_CHARS_MAX = 8_000
export const FUNCTION_HEADERS_MAX = 50
export const FUNCTION_BODY_CHARS_MAX = 500_000
export const FUNCTION_CALLS_MAX = 4

/** Buckets listed, and files and folders per page of a folder. */
export const BUCKETS_MAX = 500
export const FOLDER_PAGE = 100

/** Length in characters of names of buckets and files. Names from SQL can be longer than the storage API allows. */
export const BUCKET_CHARS_MAX = 255
export const FILE_KEY_CHARS_MAX = 2_000

/** Time in ms after which counting files is given up. */
export const USAGE_TIMEOUT_MS = 3_000

/** Lifetime in seconds of links for previews and downloads, which a page follows at once; limit of those to share. */
export const FILE_LINK_S = 300
export const SHARED_LINK_DAYS_MAX = 365

/** Width in pixels of the image in a preview. */
export const THUMBNAIL_PX = 640

/** Side in pixels of the images in a list, for dense screens, and how many are signed at once: a page of a folder. */
export const LIST_THUMBNAIL_PX = 80
export const LIST_THUMBNAILS_MAX = 100

/** Files deleted at once, by name and with their folder. */
export const DELETED_FILES_MAX = 100
export const FOLDER_FILES_MAX = 1_000

/** Time in ms for which a preview may hold the locks of its SQL, and for what it reads before and after. */
export const PREVIEW_LOCKED_MS = 10_000
export const PREVIEW_READ_MS = 15_000

/** Time in ms for the rows of one table and user, and what remains after the last of them for the rest of the preview. */
export const PREVIEW_TABLE_MS = 2_000
export const PREVIEW_RESERVE_MS = 1_000

/** Users whose devices a preview compares: sampled, and at most. */
export const PREVIEW_USERS = 5
export const PREVIEW_USERS_MAX = 10

/** Rows of a table and user that a preview compares, and keys and sequences shown. */
export const PREVIEW_ROWS_MAX = 20_000
export const PREVIEW_KEYS_SHOWN = 5
export const PREVIEW_SEQUENCES_SHOWN = 20

/** Channels listed, and members, presence keys and messages listed of one. */
export const CHANNELS_MAX = 1_000
export const CHANNEL_MEMBERS_MAX = 100
export const MESSAGES_MAX = 100

/** Length limits in characters: of topics and events, of a test broadcast, and of what is shown of a message. */
export const TOPIC_CHARS_MAX = 255
export const BROADCAST_CHARS_MAX = 100_000
export const MESSAGE_CHARS_SHOWN = 2_000
