import type { RejectedChange } from '@holdfast/client'
import { describe, expect, test } from 'vitest'
import { deriveMarks, type WaitingRow } from './record-state.ts'

const waiting = (id: string, isNext: 0 | 1, ...fields: readonly string[]): WaitingRow => ({
  id,
  is_next: isNext,
  fields: JSON.stringify([fields]),
  at: '2026-11-20T14:02:00.000Z',
})
const rejected = (position: number, ids: readonly string[], held: readonly string[] = []): RejectedChange => {
  const operation = (id: string): RejectedChange['operations'][number] => ({
    op_id: position,
    op: 'PATCH',
    type: 'tasks',
    id,
    data: { state: 'done' },
  })
  return {
    id: `device:${position}`,
    at: '2026-11-20T14:02:00.000Z',
    position,
    table: 'tasks',
    recordId: ids[0] ?? '',
    op: 'PATCH',
    operations: ids.map(operation),
    verdict: { op_id: position, status: 'unexpected', httpStatus: 500, code: undefined, message: '' },
    serverRow: undefined,
    held: [{ position: position + 1, operations: held.map(operation) }],
    state: 'open',
    decidedAt: undefined,
  }
}
const marksOf = (input: Partial<Parameters<typeof deriveMarks>[0]>): Record<string, string> =>
  Object.fromEntries(
    [
      ...deriveMarks({
        table: 'tasks',
        waiting: [],
        files: [],
        rejected: [],
        isSending: false,
        confirming: new Set(),
        ...input,
      }),
    ].map(([id, mark]) => [
      id,
      [mark.state, ...[...mark.fields].map(([name, state]) => `${name}:${state}`).toSorted()].join(' '),
    ]),
  )

describe('deriveMarks', () => {
  test('marks waiting records, and those of the running upload', () => {
    expect(marksOf({ waiting: [waiting('t1', 1, 'title'), waiting('t2', 0, 'state')], isSending: true })).toEqual({
      t1: 'sending title:sending',
      t2: 'waiting state:waiting',
    })
  })

  test('marks refused records over everything, and those held with them', () => {
    expect(
      marksOf({
        waiting: [waiting('t1', 0, 'title')],
        rejected: [rejected(1, ['t1'], ['t1', 't2'])],
        confirming: new Set(['t1', 't3']),
      }),
    ).toEqual({ t1: 'rejected state:rejected title:waiting', t2: 'held state:held', t3: 'confirming' })
  })

  test('leaves records of other tables alone', () => {
    expect(marksOf({ table: 'sites', rejected: [rejected(1, ['t1'])] })).toEqual({})
  })

  test('says waiting again when a record is changed while the change before is being confirmed', () => {
    expect(marksOf({ waiting: [waiting('t1', 0, 'title')], confirming: new Set(['t1']) })).toEqual({
      t1: 'waiting title:waiting',
    })
  })
})
