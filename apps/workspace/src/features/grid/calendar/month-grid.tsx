import type { JSX } from 'react'
import { cx } from '../../../lib/cx.ts'
import type { Field } from '../../../lib/fields/field.ts'
import type { RecordMark } from '../../../lib/records/record-state.ts'
import { calendarMessages as words } from '../../../messages/calendar.ts'
import { dayNumber, longDay, longWeekday, shortWeekday } from './calendar-days.ts'
import type { Entry } from './calendar-sql.ts'
import type { DateFields } from './date-fields.ts'
import { DayEntry } from './day-entry.tsx'
import type { Calendar } from './use-calendar.ts'

export interface DaysProps {
  readonly days: readonly string[]
  readonly byDay: ReadonlyMap<string, readonly Entry[]>
  readonly today: string
  readonly fields: readonly Field[]
  readonly dates: DateFields
  readonly marks: ReadonlyMap<string, RecordMark>
  readonly calendar: Calendar
  /** Called with a day that has more records than shown. */
  readonly onMore: (day: string) => void
}

const WEEK_DAYS = 7

/** Days in rows of weeks, each with its first records. */
export function MonthGrid({
  month,
  shownMax,
  isCompact,
  label,
  ...props
}: DaysProps & {
  /** Such as `2026-11`: days of other months are dimmed. `undefined`: no day is dimmed. */
  readonly month: string | undefined
  /** Lines per day. If a day has more records, its last line says how many more. */
  readonly shownMax: number
  /** Too narrow for text: each day shows only its number of records. */
  readonly isCompact: boolean
  readonly label: string
}): JSX.Element {
  const { days } = props
  const weeks = Array.from({ length: days.length / WEEK_DAYS }, (_, week) =>
    days.slice(week * WEEK_DAYS, (week + 1) * WEEK_DAYS),
  )
  const stop = tabStopOf(props)
  return (
    <table className="h-full w-full table-fixed border-separate border-spacing-0">
      <caption className="sr-only">{label}</caption>
      <thead className="sticky top-0 z-10 bg-bg">
        <tr>
          {days.slice(0, WEEK_DAYS).map((day) => (
            <th
              key={day}
              scope="col"
              className="h-8 border-b border-border px-2 text-left text-small font-medium text-muted"
            >
              <abbr title={longWeekday(day)} className="no-underline">
                {shortWeekday(day)}
              </abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]} style={{ height: `${100 / weeks.length}%` }}>
            {week.map((day) => (
              <DayCell
                key={day}
                {...props}
                {...{ day, shownMax, isCompact, stop }}
                isOther={month !== undefined && !day.startsWith(month)}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function DayCell({
  day,
  byDay,
  today,
  fields,
  dates,
  marks,
  calendar,
  onMore,
  shownMax,
  isCompact,
  isOther,
  stop,
}: DaysProps & {
  readonly day: string
  readonly shownMax: number
  readonly isCompact: boolean
  readonly isOther: boolean
  readonly stop: string | undefined
}): JSX.Element {
  const entries = byDay.get(day) ?? []
  const total = entries[0]?.['#total'] ?? 0
  // The line with the number of hidden records replaces one record.
  const shown = isCompact ? [] : entries.slice(0, total > shownMax ? shownMax - 1 : shownMax)
  const isOver = calendar.over === day
  return (
    <td
      data-cell={day}
      aria-current={day === today ? 'date' : undefined}
      className={cx(
        'border-r border-b border-border p-1 align-top',
        isOther && 'bg-surface',
        isOver && 'bg-accent-soft',
        calendar.isDragging && calendar.isRefused(day) && 'opacity-55',
      )}
    >
      <p className="flex h-6 items-center px-0.5 text-small">
        <span
          aria-hidden
          className={cx(
            'inline-flex h-5 min-w-5 items-center justify-center rounded-full px-1 tabular-nums',
            day === today ? 'bg-accent font-medium text-on-accent' : isOther ? 'text-muted' : 'text-text',
          )}
        >
          {isCompact ? Number(day.slice(8)) : dayNumber(day)}
        </span>
        <span className="sr-only">{words.day(longDay(day), total)}</span>
      </p>
      {shown.length === 0 ? null : (
        <ul className="flex flex-col gap-0.5">
          {shown.map((row) => (
            <li key={row.id}>
              <DayEntry
                {...{ row, fields, dates, calendar }}
                mark={marks.get(row.id)}
                isTabStop={stop === `${day} ${row.id}`}
                isLarge={false}
              />
            </li>
          ))}
        </ul>
      )}
      {total > shown.length ? (
        <button
          type="button"
          data-more
          aria-label={isCompact ? words.allOf(total, longDay(day)) : words.moreOf(total - shown.length, longDay(day))}
          onClick={() => onMore(day)}
          className={cx(
            'focus-inset mt-0.5 w-full rounded-sm px-1.5 text-small',
            isCompact
              ? 'flex min-h-9 items-center justify-center bg-accent-soft font-medium text-accent tabular-nums'
              : 'h-5 text-left text-muted hover:bg-hover hover:text-text coarse:h-7',
          )}
        >
          {isCompact ? total : words.more(total - shown.length)}
        </button>
      ) : null}
    </td>
  )
}

/** Returns the record reachable with Tab: the one used last, or else the first. */
export function tabStopOf({ byDay, calendar }: Pick<DaysProps, 'byDay' | 'calendar'>): string | undefined {
  const { active } = calendar
  if (active && byDay.get(active.day)?.some(({ id }) => id === active.row.id)) return `${active.day} ${active.row.id}`
  for (const [day, [first]] of byDay) if (first) return `${day} ${first.id}`
  return undefined
}
