import type { AuthFailure } from './classify-auth-error.ts'

/** The state of a form for a code that was sent, or that an authenticator app shows. */
export interface CodeStepState {
  readonly code: string
  readonly phase: 'editing' | 'verifying' | 'resending'
  /** The person wants to go on with fewer digits than the code has. */
  readonly isIncomplete: boolean
  readonly failure: AuthFailure | undefined
  /** Another code was sent since. */
  readonly isResent: boolean
  /** When the next code may be tried, in milliseconds since 1970, after too many of them. */
  readonly retryAtMs: number | undefined
  /** When the server sends another code, if it has told. */
  readonly resendAtMs: number | undefined
}

export type CodeStepEvent =
  | { readonly kind: 'typed'; readonly code: string }
  /** The code is to be verified. */
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

/** A wrong code is typed again from its beginning; one that the server has not judged can be sent once more. */
function afterFailure(
  state: CodeStepState,
  { failure, atMs }: Extract<CodeStepEvent, { readonly kind: 'failed' }>,
): CodeStepState {
  const next: CodeStepState = { ...state, phase: 'editing', failure }
  const untilMs = failure.kind === 'rate' ? atMs + failure.waitS * 1_000 : undefined
  if (state.phase === 'resending') return { ...next, resendAtMs: untilMs ?? state.resendAtMs }
  return { ...next, code: failure.kind === 'code' ? '' : state.code, retryAtMs: untilMs ?? state.retryAtMs }
}
