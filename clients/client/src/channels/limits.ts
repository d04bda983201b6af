/** Milliseconds that a channel stays joined after its last user has gone: the next screen, or a second mount, often wants it again. */
export const LINGER_MS = 1_000
/** Milliseconds between two updates of who is there, however many come and go. */
export const PEOPLE_EVERY_MS = 250
/** People of one topic that are handed out; the total says how many there are. */
export const PEOPLE_MAX = 100
/** Milliseconds between two calls of `track`: the server allows 50 in 30 s by default. */
export const TRACK_EVERY_MS = 1_000
/** Milliseconds before the next attempt to join, the last for all further ones; up to half of it is added at random. */
export const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000] as const
/** Failed attempts after which a channel is called unavailable. */
export const DOUBTFUL_ATTEMPTS_MAX = 3
/** Milliseconds that a channel has to be joined before its failed attempts are forgotten: one that is closed at once is not asked for in a loop. */
export const STABLE_MS = 30_000
/** Milliseconds without a connection of sync before the channels are left as well. Shorter gaps are reconnects. */
export const OFFLINE_AFTER_MS = 3_000
