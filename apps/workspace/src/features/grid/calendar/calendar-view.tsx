import { useLocalDatabase, useRecords } from '@holdfast/react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type JSX, useEffect, useMemo, useRef, useState } from 'react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Skeleton } from '../../../components/skeleton.tsx'
import { useMediaQuery } from '../../../hooks/use-media-query.ts'
import { calendarMessages as words } from '../../../messages/calendar.ts'
import { gridMessages } from '../../../messages/grid.ts'
import type { KindProps } from '../kind-props.ts'
import type { GridQuery } from '../query/grid-query.ts'
import { ensureSortIndex } from '../sort-index.ts'
import { useSearchedQuery } from '../use-searched-query.ts'
import { CalendarBar } from './calendar-bar.tsx'
import { daysOf, firstWeekday, isDay, parseSpan, type Span, stepDay, titleOf } from './calendar-days.ts'
import { type Entry, entriesSql } from './calendar-sql.ts'
import { type DateFields, dateFieldsOf } from './date-fields.ts'
import { DayDialog, MoveDialog } from './day-dialogs.tsx'
import { DayList } from './day-list.tsx'
import { MonthGrid } from './month-grid.tsx'
import { useCalendar } from './use-calendar.ts'

/** Limit of records read per day. */
const PER_DAY: Readonly<Record<Span, number>> = { month: 3, week: 14, list: 20 }
const THROTTLE_MS = 100
/** Minimum number of rows: smaller tables are as fast without an index. */
const INDEX_ROWS_MIN = 5_000

/** The records of a view on the days of a date field. */
export function CalendarView(props: KindProps): JSX.Element {
  const dates = dateFieldsOf(props.fields, props.view.settings.date)
  if (!dates) return <EmptyState title={words.noDates}>{words.noDatesDetail}</EmptyState>
  return <Days key={`${dates.start.name},${dates.end?.name}`} {...props} dates={dates} />
}

function Days({
  table,
  fields,
  view,
  state,
  marks,
  writer,
  dates,
}: KindProps & { readonly dates: DateFields }): JSX.Element {
  const isPhone = useMediaQuery('(max-width: 599.98px)')
  const { today } = view.query
  const [day, setDay] = useShownDay(today)
  const span = parseSpan(view.settings.span) ?? (isPhone ? 'list' : 'month')
  const days = useMemo(() => daysOf(span, day, firstWeekday()), [span, day])
  const query = useSearchedQuery(view.query)
  const { rows, byDay, isFirstReading } = useEntries(query, dates, days, PER_DAY[span])
  useDayIndex(table.name, dates, state.count)
  const [said, say] = useState('')
  const [opened, setOpened] = useState<string>()
  const element = useRef<HTMLDivElement>(null)
  const turn = (by: 1 | -1): void => setDay(stepDay(span, day, by))
  const calendar = useCalendar({
    element,
    table,
    fields,
    dates,
    days,
    rows,
    writer,
    say,
    record: view.record,
    onOpen: view.openRecord,
    onDay: setDay,
    onPage: turn,
  })
  const title = titleOf(span, day, days)
  const shared = { days, byDay, today, dates, marks, calendar, fields: view.shown, onMore: setOpened }
  const isListed = span === 'list' || (span === 'week' && isPhone)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <CalendarBar
        {...{ title, span, dates, fields }}
        onToday={() => setDay(today)}
        onPage={turn}
        onSpan={(next) => view.set('span', next)}
        onDates={(setting) => view.set('date', setting)}
      />
      <Spoken said={said} />
      <div
        ref={element}
        role="group"
        aria-label={words.calendarOf(table.label)}
        aria-describedby="calendar-keys"
        aria-busy={isFirstReading}
        // Days without records cannot be focused to scroll to the others.
        tabIndex={0}
        className="focus-inset min-h-0 flex-1 overflow-auto overscroll-contain border-t border-border"
        {...calendar.handlers}
      >
        {isFirstReading && isListed ? (
          <DaysPlaceholder many={table.many} />
        ) : isListed ? (
          <DayList {...shared} period={title} />
        ) : (
          <MonthGrid
            {...shared}
            label={title}
            month={span === 'month' ? day.slice(0, 7) : undefined}
            shownMax={PER_DAY[span]}
            isCompact={isPhone}
          />
        )}
      </div>
      {opened === undefined ? null : (
        <DayDialog {...shared} query={query} day={opened} onClose={() => setOpened(undefined)} />
      )}
      {calendar.moving === undefined ? null : <MoveDialog {...shared} table={table} taken={calendar.moving} />}
    </div>
  )
}

function DaysPlaceholder({ many }: { readonly many: string }): JSX.Element {
  return (
    <div className="p-3">
      <Skeleton rows={8} label={gridMessages.reading(many)} />
    </div>
  )
}

/** Announces the keys and the last action to screen readers. */
function Spoken({ said }: { readonly said: string }): JSX.Element {
  return (
    <>
      <p className="sr-only" id="calendar-keys">
        {words.keys}
      </p>
      <p className="sr-only" role="status" aria-live="polite">
        {said}
      </p>
    </>
  )
}

/** Reads the first records of the visible days. */
function useEntries(
  query: GridQuery,
  dates: DateFields,
  days: readonly string[],
  perDay: number,
): {
  readonly rows: readonly Entry[]
  readonly byDay: ReadonlyMap<string, readonly Entry[]>
  readonly isFirstReading: boolean
} {
  const asked = useMemo(() => entriesSql(query, dates, days, perDay), [query, dates, days, perDay])
  const { rows, isLoading } = useRecords<Entry>(asked.text, asked.values, { throttleMs: THROTTLE_MS })
  const byDay = useMemo(() => Map.groupBy(rows, (row) => row['#day']), [rows])
  return { rows, byDay, isFirstReading: isLoading && rows.length === 0 }
}

/** Creates the index for queries by day. Until it exists, queries run without it. */
function useDayIndex(table: string, { start }: DateFields, count = 0): void {
  const { database } = useLocalDatabase()
  const isLarge = count >= INDEX_ROWS_MIN
  useEffect(() => {
    if (isLarge) void ensureSortIndex(database, table, start)
  }, [database, table, start, isLarge])
}

/** Returns the day in the URL, so that links keep it, or else today. */
function useShownDay(today: string): readonly [day: string, setDay: (day: string) => void] {
  const { on } = useSearch({ from: '/signed-in/w/$ws/t/$table' })
  const navigate = useNavigate()
  return [
    isDay(on) ? on : today,
    (day) =>
      void navigate({
        to: '.',
        search: (before: object) => ({ ...before, on: day === today ? undefined : day }),
        replace: true,
      }),
  ]
}
