import type { Clock } from '@holdfast/foundation'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** Dates in UTC relative to the day of seeding, so that the sample never looks stale. */
export interface Calendar {
  /** `2031-05-17`; 0 is today, -1 yesterday. */
  day(offset: number): string
  /** A time on that day, never in the future. */
  moment(offset: number, minuteOfDay: number): string
  /** The time that many minutes ago. */
  minutesAgo(minutes: number): string
}

export function createCalendar(clock: Clock): Calendar {
  const now = clock.now()
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const text = (time: number): string => new Date(Math.min(time, now)).toISOString()
  return {
    day: (offset) => new Date(today + offset * DAY_MS).toISOString().slice(0, 10),
    moment: (offset, minuteOfDay) => text(today + offset * DAY_MS + minuteOfDay * MINUTE_MS),
    minutesAgo: (minutes) => text(now - minutes * MINUTE_MS),
  }
}
