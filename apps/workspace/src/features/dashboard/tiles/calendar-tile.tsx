import { useRecords } from '@holdfast/react'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type JSX, useState } from 'react'
import { IconButton } from '../../../components/icon-button.tsx'
import { useToday } from '../../../hooks/use-today.ts'
import { cx } from '../../../lib/cx.ts'
import { addDays, formatDay } from '../../../lib/fields/dates.ts'
import type { Field } from '../../../lib/fields/field.ts'
import type { FilterGroup } from '../../../lib/filters/filter.ts'
import { formatCount } from '../../../lib/format.ts'
import { pageLocale } from '../../../lib/language.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import { DataTable } from '../charts/data-table.tsx'
import { MarkLink, moveBetweenMarks } from '../charts/mark-link.tsx'
import { bucketLabel, bucketsBetween, nextBucket } from '../data/date-buckets.ts'
import { allOf } from '../data/drill.ts'
import { groupsSql, type TileQuery, type TileRow } from '../data/tile-sql.ts'
import { TILE_PAUSE_MS } from '../data/use-tile.ts'
import { Figures, type ShownTile, TileNote } from './shown-tile.tsx'

/** Days of a month, and at most six weeks of a page. */
const PAGE_DAYS = 42

/** A month, with the number of records on each day. */
export function CalendarTile(props: ShownTile & { readonly query: TileQuery }): JSX.Element {
  const field = props.query.group?.field
  return field ? <Month {...props} field={field} /> : <TileNote title={words.noDate} />
}

function Month({
  query,
  table,
  workspace,
  title,
  isSeen,
  isTable,
  field,
  onFigures,
}: ShownTile & { readonly query: TileQuery; readonly field: Field }): JSX.Element {
  const today = useToday()
  const [month, setMonth] = useState(`${today.slice(0, 7)}-01`)
  const first = mondayOf(month)
  const within: FilterGroup = {
    kind: 'all',
    nodes: [
      query.filter,
      {
        kind: 'all',
        nodes: [bound(field, 'after', addDays(first, -1)), bound(field, 'before', addDays(first, PAGE_DAYS))],
      },
    ],
  }
  const asked = groupsSql({
    ...query,
    filter: within,
    stack: undefined,
    measure: { kind: 'count', field: undefined },
    groupsMax: PAGE_DAYS,
  })
  const { rows, isLoading, error } = useRecords<TileRow>(isSeen ? asked.text : '', isSeen ? asked.values : [], {
    throttleMs: TILE_PAUSE_MS,
  })
  const counts = new Map(rows.map(({ k, n }) => [String(k), n]))
  const days = bucketsBetween('day', first, addDays(first, weeksOf(month, first) * 7 - 1), PAGE_DAYS) ?? []
  const figures = [
    [field.label, table.label],
    ...[...counts].toSorted().map(([day, n]) => [formatDay(day, pageLocale()), formatCount(n)]),
  ]
  const step = (by: 1 | -1): void =>
    setMonth(by === 1 ? nextBucket('month', month) : `${addDays(month, -1).slice(0, 7)}-01`)
  return (
    <Figures {...{ error, figures, onFigures }} isEmpty={false} isLoading={isLoading && rows.length === 0}>
      <div className="flex items-center gap-1 pb-1">
        <p aria-live="polite" className="flex-1 text-small font-medium">
          {bucketLabel('month', month, pageLocale(), words.weekOf)}
        </p>
        <IconButton
          size="sm"
          label={words.previousMonth}
          icon={<ChevronLeft size={16} aria-hidden />}
          hasTooltip={false}
          onPress={() => step(-1)}
        />
        <IconButton
          size="sm"
          label={words.nextMonth}
          icon={<ChevronRight size={16} aria-hidden />}
          hasTooltip={false}
          onPress={() => step(1)}
        />
      </div>
      {isTable ? null : <Days {...{ days, counts, month, today, query, field, workspace }} table={table.name} />}
      <DataTable caption={title} rows={figures} isHidden={!isTable} />
    </Figures>
  )
}

/** The days of a month's weeks, darker with more records. */
function Days({
  days,
  counts,
  month,
  today,
  query,
  field,
  workspace,
  table,
}: {
  readonly days: readonly string[]
  readonly counts: ReadonlyMap<string, number>
  readonly month: string
  readonly today: string
  readonly query: TileQuery
  readonly field: Field
  readonly workspace: string
  readonly table: string
}): JSX.Element {
  const most = Math.max(1, ...counts.values())
  return (
    // Arrow keys move between days.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="grid min-h-0 flex-1 auto-rows-fr grid-cols-7 gap-px" onKeyDown={moveBetweenMarks}>
      {days.map((day) => {
        const count = counts.get(day) ?? 0
        return (
          <MarkLink
            key={day}
            workspace={workspace}
            table={table}
            filter={
              count === 0
                ? undefined
                : allOf(query.fields, [query.filter, { kind: 'all', nodes: [bound(field, 'is', day)] }])
            }
            label={words.onDay(formatDay(day, pageLocale()), count)}
            isFirst={day === days[0]}
            className={cx(
              'relative flex min-h-6 items-center justify-center overflow-hidden rounded-sm text-small no-underline',
              day.slice(0, 7) === month.slice(0, 7) ? 'bg-surface text-text' : 'text-subtle',
              day === today && 'ring-1 ring-accent ring-inset',
            )}
          >
            {count === 0 ? null : (
              <span
                aria-hidden
                className="absolute inset-0 bg-accent forced-color-adjust-none [print-color-adjust:exact]"
                style={{ opacity: 0.12 + 0.3 * (count / most) }}
              />
            )}
            <span aria-hidden className="absolute top-0.5 left-1 text-[0.625rem] text-muted">
              {Number(day.slice(8))}
            </span>
            {count === 0 ? null : <span className="relative font-medium tabular-nums">{formatCount(count)}</span>}
          </MarkLink>
        )
      })}
    </div>
  )
}

function bound(field: Field, operator: 'after' | 'before' | 'is', day: string): FilterGroup['nodes'][number] {
  return { kind: 'condition', field: field.name, operator, values: [day] }
}

function mondayOf(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return addDays(day, -((weekday + 6) % 7))
}

function weeksOf(month: string, first: string): number {
  const last = addDays(nextBucket('month', month), -1)
  return Math.round((Date.parse(mondayOf(last)) - Date.parse(first)) / 604_800_000) + 1
}
