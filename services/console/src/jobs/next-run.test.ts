import { expect, test } from 'vitest'
import { nextRun, type ParsedSchedule } from './next-run.ts'

const range = (low: number, high: number): readonly number[] =>
  Array.from({ length: high - low + 1 }, (_, index) => low + index)

const EVERY_MINUTE: ParsedSchedule = {
  seconds: null,
  minutes: range(0, 59),
  hours: range(0, 23),
  days: range(1, 31),
  months: range(1, 12),
  weekdays: range(0, 7),
  last_day: null,
  is_any_day: true,
}
const nextOf = (schedule: Partial<ParsedSchedule>, now: string): string | undefined => {
  const ms = nextRun({ ...EVERY_MINUTE, ...schedule }, Date.parse(now), Date.parse('2026-11-30T09:59:50Z'))
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

const NOW = '2026-11-30T10:00:00Z'

test.each([
  ['every minute, the next one', {}, '2026-11-30T10:01:00.000Z'],
  ['later today', { hours: [6, 18], minutes: [30, 5] }, '2026-11-30T18:05:00.000Z'],
  ['tomorrow, when today is over', { hours: [6], minutes: [0] }, '2026-12-01T06:00:00.000Z'],
  ['on a day of the week', { hours: [6], minutes: [0], weekdays: [4] }, '2026-12-03T06:00:00.000Z'],
  [
    'on either day, when both are given',
    { hours: [6], minutes: [0], days: [2], weekdays: [4], is_any_day: false },
    '2026-12-02T06:00:00.000Z',
  ],
  ['on the last day of a month', { hours: [1], minutes: [0], days: [], last_day: true }, '2026-12-31T01:00:00.000Z'],
  ['on a leap day', { hours: [0], minutes: [0], months: [2], days: [29] }, '2028-02-29T00:00:00.000Z'],
  ['every 30 seconds', { seconds: 30, minutes: null }, '2026-11-30T10:00:20.000Z'],
])('%s', (_name, schedule, expected) => expect(nextOf(schedule, NOW)).toBe(expected))

test('never, for a day that no month has, and for a job of the start', () => {
  expect(nextOf({ months: [2], days: [30] }, NOW)).toBeUndefined()
  expect(nextOf({ minutes: null, hours: null }, NOW)).toBeUndefined()
})
