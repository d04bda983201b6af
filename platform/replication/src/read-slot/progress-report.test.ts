import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { transition, type ProgressEvent, type ProgressReport } from './progress-report.ts'

function run(...events: readonly ProgressEvent[]): readonly boolean[] {
  let report: ProgressReport = 'none'
  return events.map((event) => {
    const next = transition(report, event)
    report = next.report
    return next.isDue
  })
}

test.each<[string, readonly ProgressEvent[], readonly boolean[]]>([
  ['with news is reported', ['keepalive with news'], [true]],
  ['that repeats itself is not', ['keepalive with news', 'keepalive', 'keepalive'], [true, false, false]],
  [
    'that repeats itself is, once, when it was requested',
    ['requested', 'keepalive', 'keepalive'],
    [false, true, false],
  ],
  [
    'is, when it was requested twice, reported once',
    ['requested', 'requested', 'keepalive', 'keepalive'],
    [false, false, true, false],
  ],
  [
    'inside a transaction is reported at the commit',
    ['keepalive in transaction', 'keepalive in transaction', 'commit', 'commit'],
    [false, false, true, false],
  ],
  [
    'inside a transaction answers an earlier request at the commit',
    ['requested', 'keepalive in transaction', 'commit', 'keepalive'],
    [false, false, true, false],
  ],
  [
    'inside a transaction answers a later request at the commit',
    ['keepalive in transaction', 'requested', 'commit', 'keepalive'],
    [false, false, true, false],
  ],
])('a keepalive %s', (_title, events, due) => {
  expect(run(...events)).toEqual(due)
})

test('a commit alone reports nothing, and leaves a request to the next keepalive', () => {
  expect(run('commit', 'requested', 'commit', 'keepalive')).toEqual([false, false, false, true])
})

test('a request is answered by the next keepalive outside a transaction, or the commit after one inside', () => {
  const events = fc.constantFrom<ProgressEvent>(
    'requested',
    'keepalive',
    'keepalive with news',
    'keepalive in transaction',
    'commit',
  )
  fc.assert(
    fc.property(fc.array(events), (before) => {
      expect(run(...before, 'requested', 'keepalive').at(-1)).toBe(true)
      expect(run(...before, 'requested', 'keepalive in transaction', 'commit').at(-1)).toBe(true)
    }),
  )
})
