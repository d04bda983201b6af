import { type JSX, type PointerEvent, useEffect, useEffectEvent, useRef } from 'react'
import { clampWidth, renderWidths } from './view-looks.ts'

/** Width change per key press. */
const STEP_PX = 16

export interface ColumnResizerProps {
  readonly field: string
  readonly width: number
  /** All custom column widths. */
  readonly widths: ReadonlyMap<string, number>
  /** Called during a drag. */
  readonly onDrag: (widths: ReadonlyMap<string, number>) => void
  /** Called with the setting for the view. */
  readonly onStore: (text: string | undefined) => void
}

/** The right edge of a column header. Dragging it resizes the column, as does Shift with an arrow key on the header. */
export function ColumnResizer({ field, width, widths, onDrag, onStore }: ColumnResizerProps): JSX.Element {
  const edge = useRef<HTMLDivElement>(null)
  const from = useRef<{ readonly x: number; readonly width: number }>(undefined)
  const resize = (to: number, isDone: boolean): void => {
    const next = new Map([...widths, [field, clampWidth(to)]])
    onDrag(next)
    if (isDone) onStore(renderWidths(next))
  }
  const widthAt = ({ clientX }: PointerEvent): number =>
    (from.current?.width ?? width) + clientX - (from.current?.x ?? clientX)
  const onKey = useEffectEvent(({ shiftKey, key }: KeyboardEvent) => {
    const step = shiftKey ? { ArrowLeft: -STEP_PX, ArrowRight: STEP_PX }[key] : undefined
    if (step !== undefined) resize(width + step, true)
  })
  // The header mounts before its edge and receives the keys.
  useEffect(() => {
    const header = edge.current?.parentElement
    const listen = (event: KeyboardEvent): void => onKey(event)
    header?.addEventListener('keydown', listen)
    return () => header?.removeEventListener('keydown', listen)
  }, [])
  return (
    <div
      ref={edge}
      aria-hidden
      className="absolute inset-y-0 right-0 z-[1] w-2 cursor-col-resize touch-none hover:bg-accent"
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        from.current = { x: event.clientX, width }
      }}
      onPointerMove={(event) => {
        if (from.current) resize(widthAt(event), false)
      }}
      onPointerUp={(event) => {
        if (from.current) resize(widthAt(event), true)
        from.current = undefined
      }}
      onPointerCancel={() => (from.current = undefined)}
    />
  )
}
