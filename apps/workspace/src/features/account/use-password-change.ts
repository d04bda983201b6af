import { useReducer } from 'react'
import { showToast } from '../../components/toast.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { findNewPasswordProblem } from '../../lib/password-rules.ts'
import { accountMessages } from '../../messages/account.ts'
import { securityMessages as words } from '../../messages/account-security.ts'
import { passwordMessages } from '../../messages/password.ts'
import { useAccount } from './account-context.tsx'
import { type AccountFailure, codeOf } from './account-failure.ts'
import {
  canSend,
  NEW_PASSWORD_CHANGE,
  nextPasswordChange,
  type PasswordChange,
  type PasswordChangeEvent,
} from './password-change.ts'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'
import { weakPasswordMessage } from './weak-password.ts'

export interface PasswordChangeControl {
  readonly state: PasswordChange
  readonly dispatch: (event: PasswordChangeEvent) => void
  readonly isPending: boolean
  readonly isSendingCode: boolean
  /** Why the code was refused; shown below its field. */
  readonly codeFailure: AccountFailure | undefined
  readonly failure: AccountFailure | undefined
  submit(): void
  sendCode(): void
}

/** Sets a password, together with the code or current password that the server may require. */
export function usePasswordChange(focusPassword: () => void): PasswordChangeControl {
  const { config } = useBackend()
  const { supabase } = useAccount()
  const action = useAction()
  const again = useAction()
  const [state, dispatch] = useReducer(nextPasswordChange, NEW_PASSWORD_CHANGE)
  const isCodeWrong = action.failure?.code === 'reauthentication_not_valid'

  const send = async (): Promise<void> => {
    const { password, code, current } = state
    unwrap(
      await supabase.auth.updateUser({
        password: password.text,
        ...(code === undefined ? {} : { nonce: code.text }),
        ...(current === undefined ? {} : { current_password: current.text }),
      }),
    )
  }
  /** Handles what the server requires first. @returns whether the form shows the missing step itself */
  const answer = async (error: unknown): Promise<boolean> => {
    const problem = weakPasswordMessage(error)
    if (problem !== undefined) {
      dispatch({ kind: 'refused', problem })
      focusPassword()
      return true
    }
    switch (codeOf(error)) {
      case 'current_password_required':
        dispatch({ kind: 'current_wanted', problem: words.currentMissing })
        return true
      case 'current_password_invalid':
        dispatch({ kind: 'current_wanted', problem: words.currentWrong })
        return true
      case 'reauthentication_needed':
        unwrap(await supabase.auth.reauthenticate())
        dispatch({ kind: 'code_wanted' })
        return true
      default:
        return false
    }
  }
  const change = async (): Promise<void> => {
    const found = findNewPasswordProblem(state.password.text, config.account.password)
    const checked = { kind: 'checked', problem: found && passwordMessages[found] } as const
    dispatch(checked)
    if (found) focusPassword()
    if (!canSend(nextPasswordChange(state, checked)) || !(await action.run(send, answer))) return
    dispatch({ kind: 'changed' })
    showToast({ text: words.passwordDone })
  }
  const sendCode = async (): Promise<void> => {
    unwrap(await supabase.auth.reauthenticate())
    showToast({ text: accountMessages.codeSent })
  }
  return {
    state,
    dispatch,
    isPending: action.isPending,
    isSendingCode: again.isPending,
    codeFailure: isCodeWrong ? action.failure : undefined,
    failure: isCodeWrong ? again.failure : (action.failure ?? again.failure),
    submit() {
      if (!action.isPending) void change()
    },
    sendCode: () => void again.run(sendCode),
  }
}
