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

/** The record of a rejected change: the user's values and the current ones. */
export interface RejectedRecord {
  readonly table: TableInfo | undefined
  readonly noun: string
  readonly title: string
  /** The fields that the user wrote or the rejection names, with the written values. */
  readonly fields: readonly { readonly column: ColumnDescriptor; readonly yours: LocalValueOf | undefined }[]
  /** Values written to fields that no longer exist, or that this user can no longer see. */
  readonly lost: readonly LostField[]
  /** For conflicts: fields changed only by others in the meantime, with the values that the user saw. */
  readonly changedByOthers: readonly { readonly column: ColumnDescriptor; readonly yours: LocalValueOf | undefined }[]
  /** The server's row from the last checkpoint. `undefined` if this user cannot see it. */
  readonly serverRow: Row | undefined
  /** Whether the record can be opened on this device. */
  readonly isHere: boolean
  /** The record is still loading, so missing values may still arrive. */
  readonly isLoading: boolean
}

/** A written field of which only the name is known. */
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
  // The server's data, without local writes to the record.
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

/** Returns the transaction's values for this record; later writes override earlier ones. */
export function writtenValues(change: RejectedChange): Readonly<Record<string, LocalValueOf>> {
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

/** Returns the guarded values that the rejected write was based on. */
function seenValues({ verdict, operations }: RejectedChange): Readonly<Record<string, LocalValueOf>> {
  if (verdict.status !== 'conflict') return {}
  return operations.find(({ op_id }) => op_id === verdict.op_id)?.old ?? {}
}
