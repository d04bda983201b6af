import { pageLanguage, pageLocale } from './language.ts'
import { remembered } from './remembered.ts'
import { useWorkspaceZone, wallTimeAt, withZoneName } from './time-zone.ts'

/** Formats a count for the reader: `1,260`. */
export function formatCount(count: number): string {
  return count.toLocaleString(pageLocale())
}

/** Formats a time with seconds: `14:02:11`. */
export function formatClock(at: Date): string {
  return shown(at, { hour: 'numeric', minute: '2-digit', second: '2-digit' })
}

/** Formats a time of day: `14:02`. */
export function formatTime(at: Date): string {
  return shown(at, { hour: 'numeric', minute: '2-digit' })
}

/** Formats a time today, otherwise date and time. */
export function formatMoment(at: Date, now: Date = new Date()): string {
  const [then, today] = [wallTimeAt(at), wallTimeAt(now)]
  const isToday = then.day === today.day && then.month === today.month && then.year === today.year
  return isToday ? formatTime(at) : shown(at, { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' })
}

const YESTERDAY = { en: 'yesterday', de: 'gestern' } as const

/** Formats a past time after "since": `14:02`, `yesterday 14:02`, `27 Nov, 14:02`. */
export function formatSince(at: Date, now: Date = new Date()): string {
  const [then, today] = [at, now].map((one) => {
    const { year, month, day } = wallTimeAt(one)
    return Date.UTC(year, month - 1, day)
  })
  if (then === undefined || today === undefined || today - then !== 86_400_000) return formatMoment(at, now)
  return `${YESTERDAY[pageLanguage()]} ${formatTime(at)}`
}

const momentFormats = new Map<string, Intl.DateTimeFormat>()

/** Formats in the workspace's time zone, naming it if it differs from the device's. */
function shown(at: Date, options: Intl.DateTimeFormatOptions): string {
  const { zone } = useWorkspaceZone.getState()
  const locale = pageLocale()
  const format = remembered(
    momentFormats,
    // The device's time zone may change while the page is open.
    JSON.stringify([locale, zone ?? at.getTimezoneOffset(), options]),
    () => new Intl.DateTimeFormat(locale, { ...options, ...(zone && { timeZone: zone }) }),
  )
  return withZoneName(format.format(at), at, locale)
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const JUST_NOW = { en: 'just now', de: 'gerade eben' } as const

/** Formats elapsed time in one unit: `3 minutes ago`; under a minute `just now`. */
export function formatAgo(at: Date, now: Date = new Date()): string {
  const seconds = Math.round((now.getTime() - at.getTime()) / 1000)
  for (const [unit, length] of UNITS) {
    if (seconds >= length) {
      return new Intl.RelativeTimeFormat(pageLocale(), { numeric: 'auto' }).format(-Math.floor(seconds / length), unit)
    }
  }
  return JUST_NOW[pageLanguage()]
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Formats bytes in decimal units: `4.1 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < BYTE_UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1
  return `${value.toLocaleString(pageLocale(), { maximumFractionDigits: digits, minimumFractionDigits: digits })} ${BYTE_UNITS[unit] ?? 'B'}`
}

/** Converts a database name for display: `template_items` → `Template items`, `site_id` → `Site`. */
export function humanize(name: string): string {
  const words = name
    .replace(/^hf_/, '')
    .replace(/_(id|fk)$/, '')
    .replaceAll('_', ' ')
    .trim()
  if (words === '') return name
  return words === 'id' ? 'ID' : words.charAt(0).toUpperCase() + words.slice(1)
}

/** Capitalizes the first letter, for German nouns. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Formats remaining minutes and seconds: `4:05`. */
export function formatCountdown(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const

/** Formats a distance, sensibly rounded: `80 m`, `1.2 km`, `140 km`. */
export function formatMetres(metres: number): string {
  if (metres < 1_000) return `${String(metres < 100 ? Math.round(metres) : Math.round(metres / 10) * 10)} m`
  const kilometres = metres / 1_000
  return `${kilometres < 10 ? kilometres.toLocaleString(pageLocale(), ONE_DIGIT) : formatCount(Math.round(kilometres))} km`
}

/** Formats a long date: `30 November 2026`. */
export function formatLongDay(at: Date): string {
  return at.toLocaleDateString(pageLocale(), { dateStyle: 'long' })
}

/** `Doing, Blocked or Dropped`. */
export function formatAlternatives(words: readonly string[]): string {
  return new Intl.ListFormat(pageLocale(), { type: 'disjunction' }).format(words)
}

/** `Ann, Bo and Cy`. */
export function formatNames(names: readonly string[]): string {
  return new Intl.ListFormat(pageLocale(), { type: 'conjunction' }).format(names)
}
