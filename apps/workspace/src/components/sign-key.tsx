import { type JSX, type RefObject } from 'react'
import { flipSign } from '../lib/fields/numbers.ts'
import { fieldMessages as words } from '../messages/fields.ts'

/** The minus that an iPhone's keys for numbers do not have, in a field for a number. Only under a finger: other keyboards have one. */
export function SignKey({
  label,
  inputRef,
  value,
  onChange,
}: {
  /** What the field is called. */
  readonly label: string
  readonly inputRef: RefObject<HTMLInputElement | null>
  readonly value: string
  readonly onChange: (value: string) => void
}): JSX.Element {
  return (
    <button
      type="button"
      aria-label={words.changeSign(label)}
      className="hidden size-11 shrink-0 place-items-center rounded-sm text-display text-muted active:bg-pressed coarse:grid print:hidden"
      // The field keeps the focus, and its keys stay on the screen.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => {
        inputRef.current?.focus()
        onChange(flipSign(value))
      }}
    >
      ±
    </button>
  )
}
