/** Time in ms that a channel stays joined after its last user: the next screen or a second mount often needs it again. */
export const LINGER_MS = 1_000
/** Throttle in ms for presence updates. */
export const PEOPLE_EVERY_MS = 250
/** Users listed per topic; the total is separate. */
export const PEOPLE_MAX = 100
/** Throttle in ms for `track`: the server's default limit is 50 in 30 s. */
export const TRACK_EVERY_MS = 1_000
/** Retry delays of a join in ms; the last repeats. Up to half is added as jitter. */
export const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000] as const
/** Failed attempts before a channel counts as unavailable. */
export const DOUBTFUL_ATTEMPTS_MAX = 3
/** Time in ms after joining before earlier failures are forgotten, to avoid a loop on immediate closing. */
export const STABLE_MS = 30_000
/** Time in ms without a sync connection before channels are left. Shorter gaps are reconnects. */
export const OFFLINE_AFTER_MS = 3_000
