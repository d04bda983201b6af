import { GripVertical, MoveDiagonal2 } from 'lucide-react'
import { type JSX, type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'

const MOVES: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }
const handleClass =
  'grid size-7 shrink-0 touch-none place-items-center rounded-md text-muted hover:bg-hover hover:text-text coarse:size-11 print:hidden'

/** Moves a tile: drag it over another, or press an arrow key. */
export function MoveHandle({
  title,
  onMoveBy,
  onDragOver,
  onDrop,
}: {
  readonly title: string
  readonly onMoveBy: (places: number) => void
  /** @param id - of the tile under the pointer */
  readonly onDragOver: (id: string) => void
  readonly onDrop: () => void
}): JSX.Element {
  const isDragging = useRef(false)
  return (
    <button
      type="button"
      data-move=""
      aria-label={words.move(title)}
      title={words.moveKeys}
      className={`${handleClass} cursor-grab active:cursor-grabbing`}
      onKeyDown={(event: KeyboardEvent) => {
        const by = MOVES[event.key]
        if (by === undefined) return
        event.preventDefault()
        onMoveBy(by)
      }}
      onPointerDown={(event: PointerEvent<HTMLButtonElement>) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        isDragging.current = true
      }}
      onPointerMove={(event: PointerEvent) => {
        if (!isDragging.current) return
        const under = document.elementsFromPoint(event.clientX, event.clientY).find((one) => one.matches('[data-tile]'))
        const id = under?.getAttribute('data-tile')
        if (id) onDragOver(id)
      }}
      onLostPointerCapture={() => {
        if (isDragging.current) onDrop()
        isDragging.current = false
      }}
    >
      <GripVertical size={16} aria-hidden />
    </button>
  )
}

/** Resizes a tile: drag the corner, or press an arrow key. */
export function ResizeHandle({
  title,
  width,
  height,
  onResize,
  onDrop,
}: {
  readonly title: string
  readonly width: number
  readonly height: number
  readonly onResize: (width: number, height: number) => void
  readonly onDrop: () => void
}): JSX.Element {
  const from = useRef<{
    readonly x: number
    readonly y: number
    readonly column: number
    readonly row: number
    readonly width: number
    readonly height: number
  }>(undefined)
  return (
    <button
      type="button"
      aria-label={words.resize(title)}
      title={words.resizeKeys}
      className={`${handleClass} absolute right-0.5 bottom-0.5 cursor-nwse-resize`}
      onKeyDown={(event: KeyboardEvent) => {
        const [wide, high] =
          { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? []
        if (wide === undefined || high === undefined) return
        event.preventDefault()
        onResize(width + wide, height + high)
        onDrop()
      }}
      onPointerDown={(event: PointerEvent<HTMLButtonElement>) => {
        const tile = event.currentTarget.closest('[data-tile]')?.getBoundingClientRect()
        if (!tile) return
        event.currentTarget.setPointerCapture(event.pointerId)
        from.current = {
          x: event.clientX,
          y: event.clientY,
          column: tile.width / width,
          row: tile.height / height,
          width,
          height,
        }
      }}
      onPointerMove={(event: PointerEvent) => {
        const { current } = from
        if (!current) return
        onResize(
          current.width + Math.round((event.clientX - current.x) / current.column),
          current.height + Math.round((event.clientY - current.y) / current.row),
        )
      }}
      onLostPointerCapture={() => {
        if (from.current) onDrop()
        from.current = undefined
      }}
    >
      <MoveDiagonal2 size={14} aria-hidden />
    </button>
  )
}
