import { useRecords } from '@holdfast/react'
import { useFindTable } from '../../lib/data/use-tables.tsx'
import type { ColumnDescriptor } from '@holdfast/protocol'
import type { JSX } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { Select } from '../../components/select.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { fieldKindOf, type LocalValueOf, parseTyped } from '../../lib/fields/field-value.ts'
import { choiceWordsOf, labelOf } from '../../lib/data/column-words.ts'
import { choiceWords } from '../../lib/fields/format-value.ts'
import { quoteName } from '../../lib/sql.ts'
import { NumberInput } from './number-input.tsx'

/** Limit of linked records offered. */
const LINKS_MAX = 300

export interface FieldInputProps {
  readonly column: ColumnDescriptor
  readonly value: LocalValueOf
  /** The rejection names this field. */
  readonly isNamed: boolean
  readonly placeholder?: string
  readonly onChange: (value: LocalValueOf) => void
}

/** Edits a field of a rejected change by its Postgres type. The server validates the value. */
export function FieldInput(props: FieldInputProps): JSX.Element {
  const { column, value, isNamed, placeholder, onChange } = props
  const findTable = useFindTable()
  const label = labelOf(column)
  const kind = fieldKindOf(column)
  if (kind === 'choice') {
    const choices = new Set([...(column.choices ?? []), ...(value === null ? [] : [String(value)])])
    const options = [...choices].map((choice) => ({ value: choice, label: choiceWords(choice, choiceWordsOf(column)) }))
    return (
      <Select
        label={label}
        options={options}
        value={value === null ? null : String(value)}
        onChange={onChange}
        {...(placeholder === undefined ? {} : { placeholder })}
      />
    )
  }
  if (kind === 'boolean') {
    return (
      <Checkbox isSelected={value === 1} onChange={(isSelected) => onChange(isSelected ? 1 : 0)}>
        {label}
      </Checkbox>
    )
  }
  const linked = kind === 'link' && column.references ? findTable(column.references.table) : undefined
  if (linked) return <LinkInput {...props} table={linked} />
  if (kind === 'number') return <NumberInput {...props} />
  const text = value === null ? '' : String(value)
  return (
    <TextField
      label={label}
      value={text}
      onChange={(next) => onChange(parseTyped(column, next))}
      autoFocus={isNamed}
      {...(placeholder === undefined ? {} : { placeholder })}
      {...(kind === 'date' ? { type: 'date' } : {})}
      {...(kind === 'text' && text.length > 60 ? { rows: 4 } : {})}
    />
  )
}

function LinkInput({
  column,
  value,
  placeholder,
  onChange,
  table,
}: FieldInputProps & { readonly table: TableInfo }): JSX.Element {
  const title = table.titleColumn === undefined ? 'id' : quoteName(table.titleColumn)
  const { rows } = useRecords<{ readonly id: string; readonly title: string | null }>(
    `select id, ${title} as title from ${quoteName(table.name)} order by id = ? desc, ${title} limit ${LINKS_MAX}`,
    [value],
  )
  return (
    <Select
      label={labelOf(column)}
      options={rows.map((row) => ({ value: row.id, label: row.title ?? row.id }))}
      value={value === null ? null : String(value)}
      onChange={onChange}
      {...(placeholder === undefined ? {} : { placeholder })}
    />
  )
}
