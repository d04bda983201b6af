/** State of a worker's polling for due jobs. */
export type LookState =
  | 'resting'
  | 'looking'
  /** Woken during the current poll, which may have missed the job, so another one follows. */
  | 'woken'
  | 'closed'

export type LookEvent = 'woken' | 'look ended' | 'closed'

interface Transition {
  readonly state: LookState
  /** Whether a poll starts now. */
  readonly isBeginning: boolean
}

/** Allows one poll at a time and coalesces all wake-ups during it into one more. No poll starts after the worker is closed. */
export function transition(state: LookState, event: LookEvent): Transition {
  if (state === 'closed' || event === 'closed') return { state: 'closed', isBeginning: false }
  switch (event) {
    case 'woken':
      return state === 'resting' ? { state: 'looking', isBeginning: true } : { state: 'woken', isBeginning: false }
    case 'look ended':
      return state === 'woken' ? { state: 'looking', isBeginning: true } : { state: 'resting', isBeginning: false }
  }
}
