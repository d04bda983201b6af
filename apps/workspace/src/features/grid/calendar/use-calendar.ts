import { useJudgements } from '@holdfast/react'
import { type DragEvent, type HTMLAttributes, type KeyboardEvent, type RefObject, useState } from 'react'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { addDays } from '../../../lib/fields/dates.ts'
import type { Field } from '../../../lib/fields/field.ts'
import type { RecordWriter } from '../../../lib/records/create-record-writer.ts'
import { calendarMessages as words } from '../../../messages/calendar.ts'
import { recordMessages } from '../../../messages/record.ts'
import { titleOf } from '../record-words.ts'
import type { GridRow } from '../window-cache.ts'
import { distance, longDay } from './calendar-days.ts'
import type { Entry } from './calendar-sql.ts'
import { type DateFields, movedBy } from './date-fields.ts'
import { focusEntry, followEntry } from './entry-focus.ts'

/** A record and the day on which it was used; a record with an end spans several days. */
export interface Taken {
  readonly row: GridRow
  readonly day: string
}

export interface Calendar {
  readonly handlers: Pick<
    HTMLAttributes<HTMLElement>,
    'onKeyDown' | 'onDragStart' | 'onDragOver' | 'onDragLeave' | 'onDrop' | 'onDragEnd'
  >
  /** This user can change the fields. */
  readonly canMove: boolean
  readonly active: Taken | undefined
  readonly isDragging: boolean
  /** The day under the dragged record. */
  readonly over: string | undefined
  /** The record for which the user is choosing a day. */
  readonly moving: Taken | undefined
  readonly openRecord: string | undefined
  activate(taken: Taken): void
  open(id: string): void
  askDay(taken: Taken | undefined): void
  move(taken: Taken, day: string): void
  /** Whether policies are known to keep the active record from a visible day. */
  isRefused(day: string): boolean
}

interface CalendarOptions {
  readonly element: RefObject<HTMLElement | null>
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly dates: DateFields
  /** The visible days. */
  readonly days: readonly string[]
  readonly rows: readonly Entry[]
  readonly writer: RecordWriter
  readonly say: (text: string) => void
  readonly record: string | undefined
  readonly onOpen: (id: string | undefined) => void
  /** Called with the new day if a record moved out of the visible days. */
  readonly onDay: (day: string) => void
  readonly onPage: (by: 1 | -1) => void
}

/** Handles movement in a calendar: arrow keys between records; keys, day selection and dragging between days. */
export function useCalendar({
  element,
  table,
  fields,
  dates,
  days,
  rows,
  writer,
  say,
  record,
  onOpen,
  onDay,
  onPage,
}: CalendarOptions): Calendar {
  const [active, setActive] = useState<Taken>()
  const [moving, setMoving] = useState<Taken>()
  const [isDragging, setDragging] = useState(false)
  const [over, setOver] = useState<string>()
  const { start, end } = dates
  const canMove = table.descriptor.can.update && start.isEditable && (end === undefined || end.isEditable)
  const refused = useRefusedDays(table, dates, days, canMove ? active : undefined)

  const move = ({ row, day: from }: Taken, day: string): void => {
    const by = distance(from, day)
    if (by === 0 || !canMove) return
    const title = titleOf(row, fields)
    if (refused.has(day)) return say(words.notAllowed(title))
    const values = movedBy(dates, row, by)
    const before = Object.fromEntries(Object.keys(values).map((name) => [name, row[name] ?? null]))
    const label = recordMessages.changeOf(start.label, 1, table.noun, table.many)
    const change = { kind: 'update', table: table.name, id: row.id, values, before } as const
    void writer.writeOrTell({ label, changes: [change] }).then((isStored) => {
      if (!isStored) return
      say(words.moved(title, longDay(day)))
      setActive({ row: { ...row, ...values }, day })
      if (!days.includes(day)) onDay(day)
      followEntry(element, row.id, day)
    })
  }
  const takenOf = (id: string, day: string): Taken | undefined => {
    const row = rows.find((one) => one.id === id && one['#day'] === day)
    return row && { row, day }
  }
  return {
    canMove,
    active,
    isDragging,
    over,
    moving,
    openRecord: record,
    activate: setActive,
    open: (id) => onOpen(id),
    askDay: setMoving,
    move,
    isRefused: (day) => refused.has(day),
    handlers: {
      onKeyDown(event) {
        const step = active && entryOf(event.target) ? stepOf(event) : undefined
        if (step === undefined || active === undefined) return
        event.preventDefault()
        if (step.kind === 'close') onOpen(undefined)
        else if (step.kind === 'page') onPage(step.by)
        else if (step.kind === 'focus') focusEntry(element.current, step)
        else if (step.kind === 'ask') setMoving(canMove ? active : undefined)
        else move(active, addDays(active.day, step.days))
      },
      ...dragHandlers({
        canEnter: (day) => canMove && !refused.has(day),
        onDragging: setDragging,
        onOver: setOver,
        onDrop(id, from, day) {
          const taken = takenOf(id, from)
          if (taken) move(taken, day)
        },
      }),
    },
  }
}

