import { useState } from 'react'
import { showToast } from '../../components/toast.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import type { RecordValues } from '../../lib/records/record-change.ts'
import type { RecordWriter } from '../../lib/records/create-record-writer.ts'
import { recordMessages as words } from '../../messages/record.ts'

/** A record with what the person has just written, and how it is written. */
export interface RecordEdits {
  readonly values: RecordValues
  /** @returns false when this device has no room for it: the stored value stays */
  commit(field: Field, value: FieldValue): Promise<boolean>
  /** Deletes the record. */
  remove(): Promise<void>
}

/** @param stored - the values as the local database told of them last */
export function useRecordEdits(table: TableInfo, id: string, stored: RecordValues, writer: RecordWriter): RecordEdits {
  // A local write is shown at once, until the database tells of the record again.
  const [written, setWritten] = useState<{ readonly over: RecordValues; readonly values: RecordValues }>()
  const own = written?.over === stored ? written.values : {}
  const values = { ...stored, ...own }
  const many = table.label.toLowerCase()
  return {
    values,
    async commit({ name, label }, value) {
      const before = values[name] ?? null
      setWritten({ over: stored, values: { ...own, [name]: value } })
      const isStored = await writer.write({
        label: words.changeOf(label, 1, table.noun, many),
        changes: [{ kind: 'update', table: table.name, id, values: { [name]: value }, before: { [name]: before } }],
      })
      if (!isStored) setWritten(undefined)
      return isStored
    },
    async remove() {
      const whole = Object.fromEntries(Object.entries(stored).filter(([name]) => name !== 'id'))
      const isStored = await writer.write({
        label: words.deletionOf(1, table.noun, many),
        changes: [{ kind: 'delete', table: table.name, id, values: whole }],
      })
      if (!isStored) return
      showToast({
        text: words.deleted(1, table.noun, many),
        action: { label: words.undo, run: () => void writer.undo() },
      })
    },
  }
}
