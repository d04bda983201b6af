import { expect, test } from 'vitest'
import type { Judgement, PlannedWrite } from '@holdfast/client'
import { judgeChanges } from './judge-changes.ts'
import type { RecordChange } from './record-change.ts'

const rows = ['a', 'b', 'c'].map((id) => ({ id, title: `Title of ${id}`, state: 'open' }))
const changes = rows.map(({ id }): RecordChange => ({
  kind: 'update',
  table: 'jobs',
  id,
  values: { state: 'done' },
  before: { state: 'open' },
}))
const refusedBy = (name: string): Judgement => ({
  kind: 'refused',
  refusal: { reason: 'restriction', policies: [{ name, words: undefined }] },
})

test('asks about each whole row as it is and as it will be', async () => {
  let asked: readonly PlannedWrite[] = []
  const deletion: RecordChange = { kind: 'delete', table: 'jobs', id: 'b', values: {} }
  await judgeChanges(
    async (writes) => {
      asked = writes
      return writes.map(() => ({ kind: 'unknown' }))
    },
    [...changes.slice(0, 1), deletion],
    rows,
    [],
  )
  expect(asked).toEqual([
    { table: 'jobs', command: 'update', before: rows[0], after: { ...rows[0], state: 'done' }, changed: ['state'] },
    { table: 'jobs', command: 'delete', before: rows[1] },
  ])
})

test('what is allowed or unknown goes, what is refused does not, with the reasons of most first', async () => {
  const answers: readonly Judgement[] = [refusedBy('closed'), { kind: 'unknown' }, { kind: 'allowed' }]
  const judged = await judgeChanges(async () => answers, changes, rows, [])
  expect([judged.going.map(({ id }) => id), judged.refused.map(({ id }) => id)]).toEqual([['b', 'c'], ['a']])
  expect(judged.reasons).toEqual([{ words: 'Not allowed by “Closed”.', count: 1 }])
  const most = [refusedBy('closed'), refusedBy('archived'), refusedBy('archived')]
  expect(await judgeChanges(async () => most, changes, rows, [])).toMatchObject({
    going: [],
    reasons: [
      { words: 'Not allowed by “Archived”.', count: 2 },
      { words: 'Not allowed by “Closed”.', count: 1 },
    ],
  })
})

test('without a refusal there is no reason', async () => {
  const judged = await judgeChanges(async (writes) => writes.map(() => ({ kind: 'allowed' })), changes, rows, [])
  expect(judged).toEqual({ going: changes, refused: [], reasons: [] })
})

test('a new record is empty where it has no value', async () => {
  const column = { local: 'text', type: 'text', nullable: true, hasDefault: false, generated: false } as const
  const insert: RecordChange = { kind: 'insert', table: 'jobs', id: 'd', values: { title: 'D' } }
  let asked: readonly PlannedWrite[] = []
  await judgeChanges(
    async (writes) => {
      asked = writes
      return writes.map(() => ({ kind: 'unknown' }))
    },
    [insert],
    [],
    ['title', 'state'].map((name) => ({ ...column, name })),
  )
  expect(asked).toEqual([{ table: 'jobs', command: 'insert', after: { id: 'd', title: 'D', state: null } }])
})
