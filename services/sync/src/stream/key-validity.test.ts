import { expect, test } from 'vitest'
import { afterEvaluation, afterTransactions, invalidate, STALE } from './key-validity.ts'

test('keys hold once an evaluation has seen every transaction that concerns them', () => {
  expect(afterEvaluation([])).toEqual({ isStale: false, unseenTransactions: [] })
})

test('keys do not hold while an evaluation has not seen a transaction, which the next one has to see', () => {
  expect(afterEvaluation([7])).toEqual({ isStale: true, unseenTransactions: [7] })
})

test('transactions add up until an evaluation has seen them', () => {
  const after = afterTransactions(afterTransactions(afterEvaluation([]), [7]), [8, 9])
  expect(after).toEqual({ isStale: true, unseenTransactions: [7, 8, 9] })
})

test('the clock or a lost connection makes keys doubtful, and forgets no transaction', () => {
  expect(invalidate(afterEvaluation([]))).toEqual(STALE)
  expect(invalidate(afterTransactions(STALE, [7]))).toEqual({ isStale: true, unseenTransactions: [7] })
})
