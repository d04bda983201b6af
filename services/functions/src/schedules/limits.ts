/** Lease of a run and its renewal interval, in ms. A run whose lease expires counts as ended. */
export const LEASE_MS = 30_000
export const RENEW_EVERY_MS = 10_000

/** Maximum pending runs of a job that is still running. pg_cron has no limit. */
export const PENDING_MAX = 60

/** Default lock timeout in ms for the statements of a job. */
export const LOCK_TIMEOUT_MS = 60_000

/** Rows of `cron.job_run_details` kept per job. */
export const DETAILS_PER_JOB_MAX = 10_000

/** Interval in ms between deletions of old rows, and rows deleted per statement. */
export const PRUNE_EVERY_MS = 600_000
export const PRUNE_ROWS = 10_000

/** Stored characters of an error message. */
export const MESSAGE_CHARACTERS_MAX = 4_096
