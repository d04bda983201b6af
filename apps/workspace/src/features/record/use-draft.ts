import { useLocalDatabase } from '@holdfast/react'
import { useRef, useState } from 'react'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { type Draft, missingFields, removalOf, removeDraft, saveDraft } from '../../lib/records/drafts.ts'
import { FULL, type NotStored, type Refused } from '../../lib/records/not-stored.ts'
import { useRecordWriter } from '../../components/records/use-record-writer.ts'
import { useOneAtATime } from '../../hooks/use-one-at-a-time.ts'
import { storeOrTell } from '../../lib/data/unstored.ts'
import { recordMessages as words } from '../../messages/record.ts'

/** A draft being filled in. */
export interface DraftForm {
  /** Required fields that are empty, once the user has tried to create the record. */
  readonly missing: readonly Field[]
  /** Why the record was not created: Postgres would certainly refuse it. */
  readonly refusal: Refused | undefined
  /** @returns why it is not stored; `undefined`: it is */
  commit(field: Field, value: FieldValue): Promise<NotStored | undefined>
  /** Creates the record unless required fields are empty. @returns those fields */
  create(): readonly Field[]
  /** Creates the record despite empty fields, unless it is known to be refused. */
  createAnyway(): void
  discard(): void
}

export function useDraft(table: TableInfo, fields: readonly Field[], draft: Draft): DraftForm {
  const { database } = useLocalDatabase()
  const writer = useRecordWriter()
  const [isAsked, setAsked] = useState(false)
  const [refusal, setRefusal] = useState<Refused>()
  // Each save includes all values so far, even those that the local database has not reported yet. Each mount is one draft.
  const latest = useRef(draft)
  const alone = useOneAtATime<void>()

  const insert = (): Promise<void> => alone(insertNow)
  const insertNow = async (): Promise<void> => {
    const notStored = await writer.tryWrite({
      label: words.newOf(table.noun),
      changes: [{ kind: 'insert', table: table.name, id: draft.id, values: latest.current.values }],
      drafts: [removalOf(draft.id)],
    })
    if (notStored?.kind === 'refused') setRefusal(notStored)
  }
  return {
    missing: isAsked ? missingFields(fields, draft.values) : [],
    refusal,
    async commit(field, value) {
      latest.current = { ...latest.current, values: { ...latest.current.values, [field.name]: value } }
      setRefusal(undefined)
      const label = words.changeOf(field.label, 1, table.noun, table.label)
      return (await storeOrTell(label, () => saveDraft(database, latest.current))) ? undefined : FULL
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
