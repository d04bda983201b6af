import { type JSX, type RefObject } from 'react'
import { flipSign } from '../lib/fields/numbers.ts'
import { fieldMessages as words } from '../messages/fields.ts'

/** A minus button for number fields on touch screens, because iPhone number keypads lack it. */
export function SignKey({
  label,
  inputRef,
  value,
  onChange,
}: {
  /** The field's label. */
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
      // Keeps the field's focus and its keypad open.
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