/** Media type of a dragged record. The browser holds the data, so a drop does not depend on rendering. */
const ENTRY_TYPE = 'application/x-holdfast-entry'

function dragHandlers({
  canEnter,
  onDragging,
  onOver,
  onDrop,
}: {
  readonly canEnter: (day: string) => boolean
  readonly onDragging: (isDragging: boolean) => void
  readonly onOver: (day: string | undefined) => void
  readonly onDrop: (id: string, from: string, day: string) => void
}): Omit<Calendar['handlers'], 'onKeyDown'> {
  const end = (): void => {
    onDragging(false)
    onOver(undefined)
  }
  return {
    onDragStart(event) {
      const entry = entryOf(event.target)
      if (!entry) return
      entry.focus()
      event.dataTransfer.effectAllowed = 'move'
      event.dataTransfer.setData(ENTRY_TYPE, `${entry.dataset['day']} ${entry.dataset['entry']}`)
      onDragging(true)
    },
    onDragOver(event) {
      const day = dayUnder(event)
      if (!event.dataTransfer.types.includes(ENTRY_TYPE) || day === undefined || !canEnter(day)) return
      event.preventDefault()
      onOver(day)
    },
    onDragLeave: () => onOver(undefined),
    onDragEnd: end,
    onDrop(event) {
      const day = dayUnder(event)
      const [from, id] = event.dataTransfer.getData(ENTRY_TYPE).split(' ')
      end()
      if (from === undefined || id === undefined || day === undefined) return
      event.preventDefault()
      onDrop(id, from, day)
    },
  }
}

/** Returns the days that policies keep a record from, as far as this device knows. */
export function useRefusedDays(
  table: TableInfo,
  dates: DateFields,
  days: readonly string[],
  taken: Taken | undefined,
): ReadonlySet<string> {
  const judgements = useJudgements(
    taken === undefined
      ? []
      : days.map((day) => {
          const values = movedBy(dates, taken.row, distance(taken.day, day))
          return {
            table: table.name,
            command: 'update' as const,
            before: ownColumns(taken.row),
            after: ownColumns({ ...taken.row, ...values }),
            changed: Object.keys(values),
          }
        }),
  )
  return new Set(days.filter((day, index) => day !== taken?.day && judgements?.[index]?.kind === 'refused'))
}

/** Returns the row without the columns that the calendar query added. */
function ownColumns(row: GridRow): GridRow {
  return { ...Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith('#'))), id: row.id }
}

type Step =
  | { readonly kind: 'close' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'page'; readonly by: 1 | -1 }
  | { readonly kind: 'focus'; readonly days: -1 | 0 | 1; readonly entries: -1 | 0 | 1 }
  | { readonly kind: 'move'; readonly days: number }

function stepOf({ key, altKey, ctrlKey, metaKey, shiftKey, nativeEvent }: KeyboardEvent): Step | undefined {
  if (ctrlKey || metaKey || shiftKey || nativeEvent.isComposing) return undefined
  const sideways = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : 0
  const along = key === 'ArrowUp' ? -1 : key === 'ArrowDown' ? 1 : 0
  if (sideways !== 0 || along !== 0) {
    return altKey
      ? { kind: 'move', days: sideways + along * 7 }
      : { kind: 'focus', days: sideways, entries: sideways === 0 ? along : 0 }
  }
  if (altKey) return undefined
  if (key === 'PageUp' || key === 'PageDown') return { kind: 'page', by: key === 'PageUp' ? -1 : 1 }
  if (key === 'Escape') return { kind: 'close' }
  return key.toLowerCase() === 'm' ? { kind: 'ask' } : undefined
}

function entryOf(target: EventTarget): HTMLElement | undefined {
  return target instanceof Element ? (target.closest<HTMLElement>('[data-entry]') ?? undefined) : undefined
}

function dayUnder(event: DragEvent): string | undefined {
  const cell = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-cell]') : null
  return cell?.dataset['cell']
}
