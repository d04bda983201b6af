import { expect, test } from 'vitest'
import { type OutboxRow, readOutbox } from './read-outbox.ts'

const row = (id: number, txId: number | null, recordId: string): OutboxRow => ({
  id,
  tx_id: txId,
  data: JSON.stringify({ op: 'PATCH', type: 'actions', id: recordId, data: { state: 'done' } }),
})

test('rows of one transaction are one step, in the order of the queue', () => {
  const steps = readOutbox([row(1, 7, 'a'), row(2, 7, 'b'), row(3, 8, 'a')])
  expect(steps.map(({ operations }) => operations.map((operation) => [operation.op_id, operation.id]))).toEqual([
    [
      [1, 'a'],
      [2, 'b'],
    ],
    [[3, 'a']],
  ])
})

test('rows without a transaction are steps of their own', () => {
  expect(readOutbox([row(1, null, 'a'), row(2, null, 'a')])).toHaveLength(2)
})
