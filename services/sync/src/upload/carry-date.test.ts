import { expect, test } from 'vitest'
import { carryDate } from './carry-date.ts'

const TIMES = 'timestamp with time zone'

test.each([
  ['2026-03-01', TIMES, '2026-03-01 00:00:00 Europe/Vienna'],
  ['2026-03-01T23:30:00.000Z', 'date', '2026-03-02'],
  ['2026-03-01 23:30:00+00', 'date', '2026-03-02'],
  ['2026-03-01 23:30:00.123456+0000', 'date', '2026-03-02'],
  ['2026-07-01T21:59:59Z', 'date', '2026-07-01'],
  ['2026-03-02T00:30:00+01:00', 'date', '2026-03-02'],
  // Of the column's type, or of none: Postgres judges it.
  ['2026-03-01', 'date', '2026-03-01'],
  ['2026-03-01T23:30:00Z', TIMES, '2026-03-01T23:30:00Z'],
  ['2026-03-01T23:30:00', 'date', '2026-03-01T23:30:00'],
  ['2026-13-41T23:30:00Z', 'date', '2026-13-41T23:30:00Z'],
  ['tomorrow', 'date', 'tomorrow'],
  ['2026-03-01', 'text', '2026-03-01'],
])('%s in a column of type %s is %s', (value, type, carried) => {
  expect(carryDate(value, type, 'Europe/Vienna')).toBe(carried)
})
