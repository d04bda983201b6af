import { useRecords } from '@holdfast/react'
import { useWordedSchema } from '../../lib/data/use-tables.tsx'
import type { EditedValues, LeftOut, RejectedChange } from '@holdfast/client'
import { type JSX, useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { ErrorNotice, type ShownError } from '../../components/error-notice.tsx'
import { Notice } from '../../components/notice.tsx'
import { useRecordTitle } from '../../lib/data/use-record-title.ts'
import type { LocalValueOf } from '../../lib/fields/field-value.ts'
import { quoteName } from '../../lib/sql.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { valueOf } from './chosen-value.ts'
import { FieldInput } from './field-input.tsx'
import { SentField } from './sent-field.tsx'
import type { RejectedRecord } from './use-rejected-record.ts'
import { type WrittenRecord, writtenRecords } from './written-records.ts'

/** Edited values by record and column; `undefined` for an omitted column. */
type Choices = ReadonlyMap<string, ReadonlyMap<string, LocalValueOf | undefined>>

/** Edits a whole rejected change: all fields of all its records. Written fields can be omitted. */
export function EditAndSendDialog({
  change,
  record,
  explanation,
  isPending,
  error,
  onClose,
  onSend,
}: {
  readonly change: RejectedChange
  readonly record: RejectedRecord
  readonly explanation: string
  readonly isPending: boolean
  /** Why the last attempt was not stored. */
  readonly error: ShownError | Error | undefined
  readonly onClose: () => void
  readonly onSend: (edits: readonly EditedValues[], leftOut: readonly LeftOut[]) => void
}): JSX.Element {
  const schema = useWordedSchema()
  const records = writtenRecords(change, schema)
  const written = records.flatMap(({ fields }) => fields.filter(({ yours }) => yours !== undefined))
  const [choices, setChoices] = useState<Choices>(new Map())
  const choose = (key: string, column: string, value: LocalValueOf | undefined): void =>
    setChoices(new Map([...choices, [key, new Map([...(choices.get(key) ?? []), [column, value]])]]))
  const restore = (key: string, column: string): void =>
    setChoices(new Map([...choices, [key, new Map([...(choices.get(key) ?? [])].filter(([name]) => name !== column))]]))
  return (
    <FormDialog
      title={words.editTitle(record.noun, record.title)}
      submitLabel={words.editSend}
      size="md"
      isPending={isPending}
      onSubmit={() => onSend(...chosen(records, choices))}
      onClose={onClose}
    >
      <div className="flex flex-col gap-6">
        <Notice tone="warning" title={explanation} />
        {error ? <ErrorNotice error={error} /> : null}
        {records.map((one) => (
          <RecordPart
            key={one.key}
            change={change}
            written={one}
            hasTitle={records.length > 1}
            canLeaveOut={written.length > 1}
            choices={choices.get(one.key) ?? new Map()}
            onChoose={(column, value) => choose(one.key, column, value)}
            onRestore={(column) => restore(one.key, column)}
          />
        ))}
      </div>
    </FormDialog>
  )
}

function RecordPart({
  change,
  written,
  hasTitle,
  canLeaveOut,
  choices,
  onChoose,
  onRestore,
}: {
  readonly change: RejectedChange
  readonly written: WrittenRecord
  readonly hasTitle: boolean
  readonly canLeaveOut: boolean
  readonly choices: ReadonlyMap<string, LocalValueOf | undefined>
  readonly onChoose: (column: string, value: LocalValueOf | undefined) => void
  readonly onRestore: (column: string) => void
}): JSX.Element {
  const { table, recordId, fields, isHeldOnly } = written
  const { title } = useRecordTitle(table, recordId)
  const here = useRecords<Readonly<Record<string, LocalValueOf>>>(
    `select * from ${quoteName(table.name)} where id = ?`,
    [recordId],
  ).rows[0]
  const isRefused = table.name === change.table && recordId === change.recordId
  const named = isRefused && change.verdict.status === 'error' ? change.verdict.column : undefined
  const first = fields.filter(({ column, yours }) => yours !== undefined || column.name === named)
  const others = fields.filter((field) => !first.includes(field))
  const heading = `${table.noun.charAt(0).toUpperCase()}${table.noun.slice(1)} “${title}”`
  return (
    <fieldset className="flex flex-col gap-4">
      {hasTitle ? (
        <legend className="pb-2 text-body font-medium">{isHeldOnly ? words.editHeld(heading) : heading}</legend>
      ) : (
        <legend className="sr-only">{heading}</legend>
      )}
      {first.map(({ column, yours }) => (
        <SentField
          key={column.name}
          column={column}
          value={valueOf(choices, column.name, yours)}
          isSent={!choices.has(column.name) || choices.get(column.name) !== undefined}
          canLeaveOut={canLeaveOut && yours !== undefined}
          isNamed={column.name === named}
          onChange={(value) => onChoose(column.name, value)}
          onSent={(isSent) => (isSent ? onRestore(column.name) : onChoose(column.name, undefined))}
        />
      ))}
      {others.length === 0 ? null : (
        <Disclosure title={words.otherFields(others.length)}>
          <div className="flex flex-col gap-4 pt-2">
            {others.map(({ column }) => (
              <FieldInput
                key={column.name}
                column={column}
                value={valueOf(choices, column.name, here?.[column.name])}
                isNamed={false}
                onChange={(value) => onChoose(column.name, value)}
              />
            ))}
          </div>
        </Disclosure>
      )}
    </fieldset>
  )
}

/** Returns the choices that differ from the written values. */
function chosen(
  records: readonly WrittenRecord[],
  choices: Choices,
): readonly [readonly EditedValues[], readonly LeftOut[]] {
  const edits: EditedValues[] = []
  const leftOut: LeftOut[] = []
  for (const { key, table, recordId, fields } of records) {
    const own = [...(choices.get(key) ?? [])]
    const yours = new Map(fields.map((field) => [field.column.name, field.yours]))
    const values = own.filter(
      (entry): entry is [string, LocalValueOf] => entry[1] !== undefined && entry[1] !== yours.get(entry[0]),
    )
    const columns = own.flatMap(([name, value]) => (value === undefined ? [name] : []))
    if (values.length > 0) edits.push({ table: table.name, recordId, values: Object.fromEntries(values) })
    if (columns.length > 0) leftOut.push({ table: table.name, recordId, columns })
  }
  return [edits, leftOut]
}
