import type { UploadOperation } from '@holdfast/protocol'
import { describe, expect, test } from 'vitest'
import { type DependencyRules, dependenceOn, openRecordsOf, type UnplacedChange } from './depends-on.ts'

const rules: DependencyRules = {
  linksOf: (table) => new Map(table === 'tasks' ? [['site_id', 'sites']] : []),
  guardOf: (table, column) =>
    column === 'state' ? 'column' : table === 'orders' && column === 'version' ? 'row' : undefined,
}
let next = 0
const operation = (
  op: UploadOperation['op'],
  type: string,
  id: string,
  more: Partial<UploadOperation> = {},
): UploadOperation => ({
  op_id: ++next,
  op,
  type,
  id,
  ...more,
})
const on = (refused: UnplacedChange, ...operations: readonly UploadOperation[]): ReturnType<typeof dependenceOn> =>
  dependenceOn(operations, openRecordsOf([refused]), rules)

describe('a change after a refused creation', () => {
  const refused = { operations: [operation('PUT', 'sites', 's1', { data: { name: 'a' } })] }

  test.each([
    ['of the record itself', operation('PATCH', 'sites', 's1', { data: { name: 'b' } })],
    ['that deletes it', operation('DELETE', 'sites', 's1')],
    ['that links to it', operation('PUT', 'tasks', 't1', { data: { site_id: 's1' } })],
  ])('%s needs it', (_what, change) => {
    expect(on(refused, change)).toBe('record')
  })

  test.each([
    ['of another record', operation('PATCH', 'sites', 's2', { data: { name: 'b' } })],
    ['that links to another', operation('PUT', 'tasks', 't1', { data: { site_id: 's2' } })],
    ['that has its id in a column that is no link', operation('PUT', 'tasks', 't1', { data: { title: 's1' } })],
    ['that takes a link away', operation('PATCH', 'tasks', 't1', { data: { site_id: null } })],
  ])('%s does not', (_what, change) => {
    expect(on(refused, change)).toBeUndefined()
  })
})

describe('a change after a refused value', () => {
  const refused = { operations: [operation('PATCH', 'tasks', 't1', { data: { title: 'a' } })] }

  test('comes after it when it is the next value of the same column, or the whole record', () => {
    expect(on(refused, operation('PATCH', 'tasks', 't1', { data: { title: 'b' } }))).toBe('value')
    expect(on(refused, operation('PUT', 'tasks', 't1', { data: { points: 1 } }))).toBe('value')
  })

  test('goes up by itself when it is about other columns', () => {
    expect(on(refused, operation('PATCH', 'tasks', 't1', { data: { points: 1 } }))).toBeUndefined()
  })

  test('needs the record when any of its operations does, whatever the others do', () => {
    const creation = { operations: [operation('PUT', 'sites', 's1')] }
    const both = [operation('PATCH', 'tasks', 't1', { data: { title: 'b' } }), operation('DELETE', 'sites', 's1')]
    expect(dependenceOn(both, openRecordsOf([refused, creation]), rules)).toBe('record')
  })
})

describe('a change after a conflict', () => {
  const conflict = (type: string, column: string): UnplacedChange => {
    const change = operation('PATCH', type, 'r1', { data: { title: 'a' }, old: { [column]: 1 } })
    const verdict = {
      op_id: change.op_id,
      status: 'conflict' as const,
      message: '',
      current: { [column]: 2 },
      row: { id: 'r1' },
    }
    return { operations: [change], verdict }
  }

  test('was made on the same outdated sight of a guarded row, so it waits', () => {
    const later = operation('PATCH', 'orders', 'r1', { data: { state: 'b' }, old: { version: 1 } })
    expect(on(conflict('orders', 'version'), later)).toBe('value')
  })

  test('goes up when it is about another column than the guarded one', () => {
    const later = operation('PATCH', 'tasks', 'r1', { data: { points: 3 }, old: { state: 1 } })
    expect(on(conflict('tasks', 'state'), later)).toBeUndefined()
  })
})

test('where the server found nothing to change, every further change of the record would be answered so', () => {
  const change = operation('PATCH', 'tasks', 't1', { data: { title: 'a' } })
  const gone = { operations: [change], verdict: { op_id: change.op_id, status: 'no_row' as const, message: '' } }
  expect(on(gone, operation('PATCH', 'tasks', 't1', { data: { points: 1 } }))).toBe('record')
})
