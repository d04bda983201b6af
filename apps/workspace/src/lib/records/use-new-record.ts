import { useJudgements, useLocalDatabase } from '@holdfast/react'
import type { TableInfo } from '../data/tables.ts'
import type { Field } from '../fields/field.ts'
import { uuidV7 } from '../fields/uuid-v7.ts'
import { recordMessages as words } from '../../messages/record.ts'
import { saveDraft } from './drafts.ts'
import type { RecordWriter } from './create-record-writer.ts'
import { storeOrTell } from '../data/unstored.ts'

/**
 * Makes a new record and returns its id (`undefined`: this device has no room); `undefined` when the person may not. A table whose records need values that
 * only a person can give gets a draft first: the server would refuse the empty record.
 *
 * @param isShown - the rows are on the screen; only then is it worth loading and asking what policies say
 */
export function useNewRecord(
  table: TableInfo,
  fields: readonly Field[],
  writer: RecordWriter,
  isShown: boolean,
): (() => Promise<string | undefined>) | undefined {
  const { database } = useLocalDatabase()
  // With nothing filled in yet: only what policies forbid whatever the values are.
  const [judgement] = useJudgements(isShown ? [{ table: table.name, command: 'insert', after: {} }] : []) ?? []
  if (!table.descriptor.can.insert || judgement?.kind === 'refused') return undefined
  return async () => {
    const id = uuidV7()
    const label = words.newOf(table.noun)
    const begin = (): Promise<boolean> =>
      storeOrTell(label, () => saveDraft(database, { id, table: table.name, values: {} }))
    if (fields.some((field) => field.isRequired)) return (await begin()) ? id : undefined
    const notStored = await writer.tryWrite({
      label,
      changes: [{ kind: 'insert', table: table.name, id, values: {} }],
    })
    // Refused while it is empty: with values it may be another matter.
    const isThere = notStored?.kind === 'refused' ? await begin() : notStored === undefined
    return isThere ? id : undefined
  }
}
