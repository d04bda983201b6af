import { offsetAt } from '../../../lib/time-zone.ts'

/** A UTC offset, from a moment on. */
export interface ZoneShift {
  /** `YYYY-MM-DDTHH:MM:SS` in UTC; the first has `''`. */
  readonly from: string
  readonly seconds: number
}

const DAY_MS = 86_400_000
/** Step in ms between looks. Clocks do not move forth and back within less. */
const STEP_MS = 15 * DAY_MS
/** Years that are computed exactly; beyond, the offset of the nearest applies. */
const [YEAR_MIN, YEAR_MAX] = [1880, 2200] as const

/**
 * Returns the offsets of a zone in a range of years, because SQLite knows no time zones.
 *
 * @param zone - `undefined`: the device's
 */
export function zoneShifts(zone: string | undefined, firstYear: number, lastYear: number): readonly ZoneShift[] {
  const from = Date.UTC(Math.max(firstYear, YEAR_MIN), 0, 1) - DAY_MS
  const until = Date.UTC(Math.min(lastYear, YEAR_MAX) + 1, 0, 1) + DAY_MS
  const shifts: ZoneShift[] = [{ from: '', seconds: offsetAt(from, zone) / 1000 }]
  for (let at = from; at < until; at += STEP_MS) {
    const [before, after] = [offsetAt(at, zone), offsetAt(at + STEP_MS, zone)]
    if (before !== after) shifts.push({ from: textOf(turnBetween(zone, at, at + STEP_MS)), seconds: after / 1000 })
  }
  return shifts
}

/** Finds the second at which the offset changes. */
function turnBetween(zone: string | undefined, early: number, late: number): number {
  const before = offsetAt(early, zone)
  let [low, high] = [early / 1000, late / 1000]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle * 1000, zone) === before) low = middle
    else high = middle
  }
  return high * 1000
}

function textOf(at: number): string {
  return new Date(at).toISOString().slice(0, 19)
}

/** Returns SQL for the modifier that turns a time in UTC, as text, into the zone's. Nested, so that a row needs few comparisons. */
export function shiftSql(moment: string, shifts: readonly ZoneShift[]): string {
  const [first] = shifts
  if (shifts.length <= 1 || first === undefined) return `'${first?.seconds ?? 0} seconds'`
  const middle = Math.ceil(shifts.length / 2)
  const [early, late] = [shifts.slice(0, middle), shifts.slice(middle)]
  return `case when ${moment} < '${late[0]?.from ?? ''}' then ${shiftSql(moment, early)} else ${shiftSql(moment, late)} end`
}
