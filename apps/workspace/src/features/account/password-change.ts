/** The form for a new password. Fields that the server has not required are `undefined`. */
export interface PasswordChange {
  readonly password: { readonly text: string; readonly problem: string | undefined }
  /** The current password. */
  readonly current: { readonly text: string; readonly problem: string | undefined } | undefined
  /** The code from a mail or text message. */
  readonly code: { readonly text: string; readonly isMissing: boolean } | undefined
}

export type PasswordChangeEvent =
  | { readonly kind: 'typed_password'; readonly text: string }
  | { readonly kind: 'typed_current'; readonly text: string }
  | { readonly kind: 'typed_code'; readonly text: string }
  /** The fields were checked before sending; `problem` concerns the new password. */
  | { readonly kind: 'checked'; readonly problem: string | undefined }
  /** The server refuses the new password. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** The server requires the current password, or it was wrong. */
  | { readonly kind: 'current_wanted'; readonly problem: string }
  | { readonly kind: 'code_wanted' }
  | { readonly kind: 'changed' }

export const NEW_PASSWORD_CHANGE: PasswordChange = {
  password: { text: '', problem: undefined },
  current: undefined,
  code: undefined,
}

export function nextPasswordChange(state: PasswordChange, event: PasswordChangeEvent): PasswordChange {
  const { password, current, code } = state
  switch (event.kind) {
    case 'typed_password':
      return { ...state, password: { text: event.text, problem: undefined } }
    case 'typed_current':
      return { ...state, current: { text: event.text, problem: undefined } }
    case 'typed_code':
      return { ...state, code: { text: event.text, isMissing: code?.isMissing ?? false } }
    case 'checked': {
      const { problem } = event
      const isMissing = problem === undefined && code?.text === ''
      return { ...state, password: { ...password, problem }, code: code && { ...code, isMissing } }
    }
    case 'refused':
      return { ...state, password: { ...password, problem: event.problem } }
    case 'current_wanted':
      return { ...state, current: { text: current?.text ?? '', problem: event.problem } }
    case 'code_wanted':
      return { ...state, code: { text: '', isMissing: false } }
    case 'changed':
      return NEW_PASSWORD_CHANGE
    default:
      return event satisfies never
  }
}

/** Whether the checked form can be sent. */
export function canSend({ password, code }: PasswordChange): boolean {
  return password.problem === undefined && code?.isMissing !== true
}
