import { type JSX, type RefObject, useId, useState } from 'react'
import { cx } from '../lib/cx.ts'
import { fieldLabelClass } from './text-field.tsx'

/** A field for a numeric code. A single input, so that paste, autofill and screen readers work; the boxes only display its text. */
export function CodeField({
  label,
  digits,
  value,
  onChange,
  errorMessage,
  isBusy = false,
  autoFocus = false,
  inputRef,
}: {
  readonly label: string
  readonly digits: number
  readonly value: string
  /** Digits only, up to the code's length. */
  readonly onChange: (value: string) => void
  readonly errorMessage?: string | undefined
  /** While verifying, the code stays and keeps the focus. */
  readonly isBusy?: boolean
  readonly autoFocus?: boolean
  readonly inputRef?: RefObject<HTMLInputElement | null>
}): JSX.Element {
  const id = useId()
  const [isFocused, setFocused] = useState(false)
  const isInvalid = errorMessage !== undefined
  const next = Math.min(value.length, digits - 1)
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className={fieldLabelClass}>
        {label}
      </label>
      <div className="relative">
        <div aria-hidden className="flex gap-2">
          {Array.from({ length: digits }, (_, place) => (
            <span
              // oxlint-disable-next-line react/no-array-index-key -- boxes are identified by position
              key={place}
              className={cx(
                'flex h-12 min-w-0 flex-1 items-center justify-center rounded-md border bg-bg text-title tabular-nums transition-colors',
                isInvalid ? 'border-danger' : 'border-control',
                isBusy && 'opacity-55',
                isFocused && place === next && 'outline-2 outline-offset-1 outline-focus',
              )}
            >
              {value[place]}
            </span>
          ))}
        </div>
        <input
          id={id}
          ref={inputRef}
          name="one-time-code"
          autoComplete="one-time-code"
          inputMode="numeric"
          spellCheck={false}
          value={value}
          readOnly={isBusy}
          autoFocus={autoFocus}
          aria-invalid={isInvalid ? true : undefined}
          aria-describedby={`${id}-note`}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
          // Digits are always appended, because no caret is visible elsewhere.
          onSelect={({ currentTarget }) => {
            const end = currentTarget.value.length
            const isWhole = currentTarget.selectionStart === 0 && currentTarget.selectionEnd === end
            if (!isWhole && currentTarget.selectionStart !== end) currentTarget.setSelectionRange(end, end)
          }}
          onChange={({ target }) => onChange(target.value.replaceAll(/\D/g, '').slice(0, digits))}
          className="absolute inset-0 h-full w-full cursor-text opacity-0"
        />
      </div>
      {/* Reserves space, so that messages do not shift the layout. */}
      <div id={`${id}-note`} role="alert" className="min-h-4 text-small text-danger">
        {errorMessage}
      </div>
    </div>
  )
}
