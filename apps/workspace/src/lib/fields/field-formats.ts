import { type ColumnDescriptor, type FieldFormat, parseFieldFormat } from '@holdfast/protocol'
import { fieldFormatMessages as words } from '../../messages/field-formats.ts'
import { remembered } from '../remembered.ts'
import type { FieldFormatter, ParsedText } from '../data/field-formatter.ts'
import { kindOf } from './field-kind.ts'
import { formatNumberText, decimalSeparator } from './numbers.ts'
import { checkLength, parseNumber, TEXT_MAX } from './parse-value.ts'

type Numeric = Parameters<typeof parseNumber>[0]
type Of<Kind extends FieldFormat['kind']> = Extract<FieldFormat, { readonly kind: Kind }>

/** Decimals of a typed coordinate: a tenth of a metre. */
const COORDINATE_DIGITS = 6

/** Returns the formatter of a column. Undefined without a format, or with one that this version or the column's type does not know. */
export function formatterOf(stored: unknown, column: ColumnDescriptor): FieldFormatter | undefined {
  const format = parseFieldFormat(stored, column.type)
  const field = { kind: kindOf(column, false), column }
  switch (format?.kind) {
    case undefined:
      return undefined
    case 'rating':
      return rating(format)
    case 'currency':
      return currency(format, field)
    case 'percent':
      return percent(format, field)
    case 'duration':
      return duration(format, field)
    case 'barcode':
      return {
        format,
        show: (value) => value,
        edit: (value) => value,
        parse: (text) => checkLength(field, text, TEXT_MAX),
      }
    case 'attachment':
    case 'signature':
      return { format, show: (value) => value, edit: (value) => value, parse: () => invalid(words.filesElsewhere) }
    case 'text':
    case 'long_text':
    case 'email':
    case 'url':
    case 'phone':
      return undefined // see WordedColumn.formatKind
    case 'location':
      return { format, show: showLocation, edit: showLocation, parse: (text) => parseLocation(text) }
  }
}

function rating(format: Of<'rating'>): FieldFormatter {
  return {
    format,
    show: (value) => words.rating(value, format.max),
    edit: (value) => value,
    parse(text) {
      const stars = /^[\u2605\u2606]+$/.test(text) ? text.replaceAll('\u2606', '').length : undefined
      const [, typed] = /^(\d{1,2})(?:\s*(?:\/|of|von)\s*\d{1,2})?$/.exec(text) ?? []
      const number = stars ?? Number(typed ?? Number.NaN)
      return number >= 1 && number <= format.max ? valid(number) : invalid(words.ratingBetween(format.max))
    },
  }
}

/** Digits are kept: no amount is rounded to the currency's decimals. */
function currency(format: Of<'currency'>, field: Numeric): FieldFormatter {
  const formatIn = (locale: string): Intl.NumberFormat =>
    remembered(currencies, `${locale} ${format.code}`, () => {
      const settings = { style: 'currency', currency: format.code } as const
      const { minimumFractionDigits = 2 } = new Intl.NumberFormat(locale, settings).resolvedOptions()
      return new Intl.NumberFormat(locale, { ...settings, minimumFractionDigits, maximumFractionDigits: 20 })
    })
  return {
    format,
    show: (value, locale) =>
      /^-?\d+(\.\d+)?$/.test(value) ? formatIn(locale).format(value as Intl.StringNumericLiteral) : value,
    edit: editNumber,
    parse(text, locale) {
      const sign =
        formatIn(locale)
          .formatToParts(0)
          .find(({ type }) => type === 'currency')?.value ?? ''
      const bare = [sign, format.code].reduce((left, mark) => (mark === '' ? left : left.replace(mark, '')), text)
      return parseNumber(field, bare.replace(/^([-\u2212]?)[\s\u00a0]+/, '$1').trim(), locale)
    },
  }
}

function percent(format: Of<'percent'>, field: Numeric): FieldFormatter {
  return {
    format,
    show: (value, locale) => `${formatNumberText(value, locale)}${locale.startsWith('en') ? '' : '\u00a0'}%`,
    edit: editNumber,
    parse: (text, locale) => parseNumber(field, text.replace(/[\s\u00a0]*%$/, ''), locale),
  }
}

const UNITS = { h: 3_600, min: 60, m: 60, s: 1, sec: 1, sek: 1, std: 3_600 } as const

