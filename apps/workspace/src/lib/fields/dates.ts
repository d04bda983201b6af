import { remembered } from '../remembered.ts'
import { isWeekday, monthByName } from './months.ts'
import { momentAtWall, useWorkspaceZone, wallTimeAt, withZoneName } from '../time-zone.ts'

/** Year range of date fields. */
export const YEAR_MIN = 1900
export const YEAR_MAX = 2200

/** Words for days in the app's languages. */
const RELATIVE_DAYS: ReadonlyMap<string, number> = new Map([
  ['today', 0],
  ['tomorrow', 1],
  ['yesterday', -1],
  ['heute', 0],
  ['morgen', 1],
  ['gestern', -1],
])

/** Returns the day of a time as `YYYY-MM-DD` in the workspace's time zone. */
export function dayOf(at: Date): string {
  const { year, month, day } = wallTimeAt(at)
  return isoDay(year, month, day)
}

/** Returns the start of a day in the workspace's time zone. */
export function startOfDay(day: string): Date {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number)
  return momentAtWall({ year, month, day: date })
}

/** Formats the time of day in the workspace's time zone: `14:02`, or `14:02:31` with seconds. */
export function timeOfDay(at: Date): string {
  const { hour, minute, second } = wallTimeAt(at)
  const parts = second === 0 ? [hour, minute] : [hour, minute, second]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** Adds whole days, preserving the time of day in the workspace's time zone. */
export function addDaysTo(at: Date, days: number): Date {
  const wall = wallTimeAt(at)
  const [year = 1970, month = 1, day = 1] = addDays(isoDay(wall.year, wall.month, wall.day), days)
    .split('-')
    .map(Number)
  return momentAtWall({ ...wall, year, month, day })
}

/**
 * Resolves `today`, `today+7`, `week`, `month-1` or a day to its first day and the day after its last. Weeks begin on Monday for everybody, as views are
 * shared across languages.
 */
export function resolveDays(value: string, today: string): { readonly day: string; readonly next: string } {
  const [, unit, sign] = /^(today|week|month)([+-]\d{1,4})?$/.exec(value) ?? []
  const by = Number(sign ?? 0)
  if (unit === 'week') {
    const weekday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7
    const day = addDays(today, by * 7 - weekday)
    return { day, next: addDays(day, 7) }
  }
  if (unit === 'month') return { day: monthStart(today, by), next: monthStart(today, by + 1) }
  const day = unit === 'today' ? addDays(today, by) : value
  return { day, next: addDays(day, 1) }
}

function monthStart(today: string, by: number): string {
  const [year = 1970, month = 1] = today.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1 + by, 1)).toISOString().slice(0, 10)
}

/** Adds whole days to a day. */
export function addDays(day: string, days: number): string {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number)
  const moved = new Date(Date.UTC(2000, 0, 1))
  moved.setUTCFullYear(year, month - 1, date + days)
  return isoDay(moved.getUTCFullYear(), moved.getUTCMonth() + 1, moved.getUTCDate())
}

function isoDay(year: number, month: number, date: number): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
}

/** Formats a stored day: `20 Nov 2026`. Invalid text is returned unchanged. */
export function formatDay(day: string, locale: string): string {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day)
  if (!parts) return day
  return dayFormat(locale).format(Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3])))
}

/** Formats a stored time in the workspace's time zone: `20 Nov 2026, 14:02`, naming the zone if it differs from the device's. */
export function formatMomentText(text: string, locale: string): string {
  const at = momentOf(text)
  if (at === undefined) return text
  const { zone } = useWorkspaceZone.getState()
  const shown = momentFormat(locale, zone, at).format(at)
  return HAS_ZONE.test(text) ? withZoneName(shown, at, locale) : shown
}

/** Zone suffix of a stored time. */
const HAS_ZONE = /(Z|[+-]\d{2}(:?\d{2}){0,2})$/i

/** Parses a stored time; without a zone it is in the workspace's. */
export function momentOf(text: string): Date | undefined {
  const iso = text.replace(' ', 'T').replace(/(\.\d{3})\d+/, '$1')
  const [day = ''] = iso.split('T')
  // `Date` reads the 31st of February as the 3rd of March.
  if (/^\d{4}-\d\d-\d\d$/.test(day) && addDays(day, 0) !== day) return undefined
  const parts = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/.exec(iso)
  const at = parts ? momentAtParts(parts) : new Date(iso)
  return at === undefined || Number.isNaN(at.getTime()) ? undefined : at
}

function momentAtParts([, year, month, day, hour, minute, second = '0', fraction = '']: RegExpExecArray):
  | Date
  | undefined {
  const wall = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    millisecond: Number(fraction.padEnd(3, '0')),
  }
  return wall.hour > 24 || wall.minute > 59 || wall.second > 59 ? undefined : momentAtWall(wall)
}

/** Formats a time as sync stores it: UTC with six fraction digits, so text order is time order. */
export function toStoredMoment(at: Date, hasZone: boolean): string {
  if (hasZone) return at.toISOString().replace('Z', '000Z')
  const { year, month, day, hour, minute, second, millisecond } = wallTimeAt(at)
  const shown = new Date(Date.UTC(2000, 0, 1, hour, minute, second, millisecond)).setUTCFullYear(year, month - 1, day)
  return new Date(shown).toISOString().replace('Z', '000')
}

