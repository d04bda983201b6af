import { Eye, EyeOff } from 'lucide-react'
import { type JSX, type ReactNode, type Ref, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { passwordMessages as words } from '../messages/password.ts'
import { TextField } from './text-field.tsx'

/** A password field with a visibility toggle and password manager support. */
export function PasswordField({
  label,
  value,
  onChange,
  errorMessage,
  description,
  inputRef,
  autoFocus = false,
  isNew = false,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly errorMessage?: ReactNode
  readonly description?: ReactNode
  readonly inputRef?: Ref<HTMLInputElement>
  readonly autoFocus?: boolean
  /** Whether it is a new password rather than the current one. */
  readonly isNew?: boolean
}): JSX.Element {
  const [isShown, setShown] = useState(false)
  return (
    <TextField
      label={label}
      type={isShown ? 'text' : 'password'}
      name={isNew ? 'new-password' : 'password'}
      autoComplete={isNew ? 'new-password' : 'current-password'}
      spellCheck={false}
      value={value}
      onChange={onChange}
      autoFocus={autoFocus}
      {...(inputRef === undefined ? {} : { inputRef })}
      errorMessage={errorMessage}
      description={description}
      trailing={
        // Not an IconButton, whose tooltip would be the only one on this screen and is large.
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
