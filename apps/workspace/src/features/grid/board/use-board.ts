import { useJudgements } from '@holdfast/react'
import { type DragEvent, type HTMLAttributes, type KeyboardEvent, type RefObject, useState } from 'react'
import type { TableInfo } from '../../../lib/data/tables.ts'
import type { Field } from '../../../lib/fields/field.ts'
import type { RecordWriter } from '../../../lib/records/create-record-writer.ts'
import { boardMessages as words } from '../../../messages/board.ts'
import { recordMessages } from '../../../messages/record.ts'
import type { GridRow } from '../window-cache.ts'
import type { LaneRow } from './lane-sql.ts'

type BoardHandlers = Pick<
  HTMLAttributes<HTMLElement>,
  'onKeyDown' | 'onDragStart' | 'onDragOver' | 'onDragLeave' | 'onDrop' | 'onDragEnd'
>

export interface Board {
  readonly handlers: BoardHandlers
  readonly lanes: readonly { readonly value: LaneRow['value']; readonly name: string }[]
  /** This user can change the field. */
  readonly canMove: boolean
  /** The card used last. */
  readonly active: string | undefined
  /** The card whose menu is open. */
  readonly menu: string | undefined
  readonly dragged: string | undefined
  /** The lane under the dragged card. */
  readonly over: number | undefined
  activate(row: GridRow): void
  open(id: string): void
  openMenu(row: GridRow | undefined): void
  move(row: GridRow, title: string, lane: number): void
  /** Returns why the active card cannot move to a lane, as far as this device knows. */
  refusalOf(lane: number): string | undefined
}

/** Handles movement on a board: arrow keys between cards; menu, keys and dragging between lanes. */
export function useBoard({
  element,
  table,
  field,
  lanes,
  nameOf,
  writer,
  say,
  isRecordOpen,
  onOpen,
}: {
  readonly element: RefObject<HTMLElement | null>
  readonly table: TableInfo
  readonly field: Field
  readonly lanes: readonly LaneRow[]
  readonly nameOf: (lane: LaneRow) => string
  readonly writer: RecordWriter
  readonly say: (text: string) => void
  readonly isRecordOpen: boolean
  readonly onOpen: (id: string | undefined) => void
}): Board {
  const [active, setActive] = useState<GridRow>()
  const [menu, setMenu] = useState<string>()
  const [dragged, setDragged] = useState<string>()
  const [over, setOver] = useState<number>()
  const canMove = field.isEditable && table.descriptor.can.update
  const refusals = useRefusals(table, field, lanes, canMove ? active : undefined)

  const move = (row: GridRow, title: string, lane: number): void => {
    const target = lanes[lane]
    const before = row[field.name] ?? null
    if (!target || target.value === before || refusals[lane] !== undefined) return
    const label = recordMessages.changeOf(field.label, 1, table.noun, table.many)
    const values = { [field.name]: target.value }
    const change = { kind: 'update', table: table.name, id: row.id, values, before: { [field.name]: before } } as const
    void writer.writeOrTell({ label, changes: [change] }).then((isStored) => {
      if (!isStored) return
      say(words.moved(title, nameOf(target)))
      followCard(element, row.id, lane)
    })
  }
  return {
    lanes: lanes.map((lane) => ({ value: lane.value, name: nameOf(lane) })),
    canMove,
    active: active?.id,
    menu,
    dragged,
    over,
    activate: (row) => setActive(row),
    open: (id) => onOpen(id),
    openMenu(row) {
      if (row) setActive(row)
      setMenu(row?.id)
    },
    move,
    refusalOf: (lane) => refusals[lane],
    handlers: {
      onKeyDown(event) {
        const card = cardOf(event.target)
        if (!card || !active || event.nativeEvent.isComposing) return
        const step = stepOf(event)
        if (step === 'close' && isRecordOpen) onOpen(undefined)
        else if (step === 'menu') setMenu(canMove ? active.id : undefined)
        else if (typeof step !== 'object') return
        else if (step.kind === 'focus') focusCard(element.current, card, step)
        else move(active, titleIn(card), laneOf(card) + step.lanes)
        event.preventDefault()
      },
      ...dragHandlers({
        canEnter: (lane) => refusals[lane] === undefined,
        onDragged: setDragged,
        onOver: setOver,
        onDrop: ({ id, from, title }, lane) => move({ id, [field.name]: lanes[from]?.value ?? null }, title, lane),
      }),
    },
  }
}

/** Media type of a dragged card. The browser holds the data, so a drop does not depend on rendering. */
const CARD_TYPE = 'application/x-holdfast-card'

interface DraggedCard {
  readonly id: string
  readonly from: number
  readonly title: string
}

