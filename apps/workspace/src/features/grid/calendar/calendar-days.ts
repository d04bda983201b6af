import { addDays } from '../../../lib/fields/dates.ts'
import { pageLocale } from '../../../lib/language.ts'

/** Period that a calendar shows. */
export const SPANS = ['month', 'week', 'list'] as const
export type Span = (typeof SPANS)[number]

const DAY_MS = 86_400_000
const WEEK_DAYS = 7

/** @param text - the view's setting */
export function parseSpan(text: string | undefined): Span | undefined {
  return SPANS.find((span) => span === text)
}

/**
 * Returns the first day of the week for the language: 1 is Monday, 7 Sunday. Falls back to Monday where the browser cannot tell.
 *
 * @see https://tc39.es/proposal-intl-locale-info/
 */
export function firstWeekday(locale: string = pageLocale()): number {
  const known = new Intl.Locale(locale) as Intl.Locale & {
    readonly getWeekInfo?: () => { readonly firstDay: number }
  }
  return known.getWeekInfo?.().firstDay ?? 1
}

/** Returns the days shown around a day: whole weeks for a month or week, the days of the month for a list. */
export function daysOf(span: Span, day: string, weekStart: number): readonly string[] {
  const first = `${day.slice(0, 7)}-01`
  const last = addDays(nextMonth(first), -1)
  if (span === 'list') return daysBetween(first, last)
  if (span === 'week') return Array.from({ length: WEEK_DAYS }, (_, index) => addDays(weekOf(day, weekStart), index))
  return daysBetween(weekOf(first, weekStart), addDays(weekOf(last, weekStart), WEEK_DAYS - 1))
}

/** Returns the same day one week or month earlier or later, clamped to the end of a shorter month. */
export function stepDay(span: Span, day: string, by: 1 | -1): string {
  if (span === 'week') return addDays(day, by * WEEK_DAYS)
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number)
  const first = new Date(Date.UTC(year, month - 1 + by, 1)).toISOString().slice(0, 10)
  const length = distance(first, nextMonth(first))
  return addDays(first, Math.min(date, length) - 1)
}

/** Returns the number of days between two days. */
export function distance(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)
}

/** Whether a text is a valid calendar day, `YYYY-MM-DD`. */
export function isDay(text: string | undefined): text is string {
  return text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}

function weekOf(day: string, weekStart: number): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay() || WEEK_DAYS
  return addDays(day, -((weekday - weekStart + WEEK_DAYS) % WEEK_DAYS))
}

function nextMonth(first: string): string {
  const [year = 1970, month = 1] = first.split('-').map(Number)
  return new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10)
}

function daysBetween(first: string, last: string): readonly string[] {
  return Array.from({ length: distance(first, last) + 1 }, (_, index) => addDays(first, index))
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatDate(day: string, locale: string, options: Intl.DateTimeFormatOptions): string {
  const key = `${locale} ${JSON.stringify(options)}`
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  formats.set(key, format)
  return format.format(Date.parse(day))
}

/** Formats a day like `Friday, 20 November 2026`, following the locale. */
export function longDay(day: string, locale: string = pageLocale()): string {
  return formatDate(day, locale, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
}

/** Formats a weekday like `Fri`. */
export function shortWeekday(day: string, locale: string = pageLocale()): string {
  return formatDate(day, locale, { weekday: 'short' })
}

/** Formats a weekday like `Friday`. */
export function longWeekday(day: string, locale: string = pageLocale()): string {
  return formatDate(day, locale, { weekday: 'long' })
}

/** Formats a day of the month like `20`, or `1 Dec` for the first. */
export function dayNumber(day: string, locale: string = pageLocale()): string {
  return day.endsWith('-01')
    ? formatDate(day, locale, { day: 'numeric', month: 'short' })
    : formatDate(day, locale, { day: 'numeric' })
}

/** Formats the period: `November 2026`, or the first and last day of a week. */
export function titleOf(span: Span, day: string, days: readonly string[], locale: string = pageLocale()): string {
  if (span !== 'week') return formatDate(day, locale, { month: 'long', year: 'numeric' })
  const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
  return format.formatRange(Date.parse(days[0] ?? day), Date.parse(days.at(-1) ?? day))
}
