import { useLocalDatabase } from '@holdfast/react'
import type { TableInfo } from '../data/tables.ts'
import type { Field } from '../fields/field.ts'
import { uuidV7 } from '../fields/uuid-v7.ts'
import { recordMessages as words } from '../../messages/record.ts'
import { saveDraft } from './drafts.ts'
import type { RecordWriter } from './create-record-writer.ts'

/**
 * Makes a new record and returns its id; `undefined` when the person may not. A table whose records need values that
 * only a person can give gets a draft first: the server would refuse the empty record.
 */
export function useNewRecord(
  table: TableInfo,
  fields: readonly Field[],
  writer: RecordWriter,
): (() => Promise<string>) | undefined {
  const { database } = useLocalDatabase()
  if (!table.descriptor.can.insert) return undefined
  return async () => {
    const id = uuidV7()
    if (fields.some((field) => field.isRequired)) await saveDraft(database, { id, table: table.name, values: {} })
    else
      await writer.write({
        label: words.newOf(table.noun),
        changes: [{ kind: 'insert', table: table.name, id, values: {} }],
      })
    return id
  }
}
