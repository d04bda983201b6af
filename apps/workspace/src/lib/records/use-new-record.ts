import { useLocalDatabase } from '@holdfast/react'
import type { TableInfo } from '../data/tables.ts'
import type { Field } from '../fields/field.ts'
import { uuidV7 } from '../fields/uuid-v7.ts'
import { recordMessages as words } from '../../messages/record.ts'
import { saveDraft } from './drafts.ts'
import type { RecordValues } from './record-change.ts'
import type { RecordWriter } from './create-record-writer.ts'
import { storeOrTell } from '../data/unstored.ts'
import { useMayAdd } from './use-may-add.ts'

/**
 * Returns a function that creates a record and returns its id (`undefined` if this device is full); `undefined` if not permitted. Tables with required values
 * get a draft first, because the server would refuse an empty record.
 *
 * @param isShown - whether the rows are on screen; only then policies are evaluated
 * @param values - of the new record
 */
export function useNewRecord(
  table: TableInfo,
  fields: readonly Field[],
  writer: RecordWriter,
  isShown: boolean,
  values: RecordValues = {},
): (() => Promise<string | undefined>) | undefined {
  const { database } = useLocalDatabase()
  const mayAdd = useMayAdd(table, isShown)
  if (!mayAdd) return undefined
  return async () => {
    const id = uuidV7()
    const label = words.newOf(table.noun)
    const command = await writer.complete({ label, changes: [{ kind: 'insert', table: table.name, id, values }] })
    const given = command.changes[0]?.values ?? values
    const begin = (): Promise<boolean> =>
      storeOrTell(label, () => saveDraft(database, { id, table: table.name, values: given }))
    if (fields.some(({ isRequired, name }) => isRequired && !Object.hasOwn(given, name)))
      return (await begin()) ? id : undefined
    const notStored = await writer.tryWrite(command)
    // Refused only while empty: values may change that.
    const isThere = notStored?.kind === 'refused' ? await begin() : notStored === undefined
    return isThere ? id : undefined
  }
}
