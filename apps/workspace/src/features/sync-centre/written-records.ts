import type { RejectedChange } from '@holdfast/client'
import type { ColumnDescriptor, SchemaDescriptor, UploadOperation } from '@holdfast/protocol'
import { toTableInfo, type TableInfo } from '../../lib/data/tables.ts'
import type { LocalValueOf } from '../../lib/fields/field-value.ts'

export interface WrittenField {
  readonly column: ColumnDescriptor
  /** The user's last value; `undefined` if the change does not write the field. */
  readonly yours: LocalValueOf | undefined
}

/** A record written by a rejected change or by changes held behind it. */
export interface WrittenRecord {
  readonly key: string
  readonly table: TableInfo
  readonly recordId: string
  /** The written fields first, then all other editable ones. */
  readonly fields: readonly WrittenField[]
  readonly isHeldOnly: boolean
}

/** Returns the records of a rejected change with their editable fields, its own record first. */
export function writtenRecords(change: RejectedChange, schema: SchemaDescriptor): readonly WrittenRecord[] {
  const own = change.operations
  const all = [...own, ...change.held.flatMap(({ operations }) => operations)]
  const records = new Map<string, UploadOperation[]>()
  for (const operation of all) {
    const key = `${operation.type}/${operation.id}`
    records.set(key, [...(records.get(key) ?? []), operation])
  }
  const named = change.verdict.status === 'error' ? change.verdict.column : undefined
  const isRefused = (key: string): boolean => key === `${change.table}/${change.recordId}`
  return [...records]
    .toSorted(([a], [b]) => Number(isRefused(b)) - Number(isRefused(a)))
    .flatMap(([key, operations]): readonly WrittenRecord[] => {
      const [first] = operations
      const descriptor = schema.tables.find(({ name }) => name === first?.type)
      if (!first || !descriptor || operations.every(({ op }) => op === 'DELETE')) return []
      const yours = Object.assign({}, ...operations.map(({ data }) => data)) as Record<string, LocalValueOf>
      const fields = descriptor.columns
        .filter(
          ({ name, generated, type }) => name !== 'id' && !generated && (name in yours || isForPeople(name, type)),
        )
        .map((column) => ({ column, yours: column.name in yours ? (yours[column.name] ?? null) : undefined }))
      const rank = ({ column, yours: value }: WrittenField): number =>
        value !== undefined ? 0 : column.name === named ? 1 : 2
      return [
        {
          key,
          table: toTableInfo(descriptor),
          recordId: first.id,
          fields: fields.toSorted((a, b) => rank(a) - rank(b)),
          isHeldOnly: !own.includes(first),
        },
      ]
    })
}

const SYSTEM = new Set(['created_at', 'updated_at', 'created_by', 'updated_by', 'deleted_at'])

function isForPeople(name: string, type: string): boolean {
  return !SYSTEM.has(name) && type !== 'bytea'
}
