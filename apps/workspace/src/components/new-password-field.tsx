import { Circle, CircleCheck, Eye, EyeOff } from 'lucide-react'
import { type JSX, type Ref, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { cx } from '../lib/cx.ts'
import type { PasswordRules } from '../lib/data/app-config.ts'
import { checkPassword } from '../lib/password-rules.ts'
import { passwordMessages as words } from '../messages/password.ts'
import { TextField } from './text-field.tsx'
import { VisuallyHidden } from './visually-hidden.tsx'

/** A field for a new password: it can be seen, pasted and made by a password manager, and tells which rules it meets so far. */
export function NewPasswordField({
  value,
  onChange,
  rules,
  errorMessage,
  label = words.newPassword,
  inputRef,
  autoFocus = false,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly rules: PasswordRules
  readonly errorMessage?: string | undefined
  readonly label?: string
  readonly inputRef?: Ref<HTMLInputElement>
  readonly autoFocus?: boolean
}): JSX.Element {
  const [isShown, setShown] = useState(false)
  return (
    <TextField
      label={label}
      type={isShown ? 'text' : 'password'}
      name="new-password"
      autoComplete="new-password"
      spellCheck={false}
      value={value}
      onChange={onChange}
      autoFocus={autoFocus}
      {...(inputRef === undefined ? {} : { inputRef })}
      errorMessage={errorMessage}
      trailing={
        <AriaButton
          aria-label={isShown ? words.hide : words.show}
          onPress={() => setShown(!isShown)}
          className="flex size-8 items-center justify-center rounded-md text-muted data-hovered:bg-hover data-hovered:text-text coarse:size-11"
        >
          {isShown ? <EyeOff size={18} aria-hidden /> : <Eye size={18} aria-hidden />}
        </AriaButton>
      }
      description={
        <ul aria-label={words.rulesLabel} className="flex flex-col gap-1 pt-0.5">
          {checkPassword(value, rules).map(({ rule, isMet }) => (
            <li key={rule} className={cx('flex items-center gap-1.5', isMet && 'text-success')}>
              {isMet ? <CircleCheck size={14} aria-hidden /> : <Circle size={14} aria-hidden />}
              {words.rule(rule, rules.lengthMin)}
              <VisuallyHidden>, {isMet ? words.met : words.notMet}</VisuallyHidden>
            </li>
          ))}
        </ul>
      }
    />
  )
}
