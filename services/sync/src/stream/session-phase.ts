/** What a stream session does. */
export type Phase =
  /** Nothing is due; the session holds no task and no timer but that of its keys. */
  | { readonly kind: 'resting' }
  /** `isWoken`: something has happened since the pass began, so that another one follows. */
  | { readonly kind: 'working'; readonly isWoken: boolean }
  | { readonly kind: 'ended' }

export type PhaseEvent = 'woken' | 'pass began' | 'nothing due' | 'failed'

/** What the session has to do after an event. */
export type PhaseEffect = 'none' | 'start work' | 'begin another pass' | 'release everything'

interface Transition {
  readonly phase: Phase
  readonly effect: PhaseEffect
}

// Thousands of sessions are woken by one batch: phases and transitions are shared, so that a wake allocates nothing.
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

/** The life of a session: it rests until it is woken, takes its due steps until none is left, and rests again; or it fails, once. */
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

/** What a session does next. */
export type Step =
  | 'read write checkpoint'
  | 'wait for a plan'
  | 'refresh keys'
  | 'refresh classes'
  | 'refill buckets'
  | 'wait for the batch'
  | 'send checkpoint'

/** What the next step depends on. */
export interface Situation {
  readonly hasReadWriteCheckpoint: boolean
  /** Whether policies are compiled. While they are not, no checkpoint leaves. */
  readonly hasPlan: boolean
  /** Whether the keys hold at the newest checkpoint, and are those of the plan. */
  readonly hasKeys: boolean
  readonly hasNewClasses: boolean
  /** Whether the numbers of the buckets are of the feed's epoch. */
  readonly isOfEpoch: boolean
  /** Whether a batch is being written that supersedes versions in buckets of a checkpoint that is not complete: it will wake the session. */
  readonly isBatchAnnounced: boolean
}

/** Chooses what comes first: a checkpoint leaves only with keys that hold and with buckets whose numbers are those of the log. */
export function nextStep(situation: Situation): Step {
  if (!situation.hasReadWriteCheckpoint) return 'read write checkpoint'
  if (!situation.hasPlan) return 'wait for a plan'
  if (!situation.hasKeys) return 'refresh keys'
  if (situation.hasNewClasses) return 'refresh classes'
  if (!situation.isOfEpoch) return 'refill buckets'
  return situation.isBatchAnnounced ? 'wait for the batch' : 'send checkpoint'
}
