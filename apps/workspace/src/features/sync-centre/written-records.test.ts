import type { RejectedChange } from '@holdfast/client'
import { describe, expect, test } from 'vitest'
import { TEST_SCHEMA } from '../../lib/fields/test-fields.test-support.ts'
import { writtenRecords } from './written-records.ts'

type Operation = RejectedChange['operations'][number]

const operation = (id: string, more: Partial<Operation> = {}): Operation => ({
  op_id: 1,
  op: 'PATCH',
  type: 'tasks',
  id,
  data: {},
  ...more,
})
const change = (operations: readonly Operation[], more: Partial<RejectedChange> = {}): RejectedChange => ({
  id: 'c:1',
  at: '2026-11-20T12:00:00Z',
  position: 1,
  table: 'tasks',
  recordId: operations[0]?.id ?? '',
  op: 'PATCH',
  operations,
  verdict: { op_id: 1, status: 'error', sqlstate: '23514', message: 'no' },
  serverRow: undefined,
  held: [],
  state: 'open',
  decidedAt: undefined,
  ...more,
})

describe('the records of a refused change', () => {
  test('begin with the refused one, and have what was written last', () => {
    const records = writtenRecords(
      change(
        [
          operation('t2', { data: { title: 'b' } }),
          operation('t1', { data: { points: 1 } }),
          operation('t1', { data: { points: 2 } }),
        ],
        { recordId: 't1' },
      ),
      TEST_SCHEMA,
    )
    expect(records.map(({ recordId }) => recordId)).toEqual(['t1', 't2'])
    const [first] = records[0]?.fields ?? []
    expect([first?.column.name, first?.yours]).toEqual(['points', 2])
  })

  test('show the field that the server named before others that were not written', () => {
    const verdict = { op_id: 1, status: 'error', sqlstate: '23514', message: 'no', column: 'due_on' } as const
    const [record] = writtenRecords(change([operation('t1', { data: { title: 'a' } })], { verdict }), TEST_SCHEMA)
    expect(record?.fields.slice(0, 2).map(({ column }) => column.name)).toEqual(['title', 'due_on'])
  })

  test('leave out deletions, tables that are gone, and the id', () => {
    const given = change([
      operation('t1', { op: 'DELETE' }),
      operation('x1', { type: 'gone', data: { a: 1 } }),
      operation('t2', { data: { title: 'a' } }),
    ])
    const records = writtenRecords(given, TEST_SCHEMA)
    expect(records.map(({ recordId }) => recordId)).toEqual(['t2'])
    expect(records[0]?.fields.map(({ column }) => column.name)).not.toContain('id')
  })

  test('tell which only wait with it, and that a field was emptied from one that was not written', () => {
    const held = [{ position: 2, operations: [operation('t2', { data: { title: null } })] }]
    const records = writtenRecords(change([operation('t1', { data: { title: 'a' } })], { held }), TEST_SCHEMA)
    expect(records.map(({ isHeldOnly }) => isHeldOnly)).toEqual([false, true])
    const yours = new Map(records[1]?.fields.map(({ column, yours: value }) => [column.name, value]))
    expect([yours.get('title'), yours.get('points')]).toEqual([null, undefined])
  })
})
