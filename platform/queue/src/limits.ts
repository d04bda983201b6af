/** Lanes visited per statement. */
export const LANES_PER_LOOK = 64

/** Lanes whose last turn is remembered. */
export const LANES_REMEMBERED = 4_096

/** Retry delay in ms after a queue could not be read. */
export const LOOK_AGAIN_MS = 1_000

/** Minimum and maximum wait in ms for the next job, because clocks may be adjusted. */
export const WAIT_MIN_MS = 20
export const WAIT_MAX_MS = 60_000

/** Time in ms that a closing worker waits for jobs it has aborted. */
export const ABORTED_MS = 2_000
