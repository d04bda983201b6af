import { type RefObject, useReducer, useRef } from 'react'
import { useSecondsUntil } from '../../hooks/use-seconds-until.ts'
import { classifyAuthError } from './classify-auth-error.ts'
import { type CodeStepState, NEW_CODE_STEP, nextCodeStep } from './code-step-state.ts'

export interface CodeStepOptions {
  readonly digits: number
  readonly project: string
  readonly isOnline: boolean
  /** Time in ms since the epoch at which another code may be requested. */
  readonly nextSendAtMs?: number | undefined
  /** @throws errors of the auth client */
  readonly onVerify: (code: string) => Promise<void>
  /** Absent if nothing is sent. @throws errors of the auth client */
  readonly onResend?: (() => Promise<void>) | undefined
}

export interface CodeStepControl {
  readonly state: CodeStepState
  readonly inputRef: RefObject<HTMLInputElement | null>
  /** Seconds until the next attempt. */
  readonly waitS: number
  /** Seconds until another code may be requested. */
  readonly resendWaitS: number
  /** Handles input; the last digit submits. */
  type(code: string): void
  submit(): void
  resend(): void
}

/** Verifies a code and requests another one. */
export function useCodeStep({
  digits,
  project,
  isOnline,
  nextSendAtMs,
  onVerify,
  onResend = async () => undefined,
}: CodeStepOptions): CodeStepControl {
  const [state, dispatch] = useReducer(nextCodeStep, NEW_CODE_STEP)
  const inputRef = useRef<HTMLInputElement>(null)
  const waitS = useSecondsUntil(state.retryAtMs)
  const resendWaitS = useSecondsUntil(state.resendAtMs ?? nextSendAtMs)

  const fail = (error: unknown): void =>
    dispatch({ kind: 'failed', failure: classifyAuthError(error, project), atMs: Date.now() })

  const verify = async (code: string): Promise<void> => {
    dispatch({ kind: 'verifying' })
    try {
      await onVerify(code)
      dispatch({ kind: 'verified' })
    } catch (error) {
      fail(error)
      inputRef.current?.focus()
    }
  }
  const resend = async (): Promise<void> => {
    dispatch({ kind: 'resending' })
    try {
      await onResend()
      dispatch({ kind: 'resent' })
    } catch (error) {
      fail(error)
    }
  }
  const enter = (code: string): void => {
    const isComplete = code.length === digits
    dispatch({ kind: 'entered', isComplete })
    if (isComplete && state.phase === 'editing' && isOnline && waitS === 0) void verify(code)
    else inputRef.current?.focus()
  }
  return {
    state,
    inputRef,
    waitS,
    resendWaitS,
    type(code) {
      dispatch({ kind: 'typed', code })
      if (code.length === digits && code !== state.code) enter(code)
    },
    submit: () => enter(state.code),
    resend: () => void resend(),
  }
}
