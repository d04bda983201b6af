import { type RefObject, useReducer, useRef } from 'react'
import { useOnline } from '../../hooks/use-online.ts'
import { useSecondsUntil } from '../../hooks/use-seconds-until.ts'
import { useBackend } from '../data/backend-context.tsx'
import { type AuthFailure, classifyAuthError } from './classify-auth-error.ts'
import { type EntryFormState, type FieldProblem, NEW_ENTRY_FORM, nextEntryForm } from './entry-form-state.ts'

/** Behaviour of a sign-in form. */
export interface EntryFormOptions<Field extends string> {
  /** Returns the first invalid field. */
  readonly check?: () => FieldProblem<Field> | undefined
  /** Whether sending may work without a connection. Default: false. */
  readonly worksOffline?: boolean
  /** @throws errors of the auth client */
  readonly send: () => Promise<void>
  /**
   * Returns the field concerned by a failure, to focus it.
   *
   * @returns `handled` if the form has dealt with it, for example by navigating
   */
  readonly answer?: (
    failure: AuthFailure,
  ) => FieldProblem<Field> | 'handled' | undefined | Promise<FieldProblem<Field> | 'handled' | undefined>
}

/** Controls a sign-in form; rendered by `EntryForm`. */
export interface EntryFormControl<Field extends string = string> {
  readonly formRef: RefObject<HTMLFormElement | null>
  /** Whether the form can be sent. */
  readonly isOnline: boolean
  /** Whether the browser has a network. */
  readonly isConnected: boolean
  readonly isPending: boolean
  readonly failure: AuthFailure | undefined
  /** Seconds until the next attempt. */
  readonly waitS: number
  problemOf(field: Field): string | undefined
  /** Call when a field is edited; clears its problem. */
  edited(field: Field): void
  /** Shows a field's problem without sending. @returns whether there is none */
  report(problem: FieldProblem<Field> | undefined): boolean
  /** Validates and sends, once at a time; does nothing while offline or rate limited. */
  submit(): void
}

export function useEntryForm<Field extends string>({
  check = () => undefined,
  worksOffline = false,
  send,
  answer,
}: EntryFormOptions<Field>): EntryFormControl<Field> {
  const { config } = useBackend()
  const isConnected = useOnline()
  const isOnline = isConnected || worksOffline
  const formRef = useRef<HTMLFormElement>(null)
  const [state, dispatch] = useReducer(nextEntryForm<Field>, NEW_ENTRY_FORM as EntryFormState<Field>)
  const waitS = useSecondsUntil(state.retryAtMs)

  const focus = (field: Field): void => {
    const input = formRef.current?.elements.namedItem(field)
    if (input instanceof HTMLElement) input.focus()
  }
  const trySend = async (): Promise<void> => {
    try {
      await send()
      dispatch({ kind: 'sent' })
    } catch (error) {
      const failure = classifyAuthError(error, config.project.name)
      const found = await answer?.(failure)
      if (found === 'handled') return dispatch({ kind: 'sent' })
      dispatch({ kind: 'failed', failure, problem: found, atMs: Date.now() })
      if (found) focus(found.field)
    }
  }
  return {
    formRef,
    isOnline,
    isConnected,
    isPending: state.phase === 'sending',
    failure: state.failure,
    waitS,
    problemOf: (field) => (state.problem?.field === field ? state.problem.text : undefined),
    edited: (field) => dispatch({ kind: 'edited', field }),
    report(problem) {
      dispatch({ kind: 'checked', problem })
      if (problem) focus(problem.field)
      return problem === undefined
    },
    submit() {
      if (state.phase === 'sending' || waitS > 0 || !isOnline) return
      const problem = check()
      dispatch({ kind: 'submitted', problem })
      if (problem) focus(problem.field)
      else void trySend()
    },
  }
}
