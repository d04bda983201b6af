/** A file that is imported, in bytes: what a device reads at once without running out of memory. */
export const FILE_BYTES_MAX = 100 * 1024 * 1024
/** What the parts of an XLSX may unpack to, together: a sheet of a hundred thousand rows is about half of it. Bytes. */
export const UNPACKED_BYTES_MAX = 128 * 1024 * 1024
/** Columns of a file. */
export const COLUMNS_MAX = 400
/** Rows of a file: as many as a device checks in a minute. */
export const ROWS_MAX = 100_000
/** Cells of a file, with the empty ones: a hundred thousand rows of twenty columns, and some. */
export const CELLS_MAX = 4_000_000
