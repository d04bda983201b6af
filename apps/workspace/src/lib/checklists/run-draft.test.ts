import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { column, Schema, Table } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeRunDraft, EMPTY_DRAFT, readRunDraft, removalFromRunDraft, type RunDraft } from './run-draft.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-run-draft-'))
const { text } = column
const schema = new Schema({
  hf_local_drafts: Table.createLocalOnly({
    table_name: text,
    record_id: text,
    form_id: text,
    field_values: text,
    updated_at: text,
  }),
})
const dbFilename = 'device.db'
const implementation = { type: 'node:sqlite' } as const
const database = new PowerSyncDatabase({
  schema,
  database: { dbFilename, dbLocation: folder, implementation, readWorkerCount: 1 },
})

beforeAll(() => database.init())
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

const finding = { title: 'Wet', severity: undefined, photos: ['p1'], position: undefined }
const answer = (id: string, value: number | null) => (draft: RunDraft) => ({
  ...draft,
  at: id,
  values: { ...draft.values, [id]: value },
})

test('what two tabs change in the draft of a checklist is all in it, until each is saved', async () => {
  const change = (change: (draft: RunDraft) => RunDraft): Promise<RunDraft> =>
    changeRunDraft(database, 'rounds', 'r1', change)
  expect(await readRunDraft(database, 'r1')).toEqual(EMPTY_DRAFT)
  await Promise.all([change(answer('q1', null)), change(answer('q2', 4))])
  const both = await change((draft) => ({ ...draft, findings: { q1: finding } }))
  expect(both).toMatchObject({ values: { q1: null, q2: 4 }, findings: { q1: finding } })
  const remove = async (...parts: readonly ('values' | 'findings')[]): Promise<RunDraft> => {
    const { sql, parameters } = removalFromRunDraft('r1', 'q1', parts)
    await database.execute(sql, [...parameters])
    return readRunDraft(database, 'r1')
  }
  expect(await remove('values')).toEqual({ ...both, values: { q2: 4 } })
  expect(await remove('values', 'findings')).toEqual({ ...both, values: { q2: 4 }, findings: {} })
})
