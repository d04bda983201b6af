import type { RejectedChange } from '@holdfast/client'
import type { ColumnDescriptor } from '@holdfast/protocol'
import { type JSX, useState } from 'react'
import { Form } from 'react-aria-components/Form'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { Select } from '../../components/select.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useDevice } from '../../lib/data/device-context.tsx'
import { type TableInfo, toTableInfo } from '../../lib/data/tables.ts'
import { useLocalQuery } from '../../lib/data/use-local-query.ts'
import { fieldKindOf, type LocalValueOf, parseTyped } from '../../lib/field-value.ts'
import { humanize } from '../../lib/format.ts'
import { quoteName } from '../../lib/sql.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import type { RejectedRecord } from './use-rejected-record.ts'

const FORM_ID = 'edit-and-send'
/** Linked records to choose from. */
const LINKS_MAX = 300

/** The refused values in a form; sending them makes a new local transaction in place of the refused one. */
export function EditAndSendDialog({
  change,
  record,
  explanation,
  isPending,
  onClose,
  onSend,
}: {
  readonly change: RejectedChange
  readonly record: RejectedRecord
  readonly explanation: string
  readonly isPending: boolean
  readonly onClose: () => void
  readonly onSend: (values: Readonly<Record<string, LocalValueOf>>) => void
}): JSX.Element {
  const [values, setValues] = useState<Readonly<Record<string, LocalValueOf>>>(() =>
    Object.fromEntries(record.fields.map(({ column, yours }) => [column.name, yours ?? null])),
  )
  const named = change.verdict.status === 'error' ? change.verdict.column : undefined
  return (
    <Dialog
      title={words.editTitle(record.noun, record.title)}
      isOpen
      onClose={onClose}
      size="md"
      actions={
        <>
          <Button onPress={onClose}>{words.cancel}</Button>
          <Button tone="primary" type="submit" form={FORM_ID} isPending={isPending}>
            {words.editSend}
          </Button>
        </>
      }
    >
      <Form
        id={FORM_ID}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          onSend(values)
        }}
      >
        <Notice tone="warning" title={explanation} />
        {record.fields.map(({ column }) => (
          <FieldInput
            key={column.name}
            column={column}
            value={values[column.name] ?? null}
            isNamed={column.name === named}
            onChange={(value) => setValues({ ...values, [column.name]: value })}
          />
        ))}
      </Form>
    </Dialog>
  )
}

interface FieldInputProps {
  readonly column: ColumnDescriptor
  readonly value: LocalValueOf
  /** The refusal is about this field. */
  readonly isNamed: boolean
  readonly onChange: (value: LocalValueOf) => void
}

function FieldInput(props: FieldInputProps): JSX.Element {
  const { column, value, isNamed, onChange } = props
  const { schema } = useDevice()
  const label = humanize(column.name)
  const kind = fieldKindOf(column)
  if (kind === 'choice') {
    const options = (column.choices ?? []).map((choice) => ({ value: choice, label: humanize(choice) }))
    return <Select label={label} options={options} value={value === null ? null : String(value)} onChange={onChange} />
  }
  if (kind === 'boolean') {
    return (
      <Checkbox isSelected={value === 1} onChange={(isSelected) => onChange(isSelected ? 1 : 0)}>
        {label}
      </Checkbox>
    )
  }
  const linked = kind === 'link' ? schema.tables.find(({ name }) => name === column.references?.table) : undefined
  if (linked) return <LinkInput {...props} table={toTableInfo(linked)} />
  const text = value === null ? '' : String(value)
  return (
    <TextField
      label={label}
      value={text}
      onChange={(next) => onChange(parseTyped(column, next))}
      autoFocus={isNamed}
      {...(kind === 'number' ? { inputMode: 'decimal' as const } : {})}
      {...(kind === 'date' ? { type: 'date' } : {})}
      {...(kind === 'text' && text.length > 60 ? { rows: 4 } : {})}
    />
  )
}

function LinkInput({ column, value, onChange, table }: FieldInputProps & { readonly table: TableInfo }): JSX.Element {
  const title = table.titleColumn === undefined ? 'id' : quoteName(table.titleColumn)
  const { rows } = useLocalQuery<{ readonly id: string; readonly title: string | null }>(
    `select id, ${title} as title from ${quoteName(table.name)} order by id = ? desc, ${title} limit ${LINKS_MAX}`,
    [value],
  )
  return (
    <Select
      label={humanize(column.name)}
      options={rows.map((row) => ({ value: row.id, label: row.title ?? row.id }))}
      value={value === null ? null : String(value)}
      onChange={onChange}
    />
  )
}