/** `h:mm`, or `h:mm:ss` where seconds are stored. A number without a colon counts units as they are stored, which is what files contain. */
function duration(format: Of<'duration'>, field: Numeric): FieldFormatter {
  const unitS = format.unit === 'seconds' ? 1 : 60
  const show = (value: string): string => {
    const total = Math.round(Number(value))
    if (!Number.isSafeInteger(total)) return value
    const perHour = 3_600 / unitS
    const rest = Math.abs(total) % perHour
    const parts = unitS === 1 ? [Math.floor(rest / 60), rest % 60] : [rest]
    const hours = Math.floor(Math.abs(total) / perHour)
    return `${total < 0 ? '-' : ''}${[hours, ...parts.map((part) => String(part).padStart(2, '0'))].join(':')}`
  }
  return {
    format,
    show,
    edit: show,
    parse(text, locale) {
      const seconds = secondsOf(text)
      if (seconds === undefined)
        return /^[-+\u2212]?\d+$/.test(text) ? parseNumber(field, text, locale) : invalid(words.duration)
      return seconds % unitS === 0 ? parseNumber(field, String(seconds / unitS), locale) : invalid(words.wholeMinutes)
    },
  }
}

/** Parses `1:30`, `1:30:15`, `1h 30m` and `90 min`. */
function secondsOf(text: string): number | undefined {
  const [, sign = '', hours, minutes, seconds = '0'] = /^([-\u2212]?)(\d+):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? []
  const factor = /^[-\u2212]/.test(text) ? -1 : 1
  if (hours !== undefined)
    return (sign === '' ? 1 : -1) * (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds))
  const bare = text.replace(/^[-\u2212]/, '').toLowerCase()
  if (!/^(\d+\s*(h|std|min|m|sec|sek|s)\.?\s*)+$/.test(bare)) return undefined
  const parts = [...bare.matchAll(/(\d+)\s*(h|std|min|m|sec|sek|s)/g)]
  return factor * parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit as keyof typeof UNITS], 0)
}

/** Returns `52.52, 13.405` of Postgres' `(13.405,52.52)`. Coordinates have a decimal point in every language. */
function showLocation(value: string): string {
  const place = placeOf(value)
  return place ? `${place.lat}, ${place.lon}` : value
}

/** Returns the coordinates of a stored location as texts. */
export function placeOf(value: string): { readonly lat: string; readonly lon: string } | undefined {
  const [, lon, lat] = /^\(([-+\d.e]+),([-+\d.e]+)\)$/.exec(value) ?? []
  return lon === undefined || lat === undefined ? undefined : { lat, lon }
}

/** Returns the stored form of coordinates, with {@link COORDINATE_DIGITS} decimals. */
export function storedPlace(lat: number, lon: number): string {
  return `(${Number(lon.toFixed(COORDINATE_DIGITS))},${Number(lat.toFixed(COORDINATE_DIGITS))})`
}

const DEGREES = String.raw`([-+\u2212]?\d{1,3}(?:[.,]\d+)?(?:e-?\d+)?)\s*\u00b0?\s*`
const PAIR = new RegExp(String.raw`^${DEGREES}([NS]?)\s*[,;\s]\s*${DEGREES}([EWO]?)$`, 'i')

/** Parses latitude and longitude: `52.52, 13.405`, `52,52; 13,405`, `33.9 S 151.2 E`, and the stored form. */
function parseLocation(text: string): ParsedText {
  const kept = placeOf(text)
  const [, lat, south = '', lon, west = ''] = kept ? [text, kept.lat, '', kept.lon, ''] : (PAIR.exec(text) ?? [])
  const degrees = (typed: string | undefined, isNegative: boolean): number =>
    Number((typed ?? '').replace(',', '.').replace('\u2212', '-')) * (isNegative ? -1 : 1)
  const at = { lat: degrees(lat, /s/i.test(south)), lon: degrees(lon, /w/i.test(west)) }
  if (lat === undefined || !(Math.abs(at.lat) <= 90 && Math.abs(at.lon) <= 180)) return invalid(words.location)
  // What was stored, by whatever client, stays as exact as it was.
  return valid(`(${at.lon},${at.lat})`)
}

function editNumber(value: string, locale: string): string {
  return value.replace('.', decimalSeparator(locale))
}

const currencies = new Map<string, Intl.NumberFormat>()

function valid(value: string | number): ParsedText {
  return { isValid: true, value }
}

function invalid(message: string): ParsedText {
  return { isValid: false, message }
}
