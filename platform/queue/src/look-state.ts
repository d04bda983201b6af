/** What a worker does about jobs that may be due. */
export type LookState =
  | 'resting'
  | 'looking'
  /** Woken during the current look, which may have missed the job: another one follows. */
  | 'woken'
  | 'closed'

export type LookEvent = 'woken' | 'look ended' | 'closed'

interface Transition {
  readonly state: LookState
  /** Whether a look begins now. */
  readonly isBeginning: boolean
}

/** One look at a time, and one more for all wakes during it. Nothing begins once the worker is closed. */
export function transition(state: LookState, event: LookEvent): Transition {
  if (state === 'closed' || event === 'closed') return { state: 'closed', isBeginning: false }
  switch (event) {
    case 'woken':
      return state === 'resting' ? { state: 'looking', isBeginning: true } : { state: 'woken', isBeginning: false }
    case 'look ended':
      return state === 'woken' ? { state: 'looking', isBeginning: true } : { state: 'resting', isBeginning: false }
  }
}
