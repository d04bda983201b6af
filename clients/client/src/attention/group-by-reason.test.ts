import { expect, test } from 'vitest'
import type { AttentionVerdict } from '../queue/attention-verdict.ts'
import type { RejectedChange } from './attention-item.ts'
import { groupByReason } from './group-by-reason.ts'

const change = (position: number, verdict: AttentionVerdict, table = 'tasks'): RejectedChange => ({
  id: `device:${position}`,
  at: '2026-11-20T14:02:00.000Z',
  position,
  table,
  recordId: `t${position}`,
  op: 'PATCH',
  operations: [],
  verdict,
  serverRow: undefined,
  held: [],
  state: 'open',
  decidedAt: undefined,
})
const unique = (value: string): AttentionVerdict => ({
  op_id: 1,
  status: 'error',
  sqlstate: '23505',
  message: `duplicate key value ${value}`,
  constraint: 'tasks_code_key',
})
const rule = (message: string): AttentionVerdict => ({ op_id: 1, status: 'error', sqlstate: 'P0001', message })

test('changes refused for the same reason are one group, whatever their values', () => {
  const groups = groupByReason([
    change(1, unique('a')),
    change(2, rule('A closed task stays closed')),
    change(3, unique('b')),
    change(4, rule('Only a lead may close')),
    change(5, unique('a'), 'sites'),
    change(6, { op_id: 1, status: 'conflict', message: 'changed', current: { state: 'open' }, row: { state: 'open' } }),
    change(7, { op_id: 1, status: 'conflict', message: 'changed', current: { state: 'done' }, row: { state: 'done' } }),
  ])
  expect(groups.map(({ changes }) => changes.map(({ position }) => position))).toEqual([[1, 3], [2], [4], [5], [6, 7]])
})
