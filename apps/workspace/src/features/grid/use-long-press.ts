import { type MouseEvent, type PointerEvent, useEffect, useRef } from 'react'

/** Time in ms after which a touch counts as long. */
const LONG_MS = 500
/** A touch that moves farther, in pixels, scrolls. */
const MOVE_MAX_PX = 10

export interface LongPress {
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent) => void
    readonly onPointerMove: (event: PointerEvent) => void
    readonly onPointerUp: () => void
    readonly onPointerCancel: () => void
    readonly onContextMenu: (event: MouseEvent) => void
  }
  /** Whether the touch that ends with this click was long. */
  wasLong(): boolean
}

/** Calls a function after a long touch, a right click or the menu key. Not every browser reports a long touch as one of these. */
export function useLongPress(onLong: () => void): LongPress {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const touch = useRef<{ readonly x: number; readonly y: number }>(undefined)
  const isLong = useRef(false)
  const stop = (): void => {
    clearTimeout(timer.current)
    touch.current = undefined
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return {
    handlers: {
      onPointerDown({ pointerType, clientX: x, clientY: y }) {
        stop()
        isLong.current = false
        if (pointerType === 'mouse') return
        touch.current = { x, y }
        timer.current = setTimeout(() => {
          isLong.current = true
          onLong()
        }, LONG_MS)
      },
      onPointerMove({ clientX, clientY }) {
        const from = touch.current
        if (from && Math.hypot(clientX - from.x, clientY - from.y) > MOVE_MAX_PX) stop()
      },
      onPointerUp: stop,
      onPointerCancel: stop,
      onContextMenu(event) {
        event.preventDefault()
        if (touch.current || isLong.current) return
        onLong()
      },
    },
    wasLong: () => isLong.current,
  }
}
