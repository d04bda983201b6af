/** Runs at the same time; a workspace has one. */
export const RUNS_AT_ONCE = 2

/** Lease in ms: longer than a run. */
export const CLAIMED_MS = 60_000

/** Limits in ms of a statement, and of a wait for a lock. */
export const STATEMENT_MS = 10_000
export const LOCK_MS = 3_000

/** Time limit in ms of a run. */
export const RUN_MS = 30_000

/** Attempts for a run that failed for a moment, such as a deadlock, and delays in ms between them. */
export const ATTEMPTS_MAX = 4
export const RETRY_MS = [1_000, 10_000, 60_000] as const

/** Interval in ms between deletions of old runs. */
export const PRUNE_EVERY_MS = 600_000

/** Concurrent tries in the app, one for each user. */
export const TRIES_AT_ONCE = 2

/** Size limit in bytes of a try. */
export const TRY_BYTES_MAX = 131_072

/** Records of a scheduled automation in one round; `holdfast.automation_limit` has the same. */
export const SCHEDULED_RECORDS_MAX = 400

/** Records that a schedule counts at most. */
export const COUNT_MAX = 100_000

/** Lease in ms of a call, and how often it is extended while the call runs. */
export const CALL_LEASE_MS = 60_000
export const CALL_RENEW_MS = 20_000

/** Concurrent mails, webhooks and functions of all automations, and of a workspace. */
export const CALLS_AT_ONCE = 16
export const CALLS_OF_WORKSPACE = 4

/** Delays in ms between attempts of a call. */
export const CALL_RETRY_MS = [1_000, 10_000, 60_000, 600_000] as const

/** Size limit in bytes of what a webhook or function is sent. */
export const CALL_BYTES_MAX = 262_144

/** Length limit in characters of an answer in the history of runs. */
export const ANSWER_CHARS_MAX = 500

/** Seconds that a function's token outlives its timeout. */
export const TOKEN_SPARE_S = 60

/** Delays in ms between looks at mails that wait for the mail server, and how long the run waits for them. */
export const MAIL_LOOKS_MS = [500, 2_000, 10_000, 60_000, 300_000] as const
export const MAIL_WAITS_MS = 7_200_000

/** Length limit in characters of a value in the history of runs. */
export const VALUE_CHARS_MAX = 500
