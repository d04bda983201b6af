import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exportedText } from '../exchange/exported-text.ts'
import { toStoredMoment } from './dates.ts'
import { formatValue, toEditText } from './format-value.ts'
import { parseValue } from './parse-value.ts'
import { testField } from './test-fields.test-support.ts'

const now = new Date('2026-11-20T12:00:00')
const read = (name: string, text: string, locale = 'en-GB'): unknown => {
  const parsed = parseValue(testField(name), text, { locale, now })
  return parsed.isValid ? parsed.value : parsed
}

describe('reading what a person typed', () => {
  test.each([
    ['title', ' Repack the gland ', 'Repack the gland'],
    ['state', 'To verify', 'to_verify'],
    ['state', 'DOING', 'doing'],
    ['points', '1,200', 1200],
    ['points', '-3', -3],
    ['cost', '12.50', '12.50'],
    ['cost', '1,234.5', '1234.50'],
    ['ratio', '.5', 0.5],
    ['due_on', '2026-11-20', '2026-11-20'],
    ['due_on', '20/11/2026', '2026-11-20'],
    ['due_on', '3.4.', undefined],
    ['due_on', '20 nov', '2026-11-20'],
    ['due_on', 'Nov 20, 2027', '2027-11-20'],
    ['due_on', 'tomorrow', '2026-11-21'],
    ['due_on', '+30', '2026-12-20'],
    ['urgent', 'yes', 1],
    ['urgent', 'No', 0],
    ['tags', 'pump, valve', '["pump","valve"]'],
    ['tags', '["a, b"]', '["a, b"]'],
    ['contact_email', 'Dana@Northline.example', 'dana@northline.example'],
    ['website', 'https://northline.example/a', 'https://northline.example/a'],
    ['points', '', null],
  ])('%s: %j', (name, text, value) => {
    expect(read(name, text)).toEqual(value ?? (text === '' ? null : expect.anything()))
  })

  test('reads numbers and days in the reader’s language', () => {
    expect(read('cost', '1.234,5', 'de-DE')).toBe('1234.50')
    expect(read('due_on', '11/20/2026', 'en-US')).toBe('2026-11-20')
    expect(read('due_on', '20.11.2026', 'de-DE')).toBe('2026-11-20')
  })

  test.each([
    ['title', '', 'Title needs a value'],
    ['title', 'x'.repeat(1001), 'At most 1,000 characters; there are 1,001'],
    ['state', 'lost', 'Choose one of: Open, Doing, To verify'],
    ['site_id', 'Elmcroft', 'Choose a record from the list'],
    ['points', 'many', 'Enter a number'],
    ['points', '1.5', 'Enter a whole number'],
    ['points', '3000000000', 'Between -2,147,483,648 and 2,147,483,647'],
    ['cost', '1.234', 'At most 2 digits after the point'],
    ['cost', '123456', 'Between -9,999.99 and 9,999.99'],
    ['due_on', '2026-02-30', 'Enter a date between 1900 and 2200, such as 2026-11-20 or 20 Nov'],
    ['due_on', '1850-01-01', 'Enter a date between 1900 and 2200, such as 2026-11-20 or 20 Nov'],
    ['urgent', 'perhaps', 'Enter yes or no'],
    ['contact_email', 'dana@', 'Enter an e-mail address like name@example.com'],
    ['website', 'javascript:alert(1)', 'Enter a web address that begins with https:// or http://'],
  ])('%s refuses %j', (name, text, message) => {
    expect(read(name, text)).toEqual({ isValid: false, message })
  })
})

