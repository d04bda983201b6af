import { useEffect, useRef, useState } from 'react'
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

/** An edit of this screen that the database has not reported yet. */
interface Edit {
  readonly value: FieldValue
  /** The record as reported when the edit was stored; `undefined` while it is being written. */
  readonly over: RecordValues | undefined
}

const NO_EDITS: Readonly<Record<string, Edit>> = {}

/** @param stored - the values that the local database last reported */
export function useRecordEdits(table: TableInfo, id: string, stored: RecordValues, writer: RecordWriter): RecordEdits {
  // An edit is shown at once, and until the database has reported the record after storing it: a report meanwhile has the old value.
  const [edits, setEdits] = useState(NO_EDITS)
  const latest = useRef(stored)
  useEffect(() => {
    latest.current = stored
  }, [stored])
  const shown = Object.entries(edits).filter(([, { over }]) => over === undefined || over === stored)
  const values = { ...stored, ...Object.fromEntries(shown.map(([name, { value }]) => [name, value])) }
  const many = table.many
  return {
    values,
    async commit({ name, label }, value, isUnjudged = false) {
      const before = values[name] ?? null
      const edit: Edit = { value, over: undefined }
      setEdits((others) => ({ ...others, [name]: edit }))
      const command: NewCommand = {
        label: words.changeOf(label, 1, table.noun, many),
        changes: [{ kind: 'update', table: table.name, id, values: { [name]: value }, before: { [name]: before } }],
      }
      const writing = isUnjudged
        ? writer.write(command).then((isStored) => (isStored ? undefined : FULL))
        : writer.tryWrite(command)
      let notStored: NotStored | undefined = FULL
      try {
        notStored = await writing
      } finally {
        const over = latest.current
        const isReported = notStored !== undefined || over[name] === value
        setEdits((others) => {
          // A later edit of the field is still being written.
          if (others[name] !== edit) return others
          const { [name]: _edit, ...rest } = others
          return isReported ? rest : { ...rest, [name]: { value, over } }
        })
      }
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
