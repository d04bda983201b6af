import * as v from 'valibot'
import { create } from 'zustand'
import { localValue } from './local-value.ts'

const DAY_MS = 86_400_000
// Initialized first, because validating a zone needs a formatter.
const names = new Map<string, Intl.DateTimeFormat>()
const clocks = new Map<string, Intl.DateTimeFormat>()

/** Cached, so that the first screen has correct days before the local database opens. */
const kept = localValue('hf-time-zone', v.string())

/** Time zone for days; `undefined` for the device's. */
export const useWorkspaceZone = create<{ readonly zone: string | undefined }>(() => ({ zone: known(kept.read()) }))

/** Sets the time zone, persistently. @param zone - `undefined` or unknown to the browser: the device's */
export function setWorkspaceZone(zone: string | undefined): void {
  const next = known(zone)
  if (next === useWorkspaceZone.getState().zone) return
  kept.write(next ?? '')
  useWorkspaceZone.setState({ zone: next })
}

/** Returns the device's time zone. */
export function deviceZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Local date and time of a zone. */
export interface WallTime {
  readonly year: number
  /** 1 to 12 */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
}

/** Returns a zone's local time. @param zone - `undefined` for the device's */
export function wallTimeAt(at: Date, zone: string | undefined = useWorkspaceZone.getState().zone): WallTime {
  const shown = new Date(at.getTime() + offsetAt(at.getTime(), zone))
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
    second: shown.getUTCSeconds(),
    millisecond: shown.getUTCMilliseconds(),
  }
}

/**
 * Converts a zone's local time. Of two possible times (clocks moved back) returns the earlier; skipped times (clocks moved forward) shift forward, as in `Date`
 * and `Temporal`.
 */
export function momentAtWall(
  wall: Partial<WallTime> & Pick<WallTime, 'year' | 'month' | 'day'>,
  zone: string | undefined = useWorkspaceZone.getState().zone,
): Date {
  const { year, month, day, hour = 0, minute = 0, second = 0, millisecond = 0 } = wall
  const shown = new Date(Date.UTC(2000, month - 1, day, hour, minute, second, millisecond)).setUTCFullYear(
    year,
    month - 1,
    day,
  )
  const [before, after] = [offsetAt(shown - DAY_MS, zone), offsetAt(shown + DAY_MS, zone)]
  const early = shown - before
  if (before === after || offsetAt(early, zone) === before) return new Date(early)
  const late = shown - after
  return new Date(offsetAt(late, zone) === after ? late : early)
}

/** Returns the abbreviation of the displayed zone, such as `CET`; `undefined` if the device shows the same time. */
export function zoneNameAt(at: Date, locale: string): string | undefined {
  const { zone } = useWorkspaceZone.getState()
  if (zone === undefined || offsetAt(at.getTime(), zone) === offsetAt(at.getTime(), undefined)) return undefined
  const key = `${locale} ${zone}`
  let format = names.get(key)
  if (!format) {
    format = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'short' })
    names.set(key, format)
  }
  return format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value
}

/** Appends the zone's name if it differs from the device's. */
export function withZoneName(text: string, at: Date, locale: string): string {
  const name = zoneNameAt(at, locale)
  return name === undefined ? text : `${text} ${name}`
}

/** UTC offset of a zone in ms. @param zone - `undefined` for the device's */
export function offsetAt(atMs: number, zone: string | undefined): number {
  if (zone === undefined) return -new Date(atMs).getTimezoneOffset() * 60_000
  let clock = clocks.get(zone)
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    clocks.set(zone, clock)
  }
  const parts: Record<string, string> = {}
  for (const { type, value } of clock.formatToParts(atMs)) parts[type] = value
  const shown = new Date(
    Date.UTC(2000, 0, 1, Number(parts['hour']), Number(parts['minute']), Number(parts['second'])),
  ).setUTCFullYear(Number(parts['year']), Number(parts['month']) - 1, Number(parts['day']))
  return shown - Math.floor(atMs / 1000) * 1000
}

/** Returns the zone if the browser knows it. */
function known(zone: string | undefined): string | undefined {
  if (zone === undefined || zone === '') return undefined
  try {
    offsetAt(0, zone)
    return zone
  } catch (error) {
    console.warn(`This browser does not know the time zone ${zone}; days are those of this device.`, error)
    return undefined
  }
}
