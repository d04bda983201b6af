import { useBroadcast, useLocalDatabase, usePresence } from '@holdfast/react'
import { Pencil } from 'lucide-react'
import { type JSX, type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { initialsOf } from '../../components/avatar.tsx'
import { paletteClass } from '../../components/chip.tsx'
import { cx } from '../../lib/cx.ts'
import { paletteOf } from '../../lib/palette.ts'
import { type Cursor, type Here, parseCursor, parseHere } from '../../lib/presence/shown.ts'
import { usePlaceTopics } from '../../lib/presence/topics.ts'
import { idleMs, useIsHere } from '../../lib/presence/use-is-here.ts'
import { type Recent, useRecent } from '../../lib/presence/use-recent.ts'
import { frozenPx, GUTTER_PX, type GridColumn } from './grid-layout.ts'

const PER_SECOND = 5
/** Interval in ms for resending this user's cursor: messages may be lost, and users may join. */
const AGAIN_MS = 2_000
/** Time in ms without input after which the cursor is no longer sent. */
const STILL_AFTER_MS = 30_000
/** Time in ms after which another user's cursor fades out. */
const FADES_AFTER_MS = 5_000
const GONE_AFTER_MS = 8_000

export interface LiveCursorsProps {
  readonly table: string
  readonly columns: readonly GridColumn[]
  /** Row index of each rendered record by id. */
  readonly places: ReadonlyMap<string, number>
  readonly rowPx: number
  /** Number of columns frozen at the left. */
  readonly frozen: number
  readonly viewport: RefObject<HTMLElement | null>
  /** The cell that this user is in. */
  readonly record: string | undefined
  readonly field: string | undefined
  readonly isEditing: boolean
}

/**
 * Shows other users' cells as an overlay. Updates never re-render the grid, take no input and are not announced. Sends this user's cell while the grid has
 * focus.
 */
export function LiveCursors(props: LiveCursorsProps): JSX.Element {
  const { table, columns, places, frozen, viewport } = props
  const { userId } = useLocalDatabase()
  const isHere = useIsHere()
  const topic = usePlaceTopics().table(table)
  const { people } = usePresence<Here>(isHere ? topic : undefined, undefined, { parse: parseHere })
  const [cursors, put] = useRecent<Cursor>(GONE_AFTER_MS, FADES_AFTER_MS)
  const { send } = useBroadcast<Cursor>(isHere ? topic : undefined, 'cursor', (cursor) => put(cursor.user, cursor), {
    perSecond: PER_SECOND,
    parse: parseCursor,
  })
  useTellCursor(props, userId, send)
  const covered = useCovered(viewport, frozenPx(columns, frozen), cursors.size > 0)
  return (
    <div aria-hidden data-cursors className="pointer-events-none absolute inset-0 z-[5] overflow-clip">
      {people.map(({ key, state, isMe }) => {
        const cursor = cursors.get(key)
        const row = cursor && places.get(cursor.value.record)
        const column = columns.find(({ field }) => field.name === cursor?.value.field)
        if (isMe || !cursor || row === undefined || !column) return null
        const isSticky = columns.indexOf(column) < frozen
        return (
          <PaintedCursor
            key={key}
            name={state.name}
            {...{ cursor, row, column, isSticky, covered }}
            rowPx={props.rowPx}
          />
        )
      })}
    </div>
  )
}

/** A frame with the user's initials around a cell, positioned like the cell. */
function PaintedCursor({
  name,
  cursor,
  row,
  column,
  rowPx,
  isSticky,
  covered,
}: {
  readonly name: string
  readonly cursor: Recent<Cursor>
  readonly row: number
  readonly column: GridColumn
  readonly rowPx: number
  readonly isSticky: boolean
  /** Width that the frozen columns cover, from the left edge of the first column. */
  readonly covered: number
}): JSX.Element | null {
  const hidden = isSticky ? 0 : Math.max(0, covered - column.left)
  if (hidden >= column.width) return null
  return (
    <div
      data-cursor={name}
      className={cx('absolute top-0 left-0 flex w-full transition-opacity', cursor.isFading && 'opacity-40')}
      style={{ height: rowPx, transform: `translateY(${row * rowPx}px)` }}
    >
      <div
        className={cx('h-full border-2 border-current bg-transparent', textOf(name), isSticky ? 'sticky' : 'absolute')}
        style={{
          left: GUTTER_PX + column.left,
          width: column.width,
          clipPath: hidden === 0 ? undefined : `inset(-40px -40px -40px ${hidden}px)`,
        }}
      >
        <span
          className={cx(
            'absolute -right-0.5 -bottom-0.5 flex h-4 items-center gap-0.5 rounded-tl-sm px-1 text-[0.625rem] leading-none font-semibold',
            paletteClass(paletteOf(name)),
          )}
        >
          {cursor.value.isEditing ? <Pencil size={9} /> : null}
          {initialsOf(name)}
        </span>
      </div>
    </div>
  )
}

/** Returns the text colour class of a user's palette, without its fill. */
function textOf(name: string): string {
  return paletteClass(paletteOf(name)).split(' ').at(-1) ?? ''
}

function useTellCursor(
  { record, field, isEditing, viewport }: LiveCursorsProps,
  user: string,
  send: (cursor: Cursor) => void,
): void {
  const tell = useEffectEvent(() => {
    const isInGrid = isEditing || viewport.current?.contains(document.activeElement) === true
    if (record === undefined || field === undefined || !isInGrid || idleMs() > STILL_AFTER_MS) return
    send({ user, record, field, isEditing })
  })
  // The focus follows the active cell only after this effect.
  useEffect(() => {
    const frame = requestAnimationFrame(() => tell())
    return () => cancelAnimationFrame(frame)
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- a move is what this is about
  }, [record, field, isEditing, send])
  useEffect(() => {
    const timer = setInterval(() => tell(), AGAIN_MS)
    return () => clearInterval(timer)
  }, [])
}

/** Returns the width that frozen columns cover. Follows scrolling only while watched. */
function useCovered(viewport: RefObject<HTMLElement | null>, stickyPx: number, isWatched: boolean): number {
  const [left, setLeft] = useState(0)
  // Scrolling happens in the browser, outside React.
  useEffect(() => {
    const element = viewport.current
    if (!element || !isWatched) return
    const read = (): void => setLeft(element.scrollLeft)
    read()
    element.addEventListener('scroll', read, { passive: true })
    return () => element.removeEventListener('scroll', read)
  }, [viewport, isWatched])
  return left === 0 ? 0 : left + stickyPx
}
