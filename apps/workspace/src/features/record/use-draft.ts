import { useLocalDatabase } from '@holdfast/react'
import { useRef, useState } from 'react'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { type Draft, missingFields, removeDraft, saveDraft } from '../../lib/records/drafts.ts'
import { useRecordWriter } from '../../components/records/use-record-writer.ts'
import { storeOrTell } from '../../lib/data/unstored.ts'
import { recordMessages as words } from '../../messages/record.ts'

/** A draft that is being filled in. */
export interface DraftForm {
  /** The fields that it still needs, once the person has tried to create the record. */
  readonly missing: readonly Field[]
  /** @returns false when this device has no room for it */
  commit(field: Field, value: FieldValue): Promise<boolean>
  /** Creates the record, unless fields are missing. @returns the missing ones */
  create(): readonly Field[]
  /** Creates the record as it is; the server judges. */
  createAnyway(): void
  discard(): void
}

export function useDraft(table: TableInfo, fields: readonly Field[], draft: Draft): DraftForm {
  const { database } = useLocalDatabase()
  const writer = useRecordWriter()
  const [isAsked, setAsked] = useState(false)
  // Each save has all values so far, also those that the local database has not told of yet. One mount is one draft.
  const latest = useRef(draft)

  const insert = async (): Promise<void> => {
    const isStored = await writer.write({
      label: words.newOf(table.noun),
      changes: [{ kind: 'insert', table: table.name, id: draft.id, values: latest.current.values }],
    })
    if (isStored) await removeDraft(database, draft.id)
  }
  return {
    missing: isAsked ? missingFields(fields, draft.values) : [],
    commit(field, value) {
      latest.current = { ...latest.current, values: { ...latest.current.values, [field.name]: value } }
      return storeOrTell(words.changeOf(field.label, 1, table.noun, table.label), () =>
        saveDraft(database, latest.current),
      )
    },
    create() {
      const missing = missingFields(fields, latest.current.values)
      if (missing.length === 0) void insert()
      else setAsked(true)
      return missing
    },
    createAnyway: () => void insert(),
    discard: () => void storeOrTell(words.discardDraft, () => removeDraft(database, draft.id)),
  }
}
