/** Milliseconds for which a server says that it is at a run, and after which it says so again. A run whose server does not is taken for ended. */
export const LEASE_MS = 30_000
export const RENEW_EVERY_MS = 10_000

/** Runs of one job that may be due while it has not come to its end: pg_cron counts them without an end. */
export const PENDING_MAX = 60

/** Milliseconds that a statement of a job waits for a lock, unless the job sets another time. */
export const LOCK_TIMEOUT_MS = 60_000

/** Rows of `cron.job_run_details` that are kept of one job. */
export const DETAILS_PER_JOB_MAX = 10_000

/** Milliseconds between two deletions of old rows, and how many one statement deletes. */
export const PRUNE_EVERY_MS = 600_000
export const PRUNE_ROWS = 10_000

/** Characters of an error that are kept. */
export const MESSAGE_CHARACTERS_MAX = 4_096
