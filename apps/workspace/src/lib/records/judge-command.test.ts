import type { Judgement, LocalDatabase, PlannedWrite } from '@holdfast/client'
import { expect, test } from 'vitest'

import { judgeCommand } from './judge-command.ts'
import type { RecordChange } from './record-change.ts'

const SCHEMA = { version: '1', tables: [] }
const RECORD = { id: 'r1', state: 'scheduled' }

/** A device that refuses answers to unstarted records, and anything named *never*. */
const device = {
  database: { getOptional: async () => RECORD },
  schema: { get: () => SCHEMA },
  judge: async (writes: readonly PlannedWrite[]): Promise<readonly Judgement[]> =>
    writes.map(({ table, after }) =>
      table === 'answers' || after?.['title'] === 'never'
        ? { kind: 'refused', refusal: { reason: 'restriction', policies: [] } }
        : { kind: 'unknown' },
    ),
} as unknown as LocalDatabase

const begin: RecordChange = {
  kind: 'update',
  table: 'records',
  id: 'r1',
  values: { state: 'begun' },
  before: { state: 'scheduled' },
}
const answer: RecordChange = { kind: 'insert', table: 'answers', id: 'a1', values: { record: 'r1' } }
const never: RecordChange = { ...begin, id: 'r2', values: { title: 'never' } }

test('an answer that begins its record in the same command is not refused for what its record was before', async () => {
  expect(await judgeCommand(device, [begin, answer])).toBeUndefined()
  expect(await judgeCommand(device, [answer])).toMatchObject({ kind: 'refused' })
  expect(await judgeCommand(device, [begin, never])).toMatchObject({ kind: 'refused' })
})
