import { Eye, EyeOff } from 'lucide-react'
import { type JSX, type ReactNode, type Ref, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { passwordMessages as words } from '../messages/password.ts'
import { TextField } from './text-field.tsx'

/** A field for the password that somebody has; it can be seen while it is typed. */
export function PasswordField({
  label,
  value,
  onChange,
  errorMessage,
  inputRef,
  autoFocus = false,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly errorMessage?: ReactNode
  readonly inputRef?: Ref<HTMLInputElement>
  readonly autoFocus?: boolean
}): JSX.Element {
  const [isShown, setShown] = useState(false)
  return (
    <TextField
      label={label}
      type={isShown ? 'text' : 'password'}
      name="password"
      autoComplete="current-password"
      value={value}
      onChange={onChange}
      autoFocus={autoFocus}
      {...(inputRef === undefined ? {} : { inputRef })}
      errorMessage={errorMessage}
      trailing={
        // Not an IconButton: its tooltip would be the only one on this screen, and is not small.
        <AriaButton
          aria-label={isShown ? words.hide : words.show}
          onPress={() => setShown(!isShown)}
          className="flex size-8 items-center justify-center rounded-md text-muted data-hovered:bg-hover data-hovered:text-text coarse:size-11"
        >
          {isShown ? <EyeOff size={18} aria-hidden /> : <Eye size={18} aria-hidden />}
        </AriaButton>
      }
    />
  )
}
