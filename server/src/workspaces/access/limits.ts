/** Time for one statement, in ms. A table whose policies take longer is not counted. */
export const STATEMENT_MS = 2_000

/** Time for all tables or members of a request, in ms. A user waits for it. */
export const REQUEST_MS = 8_000

/** Records of a table that are counted. */
export const COUNTED_MAX = 10_000

/** Records that are compared one by one. */
export const RECORDS_MAX = 200

/** Tables of a workspace; the limit on creating them is the same. */
export const TABLES_MAX = 100

/** Members whose records a preview counts. */
export const MEMBERS_MAX = 50

/** Requests at once; each holds a connection for up to {@link REQUEST_MS}. */
export const AT_ONCE_MAX = 2

/** Bytes of a request; 32 rules of full length fit. */
export const REQUEST_BYTES_MAX = 262_144
