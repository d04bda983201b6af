/** The activity of a stream session. */
export type Phase =
  /** Nothing is due. The session has no task, and no timer except that of its keys. */
  | { readonly kind: 'resting' }
  /** `isWoken`: an event since the pass started requires another pass. */
  | { readonly kind: 'working'; readonly isWoken: boolean }
  | { readonly kind: 'ended' }

export type PhaseEvent = 'woken' | 'pass began' | 'nothing due' | 'failed'

/** The session's action after an event. */
export type PhaseEffect = 'none' | 'start work' | 'begin another pass' | 'release everything'

interface Transition {
  readonly phase: Phase
  readonly effect: PhaseEffect
}

// One batch wakes thousands of sessions, so phases and transitions are shared and a wake allocates nothing.
export const RESTING: Phase = { kind: 'resting' }
const WORKING: Phase = { kind: 'working', isWoken: false }
const WOKEN: Phase = { kind: 'working', isWoken: true }
const ENDED: Phase = { kind: 'ended' }

const STAYS_ENDED: Transition = { phase: ENDED, effect: 'none' }
const STARTS: Transition = { phase: WORKING, effect: 'start work' }
const IS_WOKEN: Transition = { phase: WOKEN, effect: 'none' }
const BEGINS_PASS: Transition = { phase: WORKING, effect: 'none' }
const BEGINS_ANOTHER: Transition = { phase: WORKING, effect: 'begin another pass' }
const RESTS: Transition = { phase: RESTING, effect: 'none' }
const ENDS: Transition = { phase: ENDED, effect: 'release everything' }

/** Lifecycle of a session: it rests until woken, takes steps until none is due, and rests again. It fails at most once. */
export function transition(phase: Phase, event: PhaseEvent): Transition {
  if (phase.kind === 'ended') return STAYS_ENDED
  switch (event) {
    case 'woken':
      return phase.kind === 'resting' ? STARTS : IS_WOKEN
    case 'pass began':
      return BEGINS_PASS
    case 'nothing due':
      return phase.kind === 'working' && phase.isWoken ? BEGINS_ANOTHER : RESTS
    case 'failed':
      return ENDS
  }
}

/** The session's next step. */
export type Step =
  | 'read write checkpoint'
  | 'wait for a plan'
  | 'refresh keys'
  | 'refresh classes'
  | 'refill buckets'
  | 'wait for the batch'
  | 'send checkpoint'

/** Facts that determine the next step. */
export interface Situation {
  readonly hasReadWriteCheckpoint: boolean
  /** Whether policies are compiled. Otherwise no checkpoint is sent. */
  readonly hasPlan: boolean
  /** Whether the keys are valid at the newest checkpoint and under the current plan. */
  readonly hasKeys: boolean
  readonly hasNewClasses: boolean
  /** Whether the bucket sums belong to the feed's current epoch. */
  readonly isOfEpoch: boolean
  /** Whether a batch being written supersedes versions in buckets of an incomplete checkpoint. It will wake the session. */
  readonly isBatchAnnounced: boolean
}

/** Chooses the next step. A checkpoint is sent only with valid keys and current bucket sums. */
export function nextStep(situation: Situation): Step {
  if (!situation.hasReadWriteCheckpoint) return 'read write checkpoint'
  if (!situation.hasPlan) return 'wait for a plan'
  if (!situation.hasKeys) return 'refresh keys'
  if (situation.hasNewClasses) return 'refresh classes'
  if (!situation.isOfEpoch) return 'refill buckets'
  return situation.isBatchAnnounced ? 'wait for the batch' : 'send checkpoint'
}
