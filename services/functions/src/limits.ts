/** Requests that one function may have open: what a process answers in some seconds even if each takes some milliseconds of it. */
export const REQUESTS_PER_FUNCTION_MAX = 256

/** Requests that all functions may have open, each with two sockets. */
export const REQUESTS_MAX = 1_024

/** Milliseconds that a function has to begin to serve. The first time its packages may have to be downloaded. */
export const BOOT_MS = 60_000

/** Milliseconds between the end of loading and the first connection, for servers of `node:http`, which do not tell when they listen. */
export const LISTEN_MS = 2_000

/** Milliseconds for which a failure to start answers all further requests of a function. */
export const BOOT_FAILURE_KEPT_MS = 1_000

/** Milliseconds after the start of a function until the next process to wait is started: the first answer goes before. */
export const REFILL_AFTER_MS = 250

/** Milliseconds between two looks at the memory and the processor time of a process. */
export const LOOK_EVERY_MS = 250

/** Milliseconds between two looks for processes that are not needed any more. */
export const SWEEP_EVERY_MS = 1_000

/** Milliseconds that a process has after `beforeunload`. */
export const UNLOAD_MS = 500

/** Milliseconds that open requests get to end when the server stops. */
export const DRAIN_MS = 2_000

/** Milliseconds for which a connection to a function is kept without a request. */
export const KEEP_CONNECTION_MS = 30_000

/** Milliseconds for which a request waits to hear why its process has ended. */
export const END_REASON_MS = 1_000

/** Milliseconds without another change of a file until functions are read again. */
export const RELOAD_MS = 100

/** Milliseconds until the folder is looked for again, when a function is asked for that is not known. */
export const REDISCOVER_MS = 1_000

/** Characters of one line that a function prints. */
export const LOG_LINE_CHARACTERS_MAX = 10_000

/** Lines of one process in {@link LOG_WINDOW_MS}; further ones are counted only. */
export const LOG_LINES_MAX = 1_000
export const LOG_WINDOW_MS = 10_000

/** Lines and characters of one function that are kept for `functions logs`, and of how many functions: 16 MiB of text in all. */
export const KEPT_LOG_LINES_MAX = 1_000
export const KEPT_LOG_CHARACTERS_MAX = 256 * 1_024
export const LOGGED_FUNCTIONS_MAX = 64

/** Functions whose calls are counted. */
export const MEASURED_FUNCTIONS_MAX = 1_000

/** Milliseconds that a reader of logs may wait for the next line, and how many may wait at once. */
export const LOG_WAIT_MS_MAX = 25_000
export const LOG_READERS_MAX = 100

/** MiB of address space that V8 reserves for code, which the limit of the kernel counts as memory. */
export const RESERVED_MB = 560

/** The part of the memory of a process that objects of JavaScript may have; the rest is for buffers, code and Deno itself. */
export const HEAP_SHARE = 0.75

/** Settings of the role of functions: a process that is killed leaves nothing running and no lock behind. The path is that of projects on Supabase. */
export const DATABASE_ROLE_SETTINGS: Readonly<Record<string, string>> = {
  statement_timeout: `'2min'`,
  idle_in_transaction_session_timeout: `'60s'`,
  client_connection_check_interval: `'5s'`,
  search_path: '"$user", public, extensions',
}

/** Bytes that a function may have in the folder of its process, where its temporary files are, and in any one file; the same as on Supabase. */
export const FOLDER_BYTES_MAX = 256 * 1024 * 1024

/** Files and folders in that folder. */
export const FOLDER_FILES_MAX = 10_000

/** Dotenv files and symbolic links that are denied to functions by name: what a command line has room for. */
export const DENIED_PATHS_MAX = 200

/** Files that a process may have open. */
export const OPEN_FILES_MAX = 4_096
