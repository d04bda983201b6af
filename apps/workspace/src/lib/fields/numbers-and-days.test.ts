import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addDays, formatDay, formatMomentText, momentOf, parseDay, parseMoment, toStoredMoment } from './dates.ts'
import { formatNumberText, numberShapeOf, parseNumberText } from './numbers.ts'
import { testField } from './test-fields.test-support.ts'

const LOCALES = ['en-GB', 'en-US', 'de-DE', 'fr-FR', 'de-CH', 'sv-SE']
const day = fc
  .date({ min: new Date('1900-01-01T00:00:00Z'), max: new Date('2200-12-31T00:00:00Z'), noInvalidDate: true })
  .map((at) => at.toISOString().slice(0, 10))

describe('numbers', () => {
  test('are read as they are shown, in every language', () => {
    const digits = fc.tuple(
      fc.constantFrom('', '-'),
      fc.bigInt({ min: 0n, max: 10n ** 30n }),
      fc.stringMatching(/^\d{0,6}$/),
    )
    fc.assert(
      fc.property(digits, fc.constantFrom(...LOCALES), ([sign, whole, fraction], locale) => {
        const text = `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
        expect(parseNumberText(formatNumberText(text, locale), locale)).toBe(text)
      }),
    )
  })

  test.each([
    ['1.234,5', 'de-DE', '1234.5'],
    ['1,234.5', 'en-GB', '1234.5'],
    ['0.5', 'de-DE', '0.5'],
    ['0.750', 'de-DE', '0.750'],
    ['-0,125', 'en-GB', '-0.125'],
    ['12,5', 'en-GB', '12.5'],
    ['12,500', 'en-GB', '12500'],
    ['  12 345,6 ', 'fr-FR', '12345.6'],
    ['−3', 'sv-SE', '-3'],
    ['007', 'en-GB', '7'],
    ['.', 'en-GB', undefined],
    ['1e5', 'en-GB', undefined],
    ['1 234 567,5', 'de-DE', '1234567.5'],
    ['- 3', 'en-GB', '-3'],
    // Regression: two numbers in a cell became one.
    ['3 5', 'en-GB', undefined],
    ['12 50', 'de-DE', undefined],
    ['10 2000', 'fr-FR', undefined],
    ['1,5 2', 'de-DE', undefined],
    ['12\t345', 'en-GB', undefined],
    ['12\n345', 'en-GB', undefined],
    ['12 kg', 'en-GB', undefined],
  ])('%j in %s is %s', (text, locale, expected) => {
    expect(parseNumberText(text, locale)).toBe(expected)
  })

  test('know the range of their column', () => {
    expect(numberShapeOf(testField('cost'))).toEqual({ scale: 2, min: -9_999.99, max: 9_999.99 })
    expect(numberShapeOf(testField('points'))).toEqual({ scale: 0, min: -2_147_483_648, max: 2_147_483_647 })
  })
})

describe('days', () => {
  test('are read as they are shown', () => {
    fc.assert(
      fc.property(day, fc.constantFrom('en-GB', 'en-US', 'de-DE', 'de-AT', 'de-CH', 'sv-SE'), (text, locale) => {
        expect(parseDay(formatDay(text, locale), locale, '2026-11-20')).toBe(text)
        expect(parseDay(text, locale, '2026-11-20')).toBe(text)
      }),
    )
  })

  test('move by whole days and back, over months, leap years and clock changes', () => {
    expect(addDays('2028-02-28', 1)).toBe('2028-02-29')
    fc.assert(
      fc.property(day, fc.integer({ min: -40_000, max: 40_000 }), (from, days) => {
        expect(addDays(addDays(from, days), -days)).toBe(from)
      }),
    )
  })

  test.each([
    ['31.4.', 'de-DE', undefined],
    ['29 feb 2027', 'en-GB', undefined],
    ['29 feb 2028', 'en-GB', '2028-02-29'],
    ['1/2', 'en-GB', '2026-02-01'],
    ['1/2', 'en-US', '2026-01-02'],
    ['2 März', 'de-DE', '2026-03-02'],
    ['2. März 2026', 'en-GB', '2026-03-02'],
    ['24. Dez.', 'en-US', '2026-12-24'],
    ['3. Okt 27', 'de-DE', '2027-10-03'],
    ['20. 11. 2026', 'de-DE', '2026-11-20'],
    ['20.11. 26', 'de-DE', '2026-11-20'],
    ['3. 4.', 'de-DE', '2026-04-03'],
    ['20 11 2026', 'en-GB', '2026-11-20'],
    ['31.12.69', 'de-DE', '2069-12-31'],
    ['31.12.98', 'de-DE', '1998-12-31'],
    ['1 Jan 70', 'en-GB', '1970-01-01'],
    ['-2', 'en-GB', '2026-11-18'],
  ])('%j in %s is %s', (text, locale, expected) => {
    expect(parseDay(text, locale, '2026-11-20')).toBe(expected)
  })
})

describe('what is no whole day', () => {
  // Regression: "12/2026" became the 20th of December 2026 in en-US, and "1/234" the 1st of February 2034.
  test.each([
    '12/2026',
    '1/2026',
    '1.226',
    '12.2026',
    '1/234',
    '11-2026',
    '2026',
    '20',
    'Nov 2026',
    '1..2.',
    '1/2/3/4',
  ])('%j is refused in every language', (text) => {
    expect(LOCALES.map((locale) => parseDay(text, locale, '2026-11-20'))).toEqual(LOCALES.map(() => undefined))
  })
})

describe('moments', () => {
  test('are stored so that the order of texts is the order in time', () => {
    const moment = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        const [first, second] = [toStoredMoment(a, true), toStoredMoment(b, true)]
        expect(first < second).toBe(a.getTime() < b.getTime())
        expect(momentOf(first)?.getTime()).toBe(a.getTime())
      }),
    )
  })

  test.each([
    ['20 Nov 2026, 14:02', 14, 2],
    ['2026-11-20 2:05 pm', 14, 5],
    ['2026-11-20 12:05 am', 0, 5],
    ['today', 0, 0],
  ])('%j', (text, hours, minutes) => {
    const at = parseMoment(text, 'en-GB', '2026-11-20')
    expect([at?.getDate(), at?.getHours(), at?.getMinutes()]).toEqual([20, hours, minutes])
  })

  test.each([
    ['2026-11-20 14:02:31', 31_000],
    ['20/11/2026 2:02:31 PM', 31_000],
    ['20 Nov 2026, 14:02:31.25', 31_250],
  ])('%j has its seconds', (text, milliseconds) => {
    const minute = new Date('2026-11-20T14:02:00').getTime()
    expect((parseMoment(text, 'en-GB', '2026-11-20')?.getTime() ?? 0) - minute).toBe(milliseconds)
  })

  test.each([
    '2026-11-20 25:00',
    '2026-11-20 12:60',
    '2026-11-20 12:00:60',
    'soon',
    // `Date` reads these as days of March.
    '2026-02-31 10:00',
    '2026-02-31T10:00',
    '2026-02-29T10:00:00Z',
    '2026-02-30T10:00:00.123456Z',
    '2026-06-31T10:00:00+02:00',
    // Years outside the range of date fields.
    '0026-11-20T10:00',
    '9999-11-20T10:00Z',
  ])('%j is none', (text) => {
    expect(parseMoment(text, 'en-GB', '2026-11-20')).toBeUndefined()
  })

  test('are read as they are shown, in German too', () => {
    const moment = fc
      .date({ min: new Date('1971-01-01'), max: new Date('2069-01-01'), noInvalidDate: true })
      .map((at) => toStoredMoment(new Date(Math.floor(at.getTime() / 60_000) * 60_000), false))
    fc.assert(
      fc.property(moment, fc.constantFrom('en-GB', 'en-US', 'de-DE', 'de-AT', 'de-CH'), (stored, locale) => {
        const read = parseMoment(formatMomentText(stored, locale), locale, '2026-11-20')
        expect(read && toStoredMoment(read, false)).toBe(stored)
      }),
    )
  })
})
