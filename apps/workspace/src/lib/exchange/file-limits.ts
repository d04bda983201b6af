/** Import size limit in bytes: what a device can read at once. */
export const FILE_BYTES_MAX = 100 * 1024 * 1024
/** Total unpacked size of an XLSX's parts in bytes; a sheet of a hundred thousand rows is about half. */
export const UNPACKED_BYTES_MAX = 128 * 1024 * 1024
/** Columns per file. */
export const COLUMNS_MAX = 400
/** Rows per file: what a device checks in a minute. */
export const ROWS_MAX = 100_000
/** Cells per file including empty ones: about a hundred thousand rows of twenty columns. */
export const CELLS_MAX = 4_000_000
