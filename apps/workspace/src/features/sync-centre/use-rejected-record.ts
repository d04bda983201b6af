import { useRecords } from '@holdfast/react'
import { useFindTable, useWordedSchema } from '../../lib/data/use-tables.tsx'
import type { RejectedChange } from '@holdfast/client'
import type { ColumnDescriptor } from '@holdfast/protocol'
import type { TableInfo } from '../../lib/data/tables.ts'
import { shortId } from '../../lib/data/use-record-title.ts'
import type { LocalValueOf } from '../../lib/fields/field-value.ts'
import { humanize } from '../../lib/format.ts'
import { quoteName } from '../../lib/sql.ts'

type Row = Readonly<Record<string, LocalValueOf>>

/** The record of a refused change: the values that the person wrote, and the current ones. */
export interface RejectedRecord {
  readonly table: TableInfo | undefined
  readonly noun: string
  readonly title: string
  /** The fields that the person wrote, and those that the refusal names, with what was written. */
  readonly fields: readonly { readonly column: ColumnDescriptor; readonly yours: LocalValueOf | undefined }[]
  /** What the person wrote into fields that the table does not have any more, or that this person may not see now. */
  readonly lost: readonly LostField[]
  /** Of a conflict: what another person changed meanwhile in fields that the person did not write, with what the person saw. */
  readonly changedByOthers: readonly { readonly column: ColumnDescriptor; readonly yours: LocalValueOf | undefined }[]
  /** The record as the server has it, from its last checkpoint. `undefined` when it is not visible to this person. */
  readonly serverRow: Row | undefined
  /** Whether the record can be opened on this device. */
  readonly isHere: boolean
  /** The record has not been read yet, so missing values above may still come. */
  readonly isLoading: boolean
}

/** A written field of which only its name is known. */
export interface LostField {
  readonly name: string
  readonly label: string
  readonly yours: LocalValueOf
}

export function useRejectedRecord(change: RejectedChange): RejectedRecord {
  const schema = useWordedSchema()
  const descriptor = schema.tables.find(({ name }) => name === change.table)
  const table = useFindTable()(change.table)
  const { rows: here, isLoading: isReadingHere } = useRecords<{ readonly id: string }>(
    descriptor ? `select id from ${quoteName(descriptor.name)} where id = ?` : '',
    descriptor ? [change.recordId] : [],
  )
  // What the server sent, untouched by local writes to the same record.
  const { rows: sent, isLoading: isReadingSent } = useRecords<{ readonly data: string | null }>(
    'select data from ps_oplog where row_type = ? and row_id = ? order by op_id desc limit 1',
    [change.table, change.recordId],
  )
  const data = sent[0]?.data
  const serverRow = data === null || data === undefined ? undefined : (JSON.parse(data) as Row)
  const yours = writtenValues(change)
  const named = change.verdict.status === 'error' ? change.verdict.column : undefined
  const fields = (descriptor?.columns ?? [])
    .filter((column) => column.name !== 'id' && !column.generated && (column.name in yours || column.name === named))
    .map((column) => ({ column, yours: yours[column.name] }))
  const seen = seenValues(change)
  const changedByOthers = (descriptor?.columns ?? [])
    .filter(({ name }) => name in seen && !(name in yours) && seen[name] !== change.serverRow?.[name])
    .map((column) => ({ column, yours: seen[column.name] }))
  const title =
    table?.titleColumn === undefined ? undefined : (yours[table.titleColumn] ?? serverRow?.[table.titleColumn])
  return {
    table,
    noun: table?.noun ?? humanize(change.table).toLowerCase(),
    title: title === undefined || title === null || title === '' ? shortId(change.recordId) : String(title),
    fields,
    lost: lostFields(yours, descriptor?.columns ?? []),
    changedByOthers,
    serverRow,
    isHere: here.length > 0,
    isLoading: isReadingSent || (descriptor !== undefined && isReadingHere),
  }
}

/** Everything the transaction wrote to this record, later writes over earlier ones. */
function writtenValues(change: RejectedChange): Readonly<Record<string, LocalValueOf>> {
  const own = change.operations.filter(({ type, id }) => type === change.table && id === change.recordId)
  return Object.assign({}, ...own.map(({ data }) => data ?? {})) as Record<string, LocalValueOf>
}

function lostFields(
  yours: Readonly<Record<string, LocalValueOf>>,
  columns: readonly ColumnDescriptor[],
): readonly LostField[] {
  const known = new Set(['id', ...columns.map(({ name }) => name)])
  return Object.entries(yours).flatMap(([name, value]) =>
    known.has(name) ? [] : [{ name, label: humanize(name), yours: value }],
  )
}

/** The guarded values that the refused write was made from. */
function seenValues({ verdict, operations }: RejectedChange): Readonly<Record<string, LocalValueOf>> {
  if (verdict.status !== 'conflict') return {}
  return operations.find(({ op_id }) => op_id === verdict.op_id)?.old ?? {}
}
