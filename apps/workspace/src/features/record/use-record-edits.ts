import { useState } from 'react'
import { showToast } from '../../components/toast.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { FULL, type NotStored } from '../../lib/records/not-stored.ts'
import type { NewCommand, RecordValues } from '../../lib/records/record-change.ts'
import type { RecordWriter } from '../../lib/records/create-record-writer.ts'
import { recordMessages as words } from '../../messages/record.ts'

/** A record including the user's latest edits, with functions to write it. */
export interface RecordEdits {
  readonly values: RecordValues
  /**
   * @param isUnjudged - stores the value even if policies are known to refuse it; it becomes a rejected change
   * @returns why it was not stored; the previous value then stays
   */
  commit(field: Field, value: FieldValue, isUnjudged?: boolean): Promise<NotStored | undefined>
  /** Deletes the record. */
  remove(): Promise<void>
}

/** @param stored - the values that the local database last reported */
export function useRecordEdits(table: TableInfo, id: string, stored: RecordValues, writer: RecordWriter): RecordEdits {
  // A local write is shown at once, until the database reports the record again.
  const [written, setWritten] = useState<{ readonly over: RecordValues; readonly values: RecordValues }>()
  const own = written?.over === stored ? written.values : {}
  const values = { ...stored, ...own }
  const many = table.many
  return {
    values,
    async commit({ name, label }, value, isUnjudged = false) {
      const before = values[name] ?? null
      setWritten({ over: stored, values: { ...own, [name]: value } })
      const command: NewCommand = {
        label: words.changeOf(label, 1, table.noun, many),
        changes: [{ kind: 'update', table: table.name, id, values: { [name]: value }, before: { [name]: before } }],
      }
      const notStored = isUnjudged ? ((await writer.write(command)) ? undefined : FULL) : await writer.tryWrite(command)
      if (notStored) setWritten(undefined)
      return notStored
    },
    async remove() {
      const whole = Object.fromEntries(Object.entries(stored).filter(([name]) => name !== 'id'))
      const isStored = await writer.writeOrTell({
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
