import type { JSX } from 'react'
import { paletteClass } from '../../../components/chip.tsx'
import { ChoiceChip } from '../../../components/fields/choice-chip.tsx'
import { RecordStateMark } from '../../../components/state-glyph.tsx'
import { cx } from '../../../lib/cx.ts'
import { choiceLooks } from '../../../lib/fields/choice-looks.ts'
import { momentOf } from '../../../lib/fields/dates.ts'
import type { Field } from '../../../lib/fields/field.ts'
import type { RecordMark } from '../../../lib/records/record-state.ts'
import { factsOf, stateFieldOf, textOf, titleOf } from '../record-words.ts'
import type { Entry } from './calendar-sql.ts'
import { type DateFields, dayOfValue } from './date-fields.ts'
import type { Calendar } from './use-calendar.ts'
import { formatTime } from '../../../lib/format.ts'

export interface DayEntryProps {
  readonly row: Entry
  /** The view's visible fields in their order. */
  readonly fields: readonly Field[]
  readonly dates: DateFields
  readonly mark: RecordMark | undefined
  readonly calendar: Calendar
  /** Reachable with Tab; other entries with arrow keys. */
  readonly isTabStop: boolean
  /** Shows two lines with facts instead of one. */
  readonly isLarge: boolean
}

const FACTS_MAX = 3

/** One record on one of its days. */
export function DayEntry({ row, fields, dates, mark, calendar, isTabStop, isLarge }: DayEntryProps): JSX.Element {
  const day = row['#day']
  const title = titleOf(row, fields)
  const state = stateFieldOf(fields)
  const choice = state && row[state.name]
  const time = timeOf(dates, row, day)
  const facts = isLarge ? factsOf(row, fields, [dates.start, ...(state ? [state] : [])], FACTS_MAX) : []
  const link = fields.find(({ kind, isTitle }) => kind === 'link' && !isTitle)
  const place = link ? textOf(row, link) : ''
  const startsBefore = dayOfValue(dates.start, row[dates.start.name] ?? null) !== day
  return (
    <button
      type="button"
      data-entry={row.id}
      data-day={day}
      draggable={calendar.canMove}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={() => calendar.activate({ row, day })}
      onClick={() => calendar.open(row.id)}
      className={cx(
        'focus-inset flex w-full min-w-0 items-center gap-1.5 text-left',
        isLarge ? 'min-h-12 rounded-md border bg-bg px-3 py-2' : 'h-6 rounded-sm px-1.5 text-small coarse:h-7',
        isLarge && (calendar.openRecord === row.id ? 'border-accent bg-accent-soft' : 'border-border'),
        !isLarge && startsBefore && 'rounded-l-none',
        !isLarge &&
          (choice == null
            ? 'bg-sunken text-text'
            : paletteClass(choiceLooks(String(choice), state?.choices, state?.choiceWords.colours).colour)),
        !isLarge && calendar.openRecord === row.id && 'outline-2 -outline-offset-2 outline-accent',
      )}
    >
      {time === undefined ? null : <span className="shrink-0 tabular-nums">{time}</span>}
      {isLarge ? (
        <>
          <span className="flex min-w-0 flex-1 flex-col">
            <span className="line-clamp-2 text-body font-medium">{title}</span>
            <span className="truncate text-small text-muted">{facts.map(({ text }) => text).join(' · ')}</span>
          </span>
          {choice == null || !state ? null : (
            <ChoiceChip choice={String(choice)} among={state.choices} words={state.choiceWords} />
          )}
        </>
      ) : (
        <span className="min-w-0 flex-1 truncate">
          {title}
          {place === '' ? null : <> · {place}</>}
          {state === undefined || choice == null ? null : <span className="sr-only">, {textOf(row, state)}</span>}
        </span>
      )}
      {mark === undefined ? null : <RecordStateMark state={mark.state} />}
    </button>
  )
}

/** Returns the time at which the record starts on this day. */
function timeOf({ start }: DateFields, row: Entry, day: string): string | undefined {
  const value = row[start.name] ?? null
  if (start.kind !== 'datetime' || value === null || dayOfValue(start, value) !== day) return undefined
  const at = momentOf(String(value))
  return at && formatTime(at)
}
