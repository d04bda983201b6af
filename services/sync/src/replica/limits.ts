/** Time in ms that a read waits for the replica to have everything that is in the log. Then it reads from the primary. */
export const REPLICA_WAIT_MS = 1_000

/** Time in ms for one read of operations from the replica, and for connecting to it. */
export const REPLICA_READ_MS = 3_000
export const REPLICA_CONNECT_MS = 2_000

/** First and longest pause in ms between looking at the position of a replica that is behind. */
export const REPLICA_POLL_MS = { min: 2, max: 50 }

/** Interval in ms at which the replica's lag is measured. */
export const REPLICA_CHECK_MS = 5_000

/** First and longest delay in ms before a replica that could not be used is tried again. */
export const REPLICA_RETRY_MS = { min: 500, max: 60_000 }

/** Time in ms of undisturbed use after which the delay starts over. */
export const REPLICA_SETTLED_MS = 60_000
