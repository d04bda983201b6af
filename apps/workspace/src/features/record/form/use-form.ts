import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import { useJudgements, useLocalDatabase } from '@holdfast/react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useRecordWriter } from '../../../components/records/use-record-writer.ts'
import type { RecordWriter } from '../../../lib/records/create-record-writer.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { storeOrTell } from '../../../lib/data/unstored.ts'
import type { Field, FieldValue } from '../../../lib/fields/field.ts'
import { uuidV7 } from '../../../lib/fields/uuid-v7.ts'
import { type Draft, removalOf, removeDraft, saveDraft } from '../../../lib/records/drafts.ts'
import { FULL, type NotStored, type Refused } from '../../../lib/records/not-stored.ts'
import type { RecordValues } from '../../../lib/records/record-change.ts'
import { refusalWords } from '../../../lib/records/refusal-words.ts'
import { quoteName } from '../../../lib/sql.ts'
import { recordMessages as words } from '../../../messages/record.ts'
import type { AskedField } from './asked-fields.ts'

export type SaveOutcome =
  /** Some chosen files may not have been added, because of a problem. */
  | {
      readonly kind: 'saved'
      readonly id: string
      readonly values: RecordValues
      readonly problem?: string | undefined
    }
  | { readonly kind: 'missing'; readonly fields: readonly AskedField[] }
  /** Either this device has no room, and the user was told, or the record would be refused, and the form says so. */
  | NotStored

/** Files chosen for fields of a record that is not created yet. They are not in the draft. */
export interface FilesToAdd {
  of(field: string): readonly File[]
  /** Stores their bytes on this device. @returns `undefined` if that failed, and the user was told */
  stage(): Promise<StagedRecordFiles | undefined>
}

export interface StagedRecordFiles {
  /** The values of their fields. */
  readonly values: RecordValues
  /** Why some cannot be added. */
  readonly problem: string | undefined
  write(tx: Transaction, record: string): Promise<void>
  discard(): Promise<void>
  /** Takes them out of the chosen files. Those chosen since are for the next record. */
  added(): void
}

const NO_FILES: FilesToAdd = {
  of: () => [],
  stage: () =>
    Promise.resolve({
      values: {},
      problem: undefined,
      write: () => Promise.resolve(),
      discard: () => Promise.resolve(),
      added: () => undefined,
    }),
}

export interface RecordForm {
  readonly draft: Draft
  /** Required fields that are empty, once the user has tried to save. */
  readonly missing: readonly AskedField[]
  /** Why policies refuse a record with these values, as far as this device knows. */
  readonly refusal: string | undefined
  /** Stores a value in the draft. @returns why not; `undefined`: it is stored */
  commit(field: Field, value: FieldValue): Promise<NotStored | undefined>
  /** Creates the record and starts the next one. */
  save(): Promise<SaveOutcome>
  clear(): Promise<void>
}

/**
 * A form being filled in. Its values are a draft on this device, so that they outlive the page.
 *
 * @param begun - the draft of the last visit, or a new one
 */
