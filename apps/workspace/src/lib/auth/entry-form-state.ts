import type { AuthFailure } from './classify-auth-error.ts'

/** Something wrong with one field of a form. */
export interface FieldProblem<Field extends string = string> {
  /** The input's name. */
  readonly field: Field
  /** `undefined`: the words stand elsewhere; the field only gets the focus. */
  readonly text: string | undefined
}

/** The state of a form that lets a person in, apart from the text of its fields. */
export interface EntryFormState<Field extends string = string> {
  readonly phase: 'editing' | 'sending'
  readonly problem: FieldProblem<Field> | undefined
  /** Why the server or the browser refused the last attempt. */
  readonly failure: AuthFailure | undefined
  /** When the next attempt is allowed, in milliseconds since 1970, after too many of them. */
  readonly retryAtMs: number | undefined
}

export type EntryFormEvent<Field extends string = string> =
  | { readonly kind: 'edited'; readonly field: Field }
  /** The fields were checked without sending anything. */
  | { readonly kind: 'checked'; readonly problem: FieldProblem<Field> | undefined }
  /** The form is sent, unless a field cannot be. */
  | { readonly kind: 'submitted'; readonly problem: FieldProblem<Field> | undefined }
  | { readonly kind: 'sent' }
  /** `problem`: the field that the failure is about. */
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
