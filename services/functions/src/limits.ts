/** Concurrent requests per function: what a process handles in a few seconds at some milliseconds of CPU each. */
export const REQUESTS_PER_FUNCTION_MAX = 256

/** Concurrent requests of all functions, with two sockets each. */
export const REQUESTS_MAX = 1_024

/** Start timeout of a function in ms. The first start may download packages. */
export const BOOT_MS = 60_000

/** Timeout in ms from loading to the first connection for `node:http` servers, which do not report that they listen. */
export const LISTEN_MS = 2_000

/** Time in ms during which further requests fail with the error of a failed start. */
export const BOOT_FAILURE_KEPT_MS = 1_000

/** Delay in ms after a function's start before starting the next spare process, so that the first response has priority. */
export const REFILL_AFTER_MS = 250

/** Poll interval in ms for memory and CPU time of a process. */
export const LOOK_EVERY_MS = 250

/** Poll interval in ms for idle processes. */
export const SWEEP_EVERY_MS = 1_000

/** Time in ms that a process gets after `beforeunload`. */
export const UNLOAD_MS = 500

/** Time in ms for open requests to finish on shutdown. */
export const DRAIN_MS = 2_000

/** Keep-alive in ms of an idle connection to a function. */
export const KEEP_CONNECTION_MS = 30_000

/** Wait in ms to learn why a process ended. */
export const END_REASON_MS = 1_000

/** Debounce in ms before reloading functions after a file change. */
export const RELOAD_MS = 100

/** Interval in ms between searches for an unknown function's folder. */
export const REDISCOVER_MS = 1_000

/** Characters per logged line of a function. */
export const LOG_LINE_CHARACTERS_MAX = 10_000

/** Lines per process and {@link LOG_WINDOW_MS}; further ones are only counted. */
export const LOG_LINES_MAX = 1_000
export const LOG_WINDOW_MS = 10_000

/** Limits of `functions logs`: lines and characters per function, and functions. Together at most 16 Mi characters. */
export const KEPT_LOG_LINES_MAX = 1_000
export const KEPT_LOG_CHARACTERS_MAX = 256 * 1_024
export const LOGGED_FUNCTIONS_MAX = 64

/** Functions with metrics. */
export const MEASURED_FUNCTIONS_MAX = 1_000

/** Long-poll timeout in ms for log readers, and their number. */
export const LOG_WAIT_MS_MAX = 25_000
export const LOG_READERS_MAX = 100

/** Address space in MiB that V8 reserves for code and the kernel counts towards the limit. */
export const RESERVED_MB = 560

/** Share of a process's memory for the JavaScript heap; the rest is for buffers, code and Deno. */
export const HEAP_SHARE = 0.75

/** Settings of the functions' role: the timeouts end queries and locks of killed processes. The search path matches Supabase. */
export const DATABASE_ROLE_SETTINGS: Readonly<Record<string, string>> = {
  statement_timeout: `'2min'`,
  idle_in_transaction_session_timeout: `'60s'`,
  client_connection_check_interval: `'5s'`,
  search_path: '"$user", public, extensions',
}

/** Limit in bytes for a process's folder, which holds its temporary files, and for any single file, as on Supabase. */
export const FOLDER_BYTES_MAX = 256 * 1024 * 1024

/** Files and folders in that folder. */
export const FOLDER_FILES_MAX = 10_000

/** Dotenv files and symbolic links denied individually; limited by the command line length. */
export const DENIED_PATHS_MAX = 200

/** Open files per process. */
export const OPEN_FILES_MAX = 4_096
