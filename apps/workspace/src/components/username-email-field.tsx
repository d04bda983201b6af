import type { JSX } from 'react'
import { TextField } from './text-field.tsx'

/** The e-mail address that an account has, or is to have; password managers know it as the user's name. */
export function UsernameEmailField({
  label,
  value,
  onChange,
  errorMessage,
  autoFocus = false,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly errorMessage: string | undefined
  readonly autoFocus?: boolean
}): JSX.Element {
  return (
    <TextField
      label={label}
      type="email"
      name="username"
      autoComplete="username"
      inputMode="email"
      spellCheck={false}
      value={value}
      onChange={onChange}
      autoFocus={autoFocus}
      errorMessage={errorMessage}
    />
  )
}
