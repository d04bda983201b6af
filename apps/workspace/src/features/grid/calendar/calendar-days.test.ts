import { expect, test } from 'vitest'
import { daysOf, distance, firstWeekday, longDay, stepDay, titleOf } from './calendar-days.ts'

test('a month is shown in whole weeks, which begin where the language has them begin', () => {
  const german = daysOf('month', '2026-11-20', firstWeekday('de-DE'))
  expect([german[0], german.at(-1), german.length]).toEqual(['2026-10-26', '2026-12-06', 42])
  const american = daysOf('month', '2026-11-20', firstWeekday('en-US'))
  expect([american[0], american.at(-1), american.length]).toEqual(['2026-11-01', '2026-12-05', 35])
})

test('a week has its seven days and a list the days of its month', () => {
  expect(daysOf('week', '2026-11-22', 1)).toEqual([
    '2026-11-16',
    '2026-11-17',
    '2026-11-18',
    '2026-11-19',
    '2026-11-20',
    '2026-11-21',
    '2026-11-22',
  ])
  const february = daysOf('list', '2028-02-10', 1)
  expect([february[0], february.at(-1)]).toEqual(['2028-02-01', '2028-02-29'])
})

test('a step keeps the day of the month where the other month has it', () => {
  expect(stepDay('month', '2026-01-31', 1)).toBe('2026-02-28')
  expect(stepDay('month', '2026-01-15', -1)).toBe('2025-12-15')
  expect(stepDay('week', '2026-12-29', 1)).toBe('2027-01-05')
  expect(distance('2026-03-28', '2026-03-30')).toBe(2)
})

test('days are written as the language writes them', () => {
  expect(longDay('2026-11-20', 'de-DE')).toBe('Freitag, 20. November 2026')
  expect(titleOf('month', '2026-11-20', [], 'de-DE')).toBe('November 2026')
  expect(titleOf('week', '2026-11-20', ['2026-11-16', '2026-11-22'], 'de-DE')).toBe('16.–22. Nov. 2026')
})
