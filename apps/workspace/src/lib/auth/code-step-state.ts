import type { AuthFailure } from './classify-auth-error.ts'

/** State of a form for a code that was sent or is shown by an authenticator app. */
export interface CodeStepState {
  readonly code: string
  readonly phase: 'editing' | 'verifying' | 'resending'
  /** The user submitted too few digits. */
  readonly isIncomplete: boolean
  readonly failure: AuthFailure | undefined
  /** Another code has been sent. */
  readonly isResent: boolean
  /** Time of the next allowed attempt in ms since the epoch, after too many. */
  readonly retryAtMs: number | undefined
  /** Time at which another code can be sent, if known. */
  readonly resendAtMs: number | undefined
}

export type CodeStepEvent =
  | { readonly kind: 'typed'; readonly code: string }
  /** The code should be verified. */
  | { readonly kind: 'entered'; readonly isComplete: boolean }
  | { readonly kind: 'verifying' }
  | { readonly kind: 'verified' }
  | { readonly kind: 'resending' }
  | { readonly kind: 'resent' }
  | { readonly kind: 'failed'; readonly failure: AuthFailure; readonly atMs: number }

export const NEW_CODE_STEP: CodeStepState = {
  code: '',
  phase: 'editing',
  isIncomplete: false,
  failure: undefined,
  isResent: false,
  retryAtMs: undefined,
  resendAtMs: undefined,
}

export function nextCodeStep(state: CodeStepState, event: CodeStepEvent): CodeStepState {
  switch (event.kind) {
    case 'typed': {
      const failure = state.failure?.kind === 'code' ? undefined : state.failure
      return { ...state, code: event.code, isIncomplete: false, failure }
    }
    case 'entered':
      return { ...state, isIncomplete: !event.isComplete }
    case 'verifying':
    case 'resending':
      return { ...state, phase: event.kind, failure: undefined, isResent: false }
    case 'verified':
      return { ...state, phase: 'editing' }
    case 'resent':
      return { ...state, phase: 'editing', isResent: true, resendAtMs: undefined }
    case 'failed':
      return afterFailure(state, event)
    default:
      return event satisfies never
  }
}

/** Clears a wrong code; keeps one the server has not judged for resending. */
function afterFailure(
  state: CodeStepState,
  { failure, atMs }: Extract<CodeStepEvent, { readonly kind: 'failed' }>,
): CodeStepState {
  const next: CodeStepState = { ...state, phase: 'editing', failure }
  const untilMs = failure.kind === 'rate' ? atMs + failure.waitS * 1_000 : undefined
  if (state.phase === 'resending') return { ...next, resendAtMs: untilMs ?? state.resendAtMs }
  return { ...next, code: failure.kind === 'code' ? '' : state.code, retryAtMs: untilMs ?? state.retryAtMs }
}
