const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** Formats bytes with one decimal below ten: `4.2 GB`. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000
    unit += 1
  }
  const text = unit > 0 && value < 10 ? value.toFixed(1) : String(Math.round(value))
  return `${text} ${UNITS[unit] ?? ''}`
}

/** Formats a time in ms: `3.2 ms`, `450 ms`, `12 s`. */
export function formatMs(ms: number | null): string {
  if (ms === null) return '–'
  if (ms >= 10_000) return formatDuration(ms / 1_000)
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString('en')} ms`
}

/** Formats a count: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S
const DAY_S = 24 * HOUR_S

/** Formats a duration with its largest unit: `3 h`, `45 s`. */
export function formatDuration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 2 * MINUTE_S) return `${Math.round(seconds)} s`
  if (seconds < 2 * HOUR_S) return `${Math.round(seconds / MINUTE_S)} min`
  if (seconds < 2 * DAY_S) return `${Math.round(seconds / HOUR_S)} h`
  return `${Math.round(seconds / DAY_S)} days`
}

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** Formats an ISO time in the browser's time zone: `30 Nov 2026, 14:05:12`. */
export function formatTime(iso: string): string {
  return TIME.format(new Date(iso))
}

const CLOCK = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})

/** Formats an ISO time with milliseconds: `30 Nov, 14:05:12.345`. */
export function formatClock(iso: string): string {
  return CLOCK.format(new Date(iso))
}

/** Formats a time relative to now: `3 min ago`. */
export function formatAgo(iso: string, nowMs = Date.now()): string {
  const seconds = Math.max(0, (nowMs - Date.parse(iso)) / 1_000)
  return seconds < 10 ? 'just now' : `${formatDuration(seconds)} ago`
}

/** @returns `orders`, and `sales.orders` outside of schema `public` */
export function formatTableName(schema: string, table: string): string {
  return schema === 'public' ? table : `${schema}.${table}`
}
