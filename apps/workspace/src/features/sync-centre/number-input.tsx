import type { ColumnDescriptor } from '@holdfast/protocol'
import { type JSX, useState } from 'react'
import { TextField } from '../../components/text-field.tsx'
import { labelOf } from '../../lib/data/column-words.ts'
import { type LocalValueOf, numberText, parseTyped } from '../../lib/fields/field-value.ts'

/** Shows what is typed until it is another number: `4,` on the way to `4,5` is 4 already. */
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
  const isTyped = typed !== undefined && parseTyped(column, typed) === value
  return (
    <TextField
      label={labelOf(column)}
      value={isTyped ? typed : numberText(value)}
      inputMode="decimal"
      onChange={(text) => {
        setTyped(text)
        onChange(parseTyped(column, text))
      }}
      autoFocus={isNamed}
      {...(placeholder === undefined ? {} : { placeholder })}
    />
  )
}
