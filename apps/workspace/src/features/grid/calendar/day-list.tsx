import { CalendarArrowDown } from 'lucide-react'
import { type JSX, type RefObject, useLayoutEffect, useRef } from 'react'
import { Button } from '../../../components/button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { cx } from '../../../lib/cx.ts'
import { calendarMessages as words } from '../../../messages/calendar.ts'
import { titleOf } from '../record-words.ts'
import { longDay } from './calendar-days.ts'
import type { Entry } from './calendar-sql.ts'
import { DayEntry } from './day-entry.tsx'
import { type DaysProps, tabStopOf } from './month-grid.tsx'

/** Lists the days with records, for phones and for reading. */
export function DayList({ period, ...props }: DaysProps & { readonly period: string }): JSX.Element {
  const { days, byDay, today, onMore } = props
  const filled = days.filter((day) => (byDay.get(day)?.length ?? 0) > 0)
  const list = useStartAtToday(days, filled, today)
  if (filled.length === 0) return <EmptyState title={words.nothing(period)}>{words.nothingDetail}</EmptyState>
  return (
    <div ref={list} className="mx-auto flex w-full max-w-3xl flex-col gap-4 p-3">
      {filled.map((day) => {
        const entries = byDay.get(day) ?? []
        const left = (entries[0]?.['#total'] ?? 0) - entries.length
        return (
          <section key={day} aria-label={words.day(longDay(day), entries[0]?.['#total'] ?? 0)} data-cell={day}>
            <h3
              aria-current={day === today ? 'date' : undefined}
              className={cx('sticky top-0 z-10 bg-bg py-1 text-body', day === today && 'text-accent')}
            >
              {longDay(day)}
              {day === today ? ` · ${words.today}` : ''}
            </h3>
            <Entries {...props} entries={entries} />
            {left > 0 ? (
              <Button size="sm" tone="quiet" className="mt-1" onPress={() => onMore(day)}>
                {words.more(left)}
              </Button>
            ) : null}
          </section>
        )
      })}
    </div>
  )
}

/** Scrolls to today, or to the next day with records, when a period that contains today is first shown. */
function useStartAtToday(
  days: readonly string[],
  filled: readonly string[],
  today: string,
): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null)
  const shown = useRef<string>(undefined)
  const period = days[0]
  const next = days.includes(today) ? filled.find((day) => day >= today) : undefined
  const isFilled = filled.length > 0
  useLayoutEffect(() => {
    if (!isFilled || shown.current === period) return
    shown.current = period
    if (next !== undefined) list.current?.querySelector(`[data-cell="${next}"]`)?.scrollIntoView({ block: 'start' })
  }, [isFilled, period, next])
  return list
}

/** The records of one day, each with a button to move it. */
export function Entries({
  entries,
  byDay,
  fields,
  dates,
  marks,
  calendar,
}: Omit<DaysProps, 'days' | 'today' | 'onMore'> & { readonly entries: readonly Entry[] }): JSX.Element {
  const stop = tabStopOf({ byDay, calendar })
  return (
    <ul className="flex flex-col gap-1.5">
      {entries.map((row) => (
        <li key={row.id} className="flex items-center gap-1">
          <div className="min-w-0 flex-1">
            <DayEntry
              {...{ row, fields, dates, calendar }}
              mark={marks.get(row.id)}
              isTabStop={stop === `${row['#day']} ${row.id}`}
              isLarge
            />
          </div>
          {calendar.canMove ? (
            <IconButton
              label={words.move(titleOf(row, fields))}
              icon={<CalendarArrowDown size={18} aria-hidden />}
              onPress={() => {
                calendar.activate({ row, day: row['#day'] })
                calendar.askDay({ row, day: row['#day'] })
              }}
            />
          ) : null}
        </li>
      ))}
    </ul>
  )
}
