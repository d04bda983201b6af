import type { AuthFailure } from './classify-auth-error.ts'

/** A problem with one form field. */
export interface FieldProblem<Field extends string = string> {
  /** The input's name. */
  readonly field: Field
  /** `undefined`: the message is elsewhere; the field is only focused. */
  readonly text: string | undefined
}

/** State of a sign-in form, apart from its field values. */
export interface EntryFormState<Field extends string = string> {
  readonly phase: 'editing' | 'sending'
  readonly problem: FieldProblem<Field> | undefined
  /** Why server or browser refused the last attempt. */
  readonly failure: AuthFailure | undefined
  /** Time of the next allowed attempt in ms since the epoch, after too many. */
  readonly retryAtMs: number | undefined
}

export type EntryFormEvent<Field extends string = string> =
  | { readonly kind: 'edited'; readonly field: Field }
  /** The fields were validated without sending. */
  | { readonly kind: 'checked'; readonly problem: FieldProblem<Field> | undefined }
  /** The form is sent, unless a field is invalid. */
  | { readonly kind: 'submitted'; readonly problem: FieldProblem<Field> | undefined }
  | { readonly kind: 'sent' }
  /** `problem`: the field concerned by the failure. */
  | {
      readonly kind: 'failed'
      readonly failure: AuthFailure
      readonly problem: FieldProblem<Field> | undefined
      readonly atMs: number
    }

export const NEW_ENTRY_FORM: EntryFormState<never> = {
  phase: 'editing',
  problem: undefined,
  failure: undefined,
  retryAtMs: undefined,
}

export function nextEntryForm<Field extends string>(
  state: EntryFormState<Field>,
  event: EntryFormEvent<Field>,
): EntryFormState<Field> {
  switch (event.kind) {
    case 'edited':
      return state.problem?.field === event.field ? { ...state, problem: undefined } : state
    case 'checked':
      return { ...state, problem: event.problem }
    case 'submitted': {
      const { problem } = event
      return { ...state, phase: problem ? 'editing' : 'sending', problem, failure: undefined }
    }
    case 'sent':
      return { ...state, phase: 'editing' }
    case 'failed': {
      const { failure, problem, atMs } = event
      const retryAtMs = failure.kind === 'rate' ? atMs + failure.waitS * 1_000 : state.retryAtMs
      return { phase: 'editing', problem, failure, retryAtMs }
    }
    default:
      return event satisfies never
  }
}
