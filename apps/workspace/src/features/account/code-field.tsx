import { type JSX, useEffect, useRef } from 'react'
import { CodeField as DigitsField } from '../../components/code-field.tsx'
import { accountMessages as words } from '../../messages/account.ts'
import type { AccountFailure } from './account-failure.ts'

/** The input for a code. */
export function CodeField({
  value,
  digits = 6,
  onChange,
  description,
  failure,
  autoFocus = true,
}: {
  readonly value: string
  readonly digits?: number
  readonly onChange: (code: string) => void
  readonly description: string
  readonly failure: AccountFailure | undefined
  readonly autoFocus?: boolean
}): JSX.Element {
  const message = failure?.message
  const inputRef = useRef<HTMLInputElement>(null)
  // Refocuses the field for the next attempt. Focus is outside React.
  useEffect(() => {
    if (message !== undefined) inputRef.current?.focus()
  }, [message])
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">{description}</p>
      <div className="max-w-80">
        <DigitsField
          label={words.code}
          digits={digits}
          autoFocus={autoFocus}
          inputRef={inputRef}
          value={value}
          onChange={onChange}
          errorMessage={message}
        />
      </div>
    </div>
  )
}