export function useForm(
  table: TableInfo,
  begun: Draft,
  asked: readonly AskedField[],
  files: FilesToAdd = NO_FILES,
): RecordForm {
  const { database } = useLocalDatabase()
  const writer = useRecordWriter()
  const [draft, setDraft] = useState(begun)
  const [isAsked, setAsked] = useState(false)
  const [refused, setRefused] = useState<Refused>()
  // The last typed value is committed on blur, in the same event as the press that saves.
  const latest = useRef(begun)
  const saving = useRef<Promise<SaveOutcome>>(undefined)
  const filled = filledIn(draft.values, asked, files)
  const [judgement] = useJudgements([{ table: table.name, command: 'insert', after: filled }]) ?? []
  const fields = asked.map(({ field }) => field)
  const missingOf = (values: RecordValues): readonly AskedField[] =>
    asked.filter(
      ({ field, isRequired }) =>
        isRequired && (values[field.name] ?? null) === null && files.of(field.name).length === 0,
    )
  const put = (next: Draft): void => {
    latest.current = next
    setDraft(next)
  }
  /** Shows the computed defaults of asked fields in an empty form. */
  const fillIn = useEffectEvent(async (id: string) => {
    if (Object.keys(latest.current.values).length > 0) return
    const empty = { kind: 'insert', table: table.name, id, values: {} } as const
    const [change] = (await writer.complete({ label: '', changes: [empty] })).changes
    const known = Object.entries(change?.values ?? {}).filter(([name]) => fields.some((field) => field.name === name))
    if (known.length === 0 || latest.current.id !== id) return
    put({ ...latest.current, values: { ...Object.fromEntries(known), ...latest.current.values } })
  })
  useEffect(() => void fillIn(draft.id), [draft.id])
  const make = async (): Promise<SaveOutcome> => {
    const { id: draftId, values } = latest.current
    const missing = missingOf(values)
    setAsked(missing.length > 0)
    if (missing.length > 0) return { kind: 'missing', fields: missing }
    // Another tab with the same form may have saved the record.
    const id = (await isThere(database, table.name, draftId)) ? uuidV7() : draftId
    const outcome = await createRecord(writer, table, { draftId, id, values, files })
    if (outcome.kind === 'refused') setRefused(outcome)
    if (outcome.kind === 'saved') await beginNext(draftId, values)
    return outcome
  }
  /** Starts the next record with the values entered while this one was stored. */
  const beginNext = async (draftId: string, stored: RecordValues): Promise<void> => {
    const entered = Object.entries(latest.current.values).filter(([name, value]) => value !== (stored[name] ?? null))
    const next = { ...newDraft(table.name, begun.form), values: Object.fromEntries(entered) }
    put(next)
    if (entered.length === 0) return
    await storeOrTell(words.newOf(table.noun), async () => {
      await saveDraft(database, next)
      await removeDraft(database, draftId)
    })
  }
  return {
    draft,
    missing: isAsked ? missingOf(draft.values) : [],
    refusal: judgement?.kind === 'refused' ? refusalWords(judgement.refusal, fields) : refused?.words,
    async commit(field, value) {
      const next = { ...latest.current, values: { ...latest.current.values, [field.name]: value } }
      put(next)
      setRefused(undefined)
      const label = words.changeOf(field.label, 1, table.noun, table.label)
      return (await storeOrTell(label, () => saveDraft(database, next))) ? undefined : FULL
    },
    // A second press while saving must not create a second record.
    save: () => (saving.current ??= make().finally(() => void (saving.current = undefined))),
    async clear() {
      const { id } = latest.current
      if (!(await storeOrTell(words.discardDraft, () => removeDraft(database, id)))) return
      setAsked(false)
      put(newDraft(table.name, begun.form))
    },
  }
}

/** Values as Postgres will judge them, with the names of chosen files. */
function filledIn(values: RecordValues, asked: readonly AskedField[], files: FilesToAdd): RecordValues {
  const chosen = asked.flatMap(({ field: { name } }) => {
    const given = files.of(name)
    return given.length === 0 ? [] : [[name, given.map((file) => file.name).join(', ')]]
  })
  return Object.fromEntries([...Object.entries(values).filter(([, value]) => value !== null), ...chosen])
}

/** Creates the record with its files and removes the draft, in one transaction. */
async function createRecord(
  writer: RecordWriter,
  table: TableInfo,
  given: {
    readonly draftId: string
    readonly id: string
    readonly values: RecordValues
    readonly files: FilesToAdd
  },
): Promise<SaveOutcome> {
  const { draftId, id, values } = given
  const staged = await given.files.stage()
  if (!staged) return FULL
  const notStored = await writer.tryWrite({
    label: words.newOf(table.noun),
    changes: [{ kind: 'insert', table: table.name, id, values: { ...values, ...staged.values } }],
    drafts: [removalOf(draftId)],
    files: (tx) => staged.write(tx, id),
  })
  if (notStored) {
    await staged.discard()
    return notStored
  }
  staged.added()
  return { kind: 'saved', id, values, problem: staged.problem }
}

async function isThere(database: CommonPowerSyncDatabase, table: string, id: string): Promise<boolean> {
  return (await database.getOptional(`select 1 from ${quoteName(table)} where id = ?`, [id])) !== null
}

export function newDraft(table: string, form: string | undefined): Draft {
  return { id: uuidV7(), table, values: {}, ...(form === undefined ? {} : { form }) }
}
