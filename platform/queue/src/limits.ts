/** Lanes that one statement visits. */
export const LANES_PER_LOOK = 64

/** Lanes whose last turn is remembered. */
export const LANES_REMEMBERED = 4_096

/** Milliseconds until a queue is read again that could not be read. */
export const LOOK_AGAIN_MS = 1_000

/** The shortest and the longest wait for the next job, in milliseconds: clocks are set. */
export const WAIT_MIN_MS = 20
export const WAIT_MAX_MS = 60_000

/** Milliseconds for which a closing worker waits for jobs that it has aborted. */
export const ABORTED_MS = 2_000
