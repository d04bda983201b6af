import { toError } from '@holdfast/protocol'
/** Steps of signing out. `not-sent`: the outbox did not empty in time. */
export type LeavingStep = 'asking' | 'sending' | 'not-sent' | 'leaving'

export interface LeavingState {
  readonly step: LeavingStep
  /** Why the last sign-out failed. */
  readonly error: Error | undefined
}

export type LeavingEvent =
  | { readonly kind: 'send_first' }
  /** The outbox is empty. @param attention - number of undecided rejected changes */
  | { readonly kind: 'emptied'; readonly attention: number }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'failed'; readonly cause: unknown }

export const ASKING: LeavingState = { step: 'asking', error: undefined }

/** Returns the next state. The user signs out once nothing is unsent; a change rejected meanwhile raises a new question. */
export function nextLeaving(state: LeavingState, event: LeavingEvent): LeavingState {
  switch (event.kind) {
    case 'send_first':
      return state.step === 'leaving' ? state : { step: 'sending', error: undefined }
    case 'emptied':
      if (state.step !== 'sending') return state
      return { ...state, step: event.attention > 0 ? 'asking' : 'leaving' }
    case 'timed_out':
      return state.step === 'sending' ? { ...state, step: 'not-sent' } : state
    case 'leave':
      return { step: 'leaving', error: undefined }
    case 'failed':
      return { step: 'asking', error: toError(event.cause) }
    default:
      return event satisfies never
  }
}