/** Texts, and what `select <text>::<type>` returns in Postgres. */
test.each([
  ['numeric(6,2)', '6', '6.00'],
  ['numeric(6,2)', '6.5', '6.50'],
  ['numeric(6,2)', '6.500', '6.50'],
  ['numeric(6,2)', '007', '7.00'],
  ['numeric(6,2)', '.5', '0.50'],
  ['numeric(6,2)', '+3.', '3.00'],
  ['numeric(6,2)', '-0', '0.00'],
  ['numeric(6,2)', '-0.10', '-0.10'],
  ['numeric(8,0)', '12.00', '12'],
  ['numeric(8)', '-0.0', '0'],
  ['numeric', '6', '6'],
  ['numeric', '6.10', '6.10'],
  ['numeric', '-0.00', '0.00'],
  ['numeric', '123456789012345678901234567890.10', '123456789012345678901234567890.10'],
])('a %s typed as %j is %j on the device, as on the server', (type, text, stored) => {
  const cost = testField('cost')
  const field = { ...cost, column: { ...cost.column, type } }
  expect(parseValue(field, text, { locale: 'en-GB', now })).toEqual({ isValid: true, value: stored })
})

describe('the text of an editor reads back to the same value', () => {
  const locales = fc.constantFrom('en-GB', 'en-US', 'de-DE', 'fr-FR', 'pt-BR')
  const values = fc.oneof(
    fc.tuple(fc.constant('points'), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
    fc.tuple(
      fc.constant('cost'),
      fc.integer({ min: -999999, max: 999999 }).map((cents) => (cents / 100).toFixed(2)),
    ),
    fc.tuple(
      fc.constant('due_on'),
      fc
        .date({ min: new Date('1900-01-01'), max: new Date('2200-12-31'), noInvalidDate: true })
        .map((at) => at.toISOString().slice(0, 10)),
    ),
    fc.tuple(
      fc.constant('seen_at'),
      fc
        .date({ min: new Date('2026-12-01'), max: new Date('2027-02-01'), noInvalidDate: true })
        .map((at) => toStoredMoment(new Date(Math.floor(at.getTime() / 1000) * 1000), true)),
    ),
    fc.tuple(fc.constant('urgent'), fc.constantFrom(0, 1)),
    fc.tuple(fc.constant('state'), fc.constantFrom('open', 'doing', 'to_verify')),
    fc.tuple(
      fc.constant('tags'),
      fc.array(fc.string()).map((tags) => JSON.stringify(tags)),
    ),
  )
  test('in every language', () => {
    fc.assert(
      fc.property(values, locales, ([name, value], locale) => {
        const parsed = parseValue(testField(name), toEditText(testField(name), value, locale), { locale, now })
        expect(parsed).toEqual({ isValid: true, value })
      }),
    )
  })
})

describe('choices that read nearly the same', () => {
  const word = fc.constantFrom('open', 'Open', 'OPEN', 'to_do', 'To do', 'to do', 'TO_DO', 'a', 'A', 'b_', 'b')
  test('are told apart by what is edited, copied and exported of them', () => {
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 1 }), fc.nat(), (choices, at) => {
        const field = { ...testField('state'), choices }
        const value = choices[at % choices.length] ?? ''
        for (const text of [toEditText(field, value, 'en-GB'), exportedText(field, value)])
          expect(parseValue(field, text, { locale: 'en-GB', now })).toEqual({ isValid: true, value })
      }),
    )
  })
})

describe('formatValue', () => {
  test.each([
    ['cost', '1234.50', '1,234.50'],
    ['cost', '-0.10', '-0.10'],
    ['cost', '123456789012345678901234567890.1', '123,456,789,012,345,678,901,234,567,890.1'],
    ['due_on', '2026-11-20', '20 Nov 2026'],
    ['state', 'to_verify', 'To verify'],
    ['tags', '["pump","valve"]', 'pump, valve'],
    ['urgent', 0, 'No'],
    ['title', null, ''],
  ])('shows %s %j as %j', (name, value, text) => {
    expect(formatValue(testField(name), value, undefined, 'en-GB')).toBe(text)
  })

  test('shows what a link’s target is called, else the first part of its id', () => {
    const id = '01931f60-0000-7000-8000-000000000001'
    expect(formatValue(testField('site_id'), id, 'Elmcroft')).toBe('Elmcroft')
    expect(formatValue(testField('site_id'), id, null)).toBe('01931f60')
  })
})
