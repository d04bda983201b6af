// @vitest-environment happy-dom
import type { PlannedWrite, RejectedChange } from '@holdfast/client'
import { waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { TEST_SCHEMA } from '../../lib/fields/test-fields.test-support.ts'
import { openTestDevice } from '../../lib/test-device.test-support.tsx'
import { useKeepable } from './use-keepable.ts'

const SOON = { timeout: 20_000 }

const conflict = (id: string): RejectedChange => ({
  id: `change-${id}`,
  at: '2026-11-20T12:00:00Z',
  position: 1,
  table: 'tasks',
  recordId: id,
  op: 'PATCH',
  operations: [{ op_id: 1, op: 'PATCH', type: 'tasks', id, data: { title: 'Mine' } }],
  verdict: { op_id: 1, status: 'conflict', columns: ['title'] } as unknown as RejectedChange['verdict'],
  serverRow: undefined,
  held: [],
  state: 'open',
  decidedAt: undefined,
})

test('of conflicts decided together, only those are kept whose rules allow it for the current row', async () => {
  await using device = await openTestDevice(TEST_SCHEMA)
  const { local } = device
  for (const [op, id, state] of [
    [1, 'a', 'open'],
    [2, 'b', 'open'],
    [3, 'b', 'done'],
  ] as const) {
    await local.database.execute(
      'insert into ps_oplog (bucket, op_id, row_type, row_id, key, data, hash) values (1, ?, ?, ?, ?, ?, 0)',
      [op, 'tasks', id, `tasks/${id}`, JSON.stringify({ id, title: 'Theirs', state })],
    )
  }
  const asked: PlannedWrite[] = []
  vi.spyOn(local, 'judge').mockImplementation(async (writes) => {
    asked.push(...writes)
    return writes.map(({ before }) =>
      before?.['state'] === 'done' ? ({ kind: 'refused' } as never) : ({ kind: 'allowed' } as never),
    )
  })
  const changes = ['a', 'b', 'c'].map(conflict)
  const { result } = device.renderHook(() => useKeepable(changes))
  await waitFor(() => expect(result.current?.map(({ recordId }) => recordId)).toEqual(['a', 'c']), SOON)
  expect(asked.at(-1)).toMatchObject({
    table: 'tasks',
    command: 'update',
    before: { title: 'Theirs', state: 'done' },
    after: { title: 'Mine', state: 'done' },
    changed: ['title'],
  })
})
