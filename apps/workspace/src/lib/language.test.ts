import { expect, test } from 'vitest'
import { parseDay, parseMoment } from './fields/dates.ts'
import { formatNumberText, parseNumberText } from './fields/numbers.ts'
import { localeOf } from './language.ts'

test('the region is the one that the browser names for the language, else the usual one', () => {
  expect(localeOf('de', ['en-US', 'de-AT', 'de'])).toBe('de-AT')
  expect(localeOf('de', ['en-US'])).toBe('de-DE')
  expect(localeOf('en', ['de-DE', 'en-US'])).toBe('en-US')
  expect(localeOf('en', ['de-DE'])).toBe('en-GB')
})

test('German dates and numbers are read as they are written', () => {
  const today = '2026-11-20'
  expect(
    ['20.11.2026', '20.11.', '20. Nov', '1. März 2027', 'heute', 'Morgen'].map((text) =>
      parseDay(text, 'de-DE', today),
    ),
  ).toEqual(['2026-11-20', '2026-11-20', '2026-11-20', '2027-03-01', '2026-11-20', '2026-11-21'])
  expect(parseMoment('20.11.2026 14:30', 'de-DE', today)).toEqual(new Date('2026-11-20T14:30:00'))
  expect(parseNumberText('1.234,5', 'de-DE')).toBe('1234.5')
  expect(formatNumberText('1234.50', 'de-DE')).toBe('1.234,50')
})
