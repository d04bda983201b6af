import type { DateStep } from '@holdfast/protocol'
import { addDays, formatDay } from '../../../lib/fields/dates.ts'

/** A bucket is named by its first day, `YYYY-MM-DD`. Weeks begin on Monday, as in ISO 8601 and `date_trunc`. */
export function nextBucket(step: DateStep, first: string): string {
  if (step === 'day') return addDays(first, 1)
  return step === 'week' ? addDays(first, 7) : addMonths(first, MONTHS[step])
}

const MONTHS = { month: 1, quarter: 3, year: 12 } as const

function addMonths(first: string, months: number): string {
  const [year = 1970, month = 1] = first.split('-').map(Number)
  const at = month - 1 + months
  return `${String(year + Math.floor(at / 12)).padStart(4, '0')}-${String((at % 12) + 1).padStart(2, '0')}-01`
}

/** Whether a key names a bucket, rather than a stored value that is no ordinary day, such as `infinity`. */
export function isBucket(key: unknown): key is string {
  return typeof key === 'string' && /^\d{4}-\d\d-\d\d$/.test(key)
}

/** Returns the first days of all buckets from one to another; `undefined` if there are more than `max`. */
export function bucketsBetween(
  step: DateStep,
  first: string,
  last: string,
  max: number,
): readonly string[] | undefined {
  const buckets: string[] = []
  for (let at = first; at <= last; at = nextBucket(step, at)) {
    if (buckets.length === max || at > '9999') return undefined
    buckets.push(at)
  }
  return buckets
}

const formats = new Map<string, Intl.DateTimeFormat>()

function format(locale: string, options: Intl.DateTimeFormatOptions, day: string): string {
  const key = `${locale} ${JSON.stringify(options)}`
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  formats.set(key, known)
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number)
  return known.format(new Date(Date.UTC(2000, 0, 1)).setUTCFullYear(year, month - 1, date))
}

/** Formats a bucket for a table: `20 Nov 2026`, `Week of 16 Nov 2026`, `November 2026`, `Q4 2026`, `2026`. */
export function bucketLabel(step: DateStep, first: string, locale: string, weekOf: (day: string) => string): string {
  switch (step) {
    case 'day':
      return formatDay(first, locale)
    case 'week':
      return weekOf(formatDay(first, locale))
    case 'month':
      return format(locale, { month: 'long', year: 'numeric' }, first)
    case 'quarter':
      return `Q${quarterOf(first)} ${Number(first.slice(0, 4))}`
    case 'year':
      return String(Number(first.slice(0, 4)))
    default:
      return step satisfies never
  }
}

/** Formats a bucket for an axis: `20 Nov`, `Nov 26`, `Q4 26`, `2026`. */
export function bucketTick(step: DateStep, first: string, locale: string): string {
  switch (step) {
    case 'day':
    case 'week':
      return format(locale, { day: 'numeric', month: 'short' }, first)
    case 'month':
      return format(
        locale,
        first.slice(5, 7) === '01' ? { month: 'short', year: 'numeric' } : { month: 'short' },
        first,
      )
    case 'quarter':
      return quarterOf(first) === 1 ? `Q1 ${Number(first.slice(0, 4))}` : `Q${quarterOf(first)}`
    case 'year':
      return String(Number(first.slice(0, 4)))
    default:
      return step satisfies never
  }
}

function quarterOf(first: string): number {
  return Math.ceil(Number(first.slice(5, 7)) / 3)
}
