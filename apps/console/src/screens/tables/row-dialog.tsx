import { type JSX, useState } from 'react'
import type { ColumnValue, TableCell, TableColumnDetails, TableRow } from '@holdfast/protocol'
import { Button, FormDialog, Notice } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { readValue, textOf, useRowChange, type RowsTarget } from './use-rows.ts'
import { type Field, ValueField } from './value-field.tsx'

type Fields = ReadonlyMap<string, Field>

/** Inserts a row, or edits the columns of one. */
export function RowDialog({
  target,
  columns,
  row,
  onClose,
  onDone,
}: {
  readonly target: RowsTarget
  readonly columns: readonly TableColumnDetails[]
  /** The row as it was read; `undefined` inserts one. */
  readonly row: TableRow | undefined
  readonly onClose: () => void
  readonly onDone: () => void
}): JSX.Element {
  const [base, setBase] = useState(row)
  const [fields, setFields] = useState<Fields>(new Map())
  const change = useRowChange(row ? 'update' : 'insert', target)
  const stale = change.data?.state === 'stale' ? change.data.current : undefined
  const cellOf = (given: TableRow | undefined, name: string): TableCell =>
    given?.cells[columns.findIndex((column) => column.name === name)] ?? null
  const values = [...fields].flatMap(([column, { choice, text }]): ColumnValue[] =>
    choice === 'kept' ? [] : [{ column, value: choice === 'null' ? null : text }],
  )
  const save = (given: TableRow | undefined): void =>
    change.mutate(
      { values, ...(given && { row: { address: given.address, version: given.version } }) },
      { onSuccess: ({ state }) => (state === 'done' ? onDone() : undefined) },
    )
  return (
    <FormDialog
      title={row ? 'Edit row' : 'Insert row'}
      submitLabel={row ? 'Save' : 'Insert'}
      size="md"
      isPending={change.isPending}
      isDisabled={row !== undefined && values.length === 0}
      onSubmit={() => save(base)}
      onClose={onClose}
    >
      {columns
        .filter(({ isGenerated }) => !isGenerated)
        .map((column) => (
          <ValueField
            key={column.name}
            column={column}
            cell={base ? cellOf(base, column.name) : undefined}
            field={fields.get(column.name) ?? { choice: 'kept', text: textOf(cellOf(base, column.name)) ?? '' }}
            loadWhole={base ? () => readValue(target, base, column.name) : undefined}
            onChange={(field) => setFields((before) => new Map(before).set(column.name, field))}
          />
        ))}
      {stale ? (
        <StaleNotice
          values={values}
          nowOf={(column) => textOf(cellOf(stale, column))}
          onKeep={() => {
            setBase(stale)
            change.reset()
          }}
          onOverwrite={() => save(stale)}
        />
      ) : null}
      {change.data?.state === 'gone' ? (
        <Notice tone="danger" role="alert" title="The row is gone, or this identity does not see it any more" />
      ) : null}
      <FormError error={change.error} />
    </FormDialog>
  )
}

/** Shows both values of a row that changed meanwhile. */
function StaleNotice({
  values,
  nowOf,
  onKeep,
  onOverwrite,
}: {
  readonly values: readonly ColumnValue[]
  readonly nowOf: (column: string) => string | null
  readonly onKeep: () => void
  readonly onOverwrite: () => void
}): JSX.Element {
  return (
    <Notice
      tone="danger"
      role="alert"
      title="This row has changed since you opened it"
      actions={
        <>
          <Button size="sm" onPress={onKeep}>
            Keep editing the current row
          </Button>
          <Button size="sm" tone="danger" onPress={onOverwrite}>
            Save mine anyway
          </Button>
        </>
      }
    >
      <ul>
        {values.map(({ column, value }) => (
          <li key={column}>
            <b>{column}</b>: yours {quoted(value)}, now {quoted(nowOf(column))}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function quoted(text: string | null): string {
  return text === null ? 'null' : `“${text.slice(0, 200)}”`
}