/** A day and a month by name, in either order, and a year: `3. März 2026`, `1er mars 2026`, `March 3rd, 2026`, `03-Mar-26`. */
const NAMED_DAY =
  /^(?:(\d{1,2})(?:st|nd|rd|th|er)?(?:\. ?| (?:of )?|-)(\p{L}{3,})|(\p{L}{3,})\.? (\d{1,2})(?:st|nd|rd|th)?)(?:\.?,? |\.?-|\.|$)(?: ?(\d{4}|\d{2}))?$/u

function withoutWeekday(text: string, locale: string): string {
  const [whole = '', name = ''] = /^(\p{L}{2,})(?:\.,?|,)? (?=.*\d)/u.exec(text) ?? []
  return whole !== '' && isWeekday(name, locale) && monthByName(name, locale) === undefined
    ? text.slice(whole.length)
    : text
}

/**
 * Parses a typed day: ISO, the language's order (`20/11/2026`, `20.11.`, `20. 11. 2026`), month names in the language, English, German or French (`20 Nov`), also after a weekday, `today`,
 * `tomorrow`, `yesterday`, `+3`, `-2`. The default year is that of `today`.
 *
 * @returns `YYYY-MM-DD`, or `undefined`
 */
export function parseDay(text: string, locale: string, today: string): string | undefined {
  const typed = text.trim().replace(/\s+/g, ' ').toLowerCase()
  const relative = RELATIVE_DAYS.get(typed)
  if (relative !== undefined) return addDays(today, relative)
  if (/^[+-]\d{1,4}$/.test(typed)) return addDays(today, Number(typed))
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(typed)
  if (iso) return checkedDay(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const year = Number(today.slice(0, 4))
  const named = NAMED_DAY.exec(withoutWeekday(typed, locale))
  if (named) {
    const month = monthByName(named[2] ?? named[3] ?? '', locale)
    return month === undefined ? undefined : checkedDay(fullYear(named[5], year), month, Number(named[1] ?? named[4]))
  }
  const numbers = /^(\d{1,2})(?:[-/.]\s*|\s+)(\d{1,2})(?:(?:[-/.]\s*|\s+)(\d{2}|\d{4})?)?$/.exec(typed)
  if (!numbers) return undefined
  const [first, second] = [Number(numbers[1]), Number(numbers[2])]
  const [month, date] = isMonthFirst(locale) ? [first, second] : [second, first]
  return checkedDay(fullYear(numbers[3], year), month, date)
}

/** Parses a typed time: a day as {@link parseDay}, followed by a time or midnight; or ISO. */
export function parseMoment(text: string, locale: string, today: string): Date | undefined {
  const typed = text.trim()
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(typed)) {
    return parseDay(typed.slice(0, 10), locale, today) === undefined ? undefined : momentOf(typed)
  }
  const [, dayText = '', hour = '0', minute = '0', second = '00', half] =
    /^(.*?)(?:,?\s+(\d{1,2})[:.](\d{2})(?::(\d{2}(?:\.\d{1,6})?))?\s*([ap]m)?)?$/i.exec(typed) ?? []
  const day = parseDay(dayText, locale, today)
  if (day === undefined || Number(hour) > 23 || Number(minute) > 59) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
  return momentOf(`${day}T${String(hours).padStart(2, '0')}:${minute.padStart(2, '0')}:${second}`)
}

function checkedDay(year: number, month: number, date: number): string | undefined {
  const at = new Date(Date.UTC(year, month - 1, date))
  const isReal = at.getUTCFullYear() === year && at.getUTCMonth() === month - 1 && at.getUTCDate() === date
  return isReal && year >= YEAR_MIN && year <= YEAR_MAX ? isoDay(year, month, date) : undefined
}

/** Two-digit years are in the same century as in Postgres: 1970 to 2069. */
function fullYear(text: string | undefined, thisYear: number): number {
  if (text === undefined) return thisYear
  const year = Number(text)
  return text.length === 2 ? year + (year < 70 ? 2000 : 1900) : year
}

const monthsFirst = new Map<string, boolean>()

function isMonthFirst(locale: string): boolean {
  return remembered(monthsFirst, locale, () => {
    const parts = new Intl.DateTimeFormat(locale, { timeZone: 'UTC' }).formatToParts(0)
    return parts.findIndex(({ type }) => type === 'month') < parts.findIndex(({ type }) => type === 'day')
  })
}

const dayFormats = new Map<string, Intl.DateTimeFormat>()
const momentFormats = new Map<string, Intl.DateTimeFormat>()

function dayFormat(locale: string): Intl.DateTimeFormat {
  return remembered(
    dayFormats,
    locale,
    () => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }),
  )
}

/** @param timeZone - `undefined` for the device's, which may change while the page is open */
function momentFormat(locale: string, timeZone: string | undefined, at: Date): Intl.DateTimeFormat {
  return remembered(
    momentFormats,
    `${locale} ${timeZone ?? at.getTimezoneOffset()}`,
    () =>
      new Intl.DateTimeFormat(locale, {
        ...(timeZone === undefined ? {} : { timeZone }),
        day: 'numeric',
        month: 'short',
        year: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
      }),
  )
}
