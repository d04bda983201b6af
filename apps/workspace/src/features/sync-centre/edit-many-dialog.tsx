import type { EditedValues, LeftOut, RejectedChange } from '@holdfast/client'
import { useWordedSchema } from '../../lib/data/use-tables.tsx'
import type { ColumnDescriptor } from '@holdfast/protocol'
import { type JSX, useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { ErrorNotice, type ShownError } from '../../components/error-notice.tsx'
import { Notice } from '../../components/notice.tsx'
import type { LocalValueOf } from '../../lib/fields/field-value.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { valueOf } from './chosen-value.ts'
import { SentField } from './sent-field.tsx'
import { writtenRecords } from './written-records.ts'

/** The parts of a change to send, as arguments of `retry`. */
export type EditOf = (change: RejectedChange) => readonly [readonly EditedValues[], readonly LeftOut[]]

/** Sets the same values in the records of several rejected changes, or omits fields from all of them. */
export function EditManyDialog({
  changes,
  isPending,
  error,
  onClose,
  onSend,
}: {
  readonly changes: readonly RejectedChange[]
  readonly isPending: boolean
  /** Why the last attempt was not stored. */
  readonly error: ShownError | Error | undefined
  readonly onClose: () => void
  readonly onSend: (edit: EditOf) => void
}): JSX.Element {
  const schema = useWordedSchema()
  const [choices, setChoices] = useState<ReadonlyMap<string, LocalValueOf | undefined>>(new Map())
  const fields = commonFields(changes.map((change) => ownFields(change)))
  return (
    <FormDialog
      title={words.editManyTitle(changes.length)}
      submitLabel={words.sendMany(changes.length)}
      size="md"
      isPending={isPending}
      onSubmit={() => onSend(editOf)}
      onClose={onClose}
    >
      <Notice title={words.editManyLead} />
      {error ? <ErrorNotice error={error} /> : null}
      {fields.map(({ column, value, isSame }) => (
        <SentField
          key={column.name}
          column={column}
          value={valueOf(choices, column.name, isSame ? value : null)}
          isSent={!choices.has(column.name) || choices.get(column.name) !== undefined}
          canLeaveOut={fields.length > 1}
          isNamed={false}
          placeholder={isSame ? '' : words.severalValues}
          onChange={(next) => setChoices(new Map([...choices, [column.name, next]]))}
          onSent={(isSent) => {
            const others = [...choices].filter(([name]) => name !== column.name)
            setChoices(new Map(isSent ? others : [...others, [column.name, undefined]]))
          }}
        />
      ))}
    </FormDialog>
  )

  function ownFields(change: RejectedChange): ReadonlyMap<string, [ColumnDescriptor, LocalValueOf]> {
    const own = writtenRecords(change, schema).find(
      ({ table, recordId }) => table.name === change.table && recordId === change.recordId,
    )
    return new Map(
      (own?.fields ?? []).flatMap(({ column, yours }) => (yours === undefined ? [] : [[column.name, [column, yours]]])),
    )
  }

  function editOf(change: RejectedChange): readonly [readonly EditedValues[], readonly LeftOut[]] {
    const record = { table: change.table, recordId: change.recordId }
    const values = [...choices].filter((entry): entry is [string, LocalValueOf] => entry[1] !== undefined)
    const columns = [...choices].flatMap(([name, value]) => (value === undefined ? [name] : []))
    return [
      values.length > 0 ? [{ ...record, values: Object.fromEntries(values) }] : [],
      columns.length > 0 ? [{ ...record, columns }] : [],
    ]
  }
}

interface CommonField {
  readonly column: ColumnDescriptor
  readonly value: LocalValueOf
  /** Every change writes this value. */
  readonly isSame: boolean
}

/** Returns the fields that all changes write. */
function commonFields(
  changes: readonly ReadonlyMap<string, readonly [ColumnDescriptor, LocalValueOf]>[],
): readonly CommonField[] {
  const [first, ...others] = changes
  return [...(first ?? [])].flatMap(([name, [column, value]]) =>
    others.every((fields) => fields.has(name))
      ? [{ column, value, isSame: others.every((fields) => fields.get(name)?.[1] === value) }]
      : [],
  )
}
