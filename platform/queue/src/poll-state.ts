/** State of a worker's polling for due jobs. */
export type PollState =
  | 'idle'
  | 'polling'
  /** Woken during the current poll, which may have missed the job, so another one follows. */
  | 'woken'
  | 'closed'

export type PollEvent = 'woken' | 'poll ended' | 'closed'

interface Transition {
  readonly state: PollState
  /** Whether a poll starts now. */
  readonly isBeginning: boolean
}

/** Allows one poll at a time and coalesces all wake-ups during it into one more. No poll starts after the worker is closed. */
export function transition(state: PollState, event: PollEvent): Transition {
  if (state === 'closed' || event === 'closed') return { state: 'closed', isBeginning: false }
  switch (event) {
    case 'woken':
      return state === 'idle' ? { state: 'polling', isBeginning: true } : { state: 'woken', isBeginning: false }
    case 'poll ended':
      return state === 'woken' ? { state: 'polling', isBeginning: true } : { state: 'idle', isBeginning: false }
  }
}
