import { type FieldFormat, parseFieldFormat } from '@holdfast/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exportedText } from '../exchange/exported-text.ts'
import { formatterOf, storedPlace } from './field-formats.ts'
import { type Field, fieldsOf } from './field.ts'
import { formatValue, toEditText } from './format-value.ts'
import { parseValue } from './parse-value.ts'
import { testColumn, testTable } from './test-fields.test-support.ts'

function fieldWith(format: FieldFormat, type: string): Field {
  const column = { ...testColumn('value', type), ...(type === 'bigint' && { local: 'integer' as const }) }
  const formatter = formatterOf(format, column)
  const table = testTable('t', [{ ...column, ...(formatter && { format: formatter }) }])
  const field = fieldsOf(table, { version: '1', tables: [table] }).find(({ name }) => name === 'value')
  if (!field) throw new Error('no field')
  return field
}

const RATING = fieldWith({ kind: 'rating', max: 10 }, 'bigint')
const EURO = fieldWith({ kind: 'currency', code: 'EUR' }, 'numeric')
const YEN = fieldWith({ kind: 'currency', code: 'JPY' }, 'numeric')
const FRANC = fieldWith({ kind: 'currency', code: 'CHF' }, 'numeric')
const PERCENT = fieldWith({ kind: 'percent' }, 'numeric')
const MINUTES = fieldWith({ kind: 'duration', unit: 'minutes' }, 'bigint')
const SECONDS = fieldWith({ kind: 'duration', unit: 'seconds' }, 'bigint')
const BARCODE = fieldWith({ kind: 'barcode' }, 'text')
const LOCATION = fieldWith({ kind: 'location' }, 'point')

const decimal = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.integer({ min: 0, max: 6 }))
  .map(([isNegative, digits, scale]) => {
    const text = String(digits).padStart(scale + 1, '0')
    const whole = text.slice(0, text.length - scale)
    const sign = isNegative && digits > 0n ? '-' : ''
    return `${sign}${whole}${scale === 0 ? '' : `.${text.slice(-scale)}`}`
  })
const whole = fc.integer({ min: -1_000_000, max: 1_000_000 }).map(Number)
const place = fc
  .tuple(fc.double({ min: -90, max: 90, noNaN: true }), fc.double({ min: -180, max: 180, noNaN: true }))
  .map(([lat, lon]) => storedPlace(lat, lon))

describe.each(['en', 'de'])('in %s', (locale) => {
  const cases: readonly [string, Field, fc.Arbitrary<string | number>][] = [
    ['rating', RATING, fc.integer({ min: 1, max: 10 })],
    ['euros', EURO, decimal],
    ['yen', YEN, decimal],
    ['francs', FRANC, decimal],
    ['percent', PERCENT, decimal],
    ['minutes', MINUTES, whole],
    ['seconds', SECONDS, whole],
    ['barcode', BARCODE, fc.stringMatching(/^[!-~]{1,40}$/)],
    ['location', LOCATION, place],
  ]
  test.each(cases)('what is shown, edited and exported of %s is read as the same value', (_, field, values) => {
    const same = (value: string | number): string =>
      field.kind === 'number'
        ? String(value)
            .replace(/(\.\d*?)0+$/, '$1')
            .replace(/\.$/, '')
        : String(value)
    fc.assert(
      fc.property(values, (value) => {
        for (const [text, of] of [
          [formatValue(field, value, undefined, locale), locale],
          [toEditText(field, value, locale), locale],
          [exportedText(field, value), 'en'],
        ] as const) {
          const parsed = parseValue(field, text, { locale: of })
          expect(parsed.isValid && same(parsed.value ?? '')).toBe(same(value))
        }
      }),
      { numRuns: 60 },
    )
  })
})

test.each([
  [EURO, '1234.5', 'en', '€1,234.50'],
  [EURO, '1234.5', 'de', '1.234,50\u00a0€'],
  [EURO, '0.1234', 'en', '€0.1234'],
  [YEN, '1200', 'en', '¥1,200'],
  [PERCENT, '12.5', 'en', '12.5%'],
  [PERCENT, '12.5', 'de', '12,5\u00a0%'],
  [MINUTES, 90, 'de', '1:30'],
  [MINUTES, -5, 'en', '-0:05'],
  [SECONDS, 3_725, 'en', '1:02:05'],
  [RATING, 4, 'en', '4 of 10'],
  [LOCATION, '(13.405,52.52)', 'de', '52.52, 13.405'],
] as const)('%# shows %j', (field, value, locale, text) => {
  expect(formatValue(field, value, undefined, locale)).toBe(text)
})

test.each([
  [RATING, '★★★☆☆', 3],
  [RATING, '11', undefined],
  [RATING, '0', undefined],
  [RATING, '2.5', undefined],
  [EURO, '12 EUR', '12'],
  [EURO, 'twelve', undefined],
  [PERCENT, '25 %', '25'],
  [MINUTES, '90', 90],
  [MINUTES, '1h 30m', 90],
  [MINUTES, '1:30:30', undefined],
  [MINUTES, '1:75', undefined],
  [SECONDS, '1:30', 5_400],
  [SECONDS, '90s', 90],
  [LOCATION, '52,52; 13,405', '(13.405,52.52)'],
  [LOCATION, '33.9 S, 151.2 E', '(151.2,-33.9)'],
  [LOCATION, '52.52° N 13.4° W', '(-13.4,52.52)'],
  [LOCATION, '13.405', undefined],
  [LOCATION, '91, 0', undefined],
] as const)('%# reads %j', (field, text, value) => {
  expect(parseValue(field, text, { locale: 'en' })).toMatchObject(
    value === undefined ? { isValid: false } : { isValid: true, value },
  )
})

test.each([
  [{ kind: 'gauge', max: 9 }, 'bigint'],
  [{ kind: 'rating', max: 7 }, 'bigint'],
  [{ kind: 'rating', max: 5 }, 'text'],
  [{ kind: 'currency', code: 'euro' }, 'numeric'],
  [{ kind: 'duration', unit: 'minutes' }, 'numeric'],
  [{ kind: 'location' }, 'jsonb'],
  ['rating', 'bigint'],
  [null, 'text'],
])('the column is plain with a format that is unknown or does not fit: %j of %s', (format, type) => {
  expect(parseFieldFormat(format, type)).toBeUndefined()
})
