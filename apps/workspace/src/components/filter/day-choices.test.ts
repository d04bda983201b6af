import { expect, test } from 'vitest'
import { resolveDays } from '../../lib/fields/dates.ts'
import { DAY_CHOICES, dayChoiceOf, dayCountOf, dayOfChoice } from './day-choices.ts'

test('each choice is shown as itself again', () => {
  for (const choice of DAY_CHOICES) expect(dayChoiceOf(dayOfChoice(choice, 12))).toBe(choice)
  expect(dayCountOf(dayOfChoice('ago', 12))).toBe(12)
})

test.each([
  ['2026-11-20', '2026-11-20', '2026-11-21'],
  ['today', '2026-11-29', '2026-11-30'],
  ['today+3', '2026-12-02', '2026-12-03'],
  // A Sunday is the last day of its week.
  ['week', '2026-11-23', '2026-11-30'],
  ['week+1', '2026-11-30', '2026-12-07'],
  ['week-1', '2026-11-16', '2026-11-23'],
  ['month', '2026-11-01', '2026-12-01'],
  ['month+2', '2027-01-01', '2027-02-01'],
  ['month-11', '2025-12-01', '2026-01-01'],
])('%s begins on %s and ends before %s', (value, day, next) => {
  expect(resolveDays(value, '2026-11-29')).toEqual({ day, next })
})
