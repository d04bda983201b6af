/** A schedule as Holdfast parses it, with sets of numbers per field. Times are those of UTC. */
export interface ParsedSchedule {
  readonly seconds: number | null
  readonly minutes: readonly number[] | null
  readonly hours: readonly number[] | null
  readonly days: readonly number[] | null
  readonly months: readonly number[] | null
  readonly weekdays: readonly number[] | null
  /** Whether it runs on the last day of a month. */
  readonly last_day: boolean | null
  /** Whether day of the month and day of the week both have to match, because one of them is a star; otherwise either is enough. */
  readonly is_any_day: boolean | null
}

/** The 29th of February comes again after eight years at the latest. */
const DAYS_MAX = 8 * 366

const DAY_MS = 86_400_000

/**
 * Returns when a job runs next.
 *
 * @param lastStartMs - of a job that runs every few seconds
 * @returns `undefined` for a job that runs when the server starts, and for a day that never comes
 */
export function nextRun(schedule: ParsedSchedule, nowMs: number, lastStartMs: number): number | undefined {
  if (schedule.seconds !== null) return Math.max(nowMs, lastStartMs + schedule.seconds * 1_000)
  const { minutes, hours } = schedule
  if (!minutes || !hours) return undefined
  const times = hours
    .flatMap((hour) => minutes.map((minute) => (hour * 60 + minute) * 60_000))
    .toSorted((a, b) => a - b)
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS
  for (let day = today; day < today + DAYS_MAX * DAY_MS; day += DAY_MS) {
    if (!isDay(schedule, new Date(day))) continue
    const time = times.find((one) => day + one > nowMs)
    if (time !== undefined) return day + time
  }
  return undefined
}

function isDay(
  { days, months, weekdays, last_day: lastDay, is_any_day: isAnyDay }: ParsedSchedule,
  day: Date,
): boolean {
  if (!months?.includes(day.getUTCMonth() + 1)) return false
  const isLast = new Date(day.getTime() + DAY_MS).getUTCDate() === 1
  const isDate = (days?.includes(day.getUTCDate()) ?? false) || (lastDay === true && isLast)
  const isWeekday = weekdays?.includes(day.getUTCDay()) ?? false
  return isAnyDay === true ? isDate && isWeekday : isDate || isWeekday
}
