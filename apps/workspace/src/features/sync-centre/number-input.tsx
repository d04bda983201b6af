import type { ColumnDescriptor } from '@holdfast/protocol'
import { type JSX, useRef, useState } from 'react'
import { SignKey } from '../../components/sign-key.tsx'
import { TextField } from '../../components/text-field.tsx'
import { labelOf } from '../../lib/data/column-words.ts'
import { type LocalValueOf, numberText, parseTyped } from '../../lib/fields/field-value.ts'

/** Keeps the typed text until its number changes: while typing `4,5`, the text `4,` already means 4. */
export function NumberInput({
  column,
  value,
  isNamed,
  placeholder,
  onChange,
}: {
  readonly column: ColumnDescriptor
  readonly value: LocalValueOf
  readonly isNamed: boolean
  readonly placeholder?: string
  readonly onChange: (value: LocalValueOf) => void
}): JSX.Element {
  const [typed, setTyped] = useState<string>()
  const inputRef = useRef<HTMLInputElement>(null)
  const isTyped = typed !== undefined && parseTyped(column, typed) === value
  const label = labelOf(column)
  const shown = isTyped ? typed : numberText(value)
  const type = (text: string): void => {
    setTyped(text)
    onChange(parseTyped(column, text))
  }
  return (
    <TextField
      label={label}
      value={shown}
      inputMode="decimal"
      inputRef={inputRef}
      trailing={<SignKey {...{ label, inputRef }} value={shown} onChange={type} />}
      onChange={type}
      autoFocus={isNamed}
      {...(placeholder === undefined ? {} : { placeholder })}
    />
  )
}
