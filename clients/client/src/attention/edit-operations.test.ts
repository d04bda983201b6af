import fc from 'fast-check'
import type { UploadOperation } from '@holdfast/protocol'
import { describe, expect, test } from 'vitest'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'
import { editOperations, leaveOut } from './edit-operations.ts'

const put = (id: string, data: Record<string, string | number | null>): UploadOperation => ({
  op_id: 1,
  op: 'PUT',
  type: 'tasks',
  id,
  data,
})
const patch = (id: string, data: Record<string, string | number | null>): UploadOperation => ({
  ...put(id, data),
  op: 'PATCH',
})
const remove = (id: string): UploadOperation => ({ op_id: 1, op: 'DELETE', type: 'tasks', id })
const transactions = (...groups: readonly (readonly UploadOperation[])[]): readonly QueuedTransaction[] =>
  groups.map((operations, position) => ({ position, operations }))
const edit = (given: readonly QueuedTransaction[], values: Record<string, string | null>, recordId = 't1'): unknown =>
  editOperations(given, [{ table: 'tasks', recordId, values }]).map(({ operations }) =>
    operations.map(({ data }) => data),
  )

describe('new values', () => {
  test('replace the old one wherever the change writes the column', () => {
    const given = transactions([put('t1', { title: 'bad', points: 1 })], [patch('t1', { title: 'bad' })])
    expect(edit(given, { title: 'good' })).toEqual([[{ title: 'good', points: 1 }], [{ title: 'good' }]])
  })

  test('go into the first write where the change does not have the column', () => {
    const given = transactions([put('t1', { title: 'a' })], [patch('t1', { points: 1 })])
    expect(edit(given, { state: 'open' })).toEqual([[{ title: 'a', state: 'open' }], [{ points: 1 }]])
  })

  test('touch no other record, and no deletion', () => {
    const given = transactions([put('t2', { title: 'bad' }), remove('t1')])
    expect(editOperations(given, [{ table: 'tasks', recordId: 't1', values: { title: 'good' } }])).toEqual(given)
    expect(editOperations(given, [{ table: 'sites', recordId: 't2', values: { title: 'good' } }])).toEqual(given)
  })

  test('leave what was given as it is', () => {
    const given = transactions([put('t1', { title: 'bad' })])
    const before = structuredClone(given)
    edit(given, { title: 'good' })
    expect(given).toEqual(before)
  })
})

describe('values that are left out', () => {
  test('is not sent: a field, or the whole record', () => {
    const given = transactions([put('t1', { title: 'a', points: 1 }), put('t2', { title: 'b' })])
    expect(leaveOut(given, [{ table: 'tasks', recordId: 't1', columns: ['points'] }])[0]?.operations[0]?.data).toEqual({
      title: 'a',
    })
    expect(leaveOut(given, [{ table: 'tasks', recordId: 't1' }])[0]?.operations.map(({ id }) => id)).toEqual(['t2'])
  })

  test('takes a change with it that has no other field, but not a creation', () => {
    const whole = [{ table: 'tasks', recordId: 't1', columns: ['title'] }]
    expect(leaveOut(transactions([patch('t1', { title: 'a' })]), whole)).toEqual([])
    expect(leaveOut(transactions([put('t1', { title: 'a' })]), whole)[0]?.operations[0]?.data).toEqual({})
  })

  test('never comes back, and nothing else goes', () => {
    const column = fc.constantFrom<string>('a', 'b', 'c')
    const operation = fc
      .tuple(fc.constantFrom('t1', 't2'), fc.dictionary(column, fc.nat(9)))
      .map(([id, data]) => patch(id, data))
    fc.assert(
      fc.property(
        fc.array(fc.array(operation, { maxLength: 3 }), { maxLength: 3 }),
        fc.array(column),
        (groups, columns) => {
          const given = transactions(...groups)
          const left = leaveOut(given, [{ table: 'tasks', recordId: 't1', columns }])
          const values = (
            some: readonly QueuedTransaction[],
            isKept: (id: string, name: string) => boolean,
          ): unknown[] =>
            some.flatMap(({ position, operations }) =>
              operations.flatMap(({ id, data }) =>
                Object.entries(data ?? {}).flatMap(([name, value]) =>
                  isKept(id, name) ? [[position, id, name, value]] : [],
                ),
              ),
            )
          expect(values(left, () => true)).toEqual(values(given, (id, name) => id !== 't1' || !columns.includes(name)))
        },
      ),
    )
  })
})
