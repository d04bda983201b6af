import { remembered } from '../remembered.ts'
import type { Field } from './field.ts'

/** Format of a number column: decimal digits (`undefined` for any) and the type's range. */
export interface NumberShape {
  readonly scale: number | undefined
  readonly min: number
  readonly max: number
}

/** Derived from the column type: `numeric(6,2)` has 2 decimals and stays below 10,000. */
export function numberShapeOf({ kind, column }: Pick<Field, 'kind' | 'column'>): NumberShape {
  const [, precision, scale] = /^numeric\((\d+)(?:,(-?\d+))?\)$/.exec(column.type) ?? []
  if (precision !== undefined) {
    const digits = Math.max(0, Number(scale ?? 0))
    const limit = 10 ** (Number(precision) - Number(scale ?? 0)) - 10 ** -digits
    return { scale: digits, min: -limit, max: limit }
  }
  if (kind !== 'integer') return { scale: undefined, min: -Number.MAX_VALUE, max: Number.MAX_VALUE }
  const bits = column.type === 'smallint' ? 15 : column.type === 'bigint' ? 53 : 31
  return { scale: 0, min: -(2 ** bits) + (bits === 53 ? 1 : 0), max: 2 ** bits - 1 }
}

/** Formats a number's text with the reader's separators without changing digits: `12.50` keeps two decimals, and long numbers are not rounded. */
export function formatNumberText(text: string, locale: string): string {
  const [, sign = '', whole = '', , fraction] = /^(-?)(\d+)(\.(\d+))?$/.exec(text) ?? []
  if (whole === '') return text
  const { decimal } = separatorsOf(locale)
  const grouped = remembered(formats, locale, () => new Intl.NumberFormat(locale)).format(BigInt(whole))
  return `${sign}${grouped}${fraction === undefined ? '' : decimal + fraction}`
}

/**
 * Parses a typed number to digits with a decimal point: `1.234,5` in German is `1234.5`. A single point or comma is accepted in every language if unambiguous,
 * because phone keyboards follow the region. Thousands groups never start with zero.
 *
 * @returns `undefined` if invalid
 */
export function parseNumberText(text: string, locale: string): string | undefined {
  const { decimal, group } = separatorsOf(locale)
  const bare = withoutSpaces(text.trim().replace(/^\u2212/, '-'))
  const isGrouped = new RegExp(`^[+-]?[1-9]\\d{0,2}(${escape(group)}\\d{3})+(${escape(decimal)}\\d*)?$`).test(bare)
  const local = (isGrouped ? bare.replaceAll(group, '') : bare).replace(decimal, '.')
  const plain = !isGrouped && /^[+-]?\d*[.,]\d+$/.test(bare) ? bare.replace(',', '.') : local
  const [, sign = '', whole = '', , fraction = ''] = /^([+-]?)(\d*)(\.(\d*))?$/.exec(plain) ?? []
  if (whole === '' && fraction === '') return undefined
  const digits = whole.replace(/^0+(?=\d)/, '') || '0'
  return `${sign === '-' ? '-' : ''}${digits}${fraction === '' ? '' : `.${fraction}`}`
}

/** Strips spaces after a sign and between thousands groups. Others separate two numbers and stay. */
function withoutSpaces(text: string): string {
  const signed = text.replace(/^([+-])\s+/, '$1')
  return /^[+-]?\d{1,3}([ \u00a0\u2009\u202f]\d{3})+([.,]\d*)?$/.test(signed) ? signed.replace(/\s/g, '') : signed
}

/** Toggles the sign of typed number text. */
export function flipSign(text: string): string {
  const bare = text.trimStart()
  return /^[-\u2212]/.test(bare) ? bare.slice(1) : `-${bare.replace(/^\+/, '')}`
}

/** Returns a language's decimal separator. */
export function decimalSeparator(locale: string): string {
  return separatorsOf(locale).decimal
}

interface Separators {
  readonly decimal: string
  readonly group: string
}

const formats = new Map<string, Intl.NumberFormat>()
const separators = new Map<string, Separators>()

function separatorsOf(locale: string): Separators {
  return remembered(separators, locale, () => readSeparators(locale))
}

function readSeparators(locale: string): Separators {
  const parts = new Intl.NumberFormat(locale).formatToParts(12345678.9)
  const part = (type: string): string | undefined => parts.find((one) => one.type === type)?.value
  const group = part('group') ?? ','
  return { decimal: part('decimal') ?? '.', group: /\s/.test(group) ? ' ' : group }
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
