import { Circle, CircleCheck } from 'lucide-react'
import type { JSX, Ref } from 'react'
import { cx } from '../lib/cx.ts'
import { checkPassword, type PasswordRules } from '../lib/password-rules.ts'
import { passwordMessages as words } from '../messages/password.ts'
import { PasswordField } from './password-field.tsx'
import { VisuallyHidden } from './visually-hidden.tsx'

/** A field for a new password that shows which rules are met. */
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
  return (
    <PasswordField
      isNew
      label={label}
      value={value}
      onChange={onChange}
      errorMessage={errorMessage}
      autoFocus={autoFocus}
      {...(inputRef === undefined ? {} : { inputRef })}
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