/** Handlers for dragging with the mouse. Keys and menus do the same. */
function dragHandlers({
  canEnter,
  onDragged,
  onOver,
  onDrop,
}: {
  readonly canEnter: (lane: number) => boolean
  readonly onDragged: (id: string | undefined) => void
  readonly onOver: (lane: number | undefined) => void
  readonly onDrop: (card: DraggedCard, lane: number) => void
}): Omit<BoardHandlers, 'onKeyDown'> {
  const end = (): void => {
    onDragged(undefined)
    onOver(undefined)
  }
  return {
    onDragStart(event) {
      const card = cardOf(event.target)
      const id = card?.dataset['card']
      if (!card || id === undefined) return
      card.querySelector<HTMLElement>('[data-open-card]')?.focus()
      const dragged: DraggedCard = { id, from: laneOf(card), title: titleIn(card) }
      event.dataTransfer.effectAllowed = 'move'
      event.dataTransfer.setData(CARD_TYPE, JSON.stringify(dragged))
      onDragged(id)
    },
    onDragOver(event) {
      const lane = laneUnder(event)
      if (!event.dataTransfer.types.includes(CARD_TYPE) || lane === undefined || !canEnter(lane)) return
      event.preventDefault()
      onOver(lane)
    },
    onDragLeave: () => onOver(undefined),
    onDragEnd: end,
    onDrop(event) {
      const lane = laneUnder(event)
      const dragged = event.dataTransfer.getData(CARD_TYPE)
      end()
      if (dragged === '' || lane === undefined) return
      event.preventDefault()
      onDrop(JSON.parse(dragged) as DraggedCard, lane)
    },
  }
}

/** Returns for each lane why policies keep a record out of it, as far as this device knows. */
function useRefusals(
  table: TableInfo,
  field: Field,
  lanes: readonly LaneRow[],
  row: GridRow | undefined,
): readonly (string | undefined)[] {
  const judgements = useJudgements(
    row === undefined
      ? []
      : lanes.map(({ value }) => ({
          table: table.name,
          command: 'update' as const,
          before: row,
          after: { ...row, [field.name]: value },
          changed: [field.name],
        })),
  )
  return lanes.map((lane, index) =>
    row !== undefined && lane.value !== row[field.name] && judgements?.[index]?.kind === 'refused'
      ? words.notAllowed
      : lane.value === null && !field.column.nullable
        ? words.needsValue
        : undefined,
  )
}

type Step =
  | 'menu'
  | 'close'
  | { readonly kind: 'focus'; readonly lanes: number; readonly cards: number }
  | { readonly kind: 'move'; readonly lanes: number }

function stepOf(event: KeyboardEvent): Step | undefined {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return undefined
  const sideways = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
  if (event.altKey) return sideways === undefined ? undefined : { kind: 'move', lanes: sideways }
  if (sideways !== undefined) return { kind: 'focus', lanes: sideways, cards: 0 }
  const along = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity }[event.key]
  if (along !== undefined) return { kind: 'focus', lanes: 0, cards: along }
  if (event.key === 'Escape') return 'close'
  return event.key.toLowerCase() === 'm' ? 'menu' : undefined
}

/** Returns the card that contains an element. A menu above the board belongs to no card. */
function cardOf(target: EventTarget): HTMLElement | undefined {
  return target instanceof Element ? (target.closest<HTMLElement>('[data-card]') ?? undefined) : undefined
}

function laneOf(card: HTMLElement): number {
  return Number(card.dataset['lane'])
}

function titleIn(card: HTMLElement): string {
  return card.querySelector('[data-open-card] > span')?.textContent ?? ''
}

function laneUnder(event: DragEvent): number | undefined {
  const lane = event.target instanceof Element ? event.target.closest<HTMLElement>('section[data-lane]') : null
  return lane ? laneOf(lane) : undefined
}

/** Moves up and down within a lane, and sideways to the nearest lane with cards, at the same height. */
function focusCard(
  board: HTMLElement | null,
  card: HTMLElement,
  step: { readonly lanes: number; readonly cards: number },
): void {
  const cardsIn = (lane: number): readonly HTMLElement[] => [
    ...(board?.querySelectorAll<HTMLElement>(`[data-card][data-lane="${lane}"]`) ?? []),
  ]
  const own = cardsIn(laneOf(card))
  const place = own.indexOf(card)
  const count = board?.querySelectorAll('section[data-lane]').length ?? 0
  let lane = laneOf(card) + step.lanes
  while (step.lanes !== 0 && lane >= 0 && lane < count && cardsIn(lane).length === 0) lane += step.lanes
  const there = step.lanes === 0 ? own : cardsIn(lane)
  const target = there[Math.max(0, Math.min(there.length - 1, place + step.cards))]
  target?.querySelector<HTMLElement>('[data-open-card]')?.focus()
}

/** Whether the focus is in the card or in its closing menu. */
function isAtCard(element: Element, id: string): boolean {
  return cardOf(element)?.dataset['card'] === id || element.closest('[role="menu"]') !== null
}

/** Frames to wait for a moved card. The local database reports a write within a few. */
const FRAMES_MAX = 180

/** Focuses the moved card's new element in its lane, unless the user has moved on. */
function followCard(board: RefObject<HTMLElement | null>, id: string, lane: number, frames = FRAMES_MAX): void {
  const cards = `[data-card][data-lane="${lane}"]`
  const moved = board.current?.querySelector<HTMLElement>(`${cards}[data-card="${CSS.escape(id)}"] [data-open-card]`)
  const focused = document.activeElement
  if (focused !== null && focused !== document.body && !isAtCard(focused, id)) return
  // If the lane does not show the card, the lane itself gets the focus.
  const target = moved ?? (frames === 0 ? board.current?.querySelector<HTMLElement>(`${cards} [data-open-card]`) : null)
  if (target) target.focus()
  else if (frames > 0) requestAnimationFrame(() => followCard(board, id, lane, frames - 1))
}
