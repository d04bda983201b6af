import { useRecords } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { TextField } from '../../../components/text-field.tsx'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { calendarMessages as words } from '../../../messages/calendar.ts'
import type { GridQuery } from '../query/grid-query.ts'
import { titleOf } from '../record-words.ts'
import { isDay, longDay } from './calendar-days.ts'
import { type Entry, entriesSql } from './calendar-sql.ts'
import { Entries } from './day-list.tsx'
import type { DaysProps } from './month-grid.tsx'
import { type Calendar, type Taken, useRefusedDays } from './use-calendar.ts'

/** Number of a day's records shown at first, and added with each step. */
const STEP = 100

/** Lists all records of one day. */
export function DayDialog({
  query,
  day,
  onClose,
  ...props
}: Omit<DaysProps, 'days' | 'today' | 'onMore' | 'byDay'> & {
  readonly query: GridQuery
  readonly day: string
  readonly onClose: () => void
}): JSX.Element {
  const [limit, setLimit] = useState(STEP)
  const { text, values } = entriesSql(query, props.dates, [day], limit)
  const { rows } = useRecords<Entry>(text, values)
  const left = (rows[0]?.['#total'] ?? 0) - rows.length
  const calendar: Calendar = {
    ...props.calendar,
    open(id) {
      onClose()
      props.calendar.open(id)
    },
    askDay(taken) {
      onClose()
      props.calendar.askDay(taken)
    },
  }
  return (
    <Dialog title={longDay(day)} isOpen onClose={onClose} size="md">
      <Entries {...props} calendar={calendar} entries={rows} byDay={new Map([[day, rows]])} />
      {left > 0 ? (
        <Button size="sm" tone="quiet" isFullWidth className="mt-2" onPress={() => setLimit(limit + STEP)}>
          {words.showMore(Math.min(left, STEP))}
        </Button>
      ) : null}
    </Dialog>
  )
}

/** Moves a record to a typed or selected day. Works by touch, keyboard and screen reader. */
export function MoveDialog({
  table,
  taken,
  calendar,
  dates,
  fields,
}: Pick<DaysProps, 'calendar' | 'dates' | 'fields'> & {
  readonly table: TableInfo
  readonly taken: Taken
}): JSX.Element {
  const [day, setDay] = useState(taken.day)
  const isRefused = useRefusedDays(table, dates, isDay(day) ? [day] : [], taken).has(day)
  const close = (): void => calendar.askDay(undefined)
  const move = (): void => {
    if (!isDay(day) || isRefused) return
    close()
    calendar.move(taken, day)
  }
  return (
    <Dialog
      title={words.moveTitle}
      isOpen
      onClose={close}
      actions={
        <>
          <Button onPress={close}>{words.cancel}</Button>
          <Button tone="primary" isDisabled={!isDay(day) || isRefused} onPress={move}>
            {words.moveNow}
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          move()
        }}
      >
        <p className="text-body">{titleOf(taken.row, fields)}</p>
        <TextField
          label={words.newDay}
          type="date"
          autoFocus
          value={day}
          errorMessage={isRefused ? words.refused : undefined}
          onChange={setDay}
        />
      </form>
    </Dialog>
  )
}
