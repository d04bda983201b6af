import { type CSSProperties, type PointerEvent, useRef, useState, type WheelEvent } from 'react'

/** Zoom and position; scale 1 shows the whole photo. */
interface View {
  readonly scale: number
  readonly x: number
  readonly y: number
}

const WHOLE: View = { scale: 1, x: 0, y: 0 }
const SCALE_MAX = 8
/** Horizontal movement in pixels that counts as a swipe. */
const SWIPE_MIN = 48

export interface PhotoZoom {
  readonly isZoomed: boolean
  readonly style: CSSProperties
  by(factor: number): void
  reset(): void
  readonly handlers: {
    onWheel(event: WheelEvent): void
    onDoubleClick(): void
    onPointerDown(event: PointerEvent): void
    onPointerMove(event: PointerEvent): void
    onPointerUp(event: PointerEvent): void
    onPointerCancel(event: PointerEvent): void
  }
}

/**
 * Zooms with the wheel, two fingers or a double tap. Dragging moves a zoomed photo and swipes an unzoomed one.
 *
 * @param key - identifies the photo; another one starts unzoomed
 */
export function usePhotoZoom(key: string, onSwipe: (step: number) => void): PhotoZoom {
  const [of, setOf] = useState({ key, view: WHOLE })
  const view = of.key === key ? of.view : WHOLE
  const fingers = useRef(new Map<number, { readonly x: number; readonly y: number }>())
  const swipe = useRef(0)
  // Pointer events outpace rendering, so each step builds on the previous one, rendered or not.
  const change = (step: (view: View) => View): void =>
    setOf((last) => {
      const next = step(last.key === key ? last.view : WHOLE)
      return { key, view: next.scale <= 1 ? WHOLE : next }
    })
  const by = (factor: number): void =>
    change(({ scale: before, x, y }) => {
      const scale = Math.min(SCALE_MAX, Math.max(1, before * factor))
      return { scale, x: (x * scale) / before, y: (y * scale) / before }
    })
  const spread = (): number => {
    const [a, b] = [...fingers.current.values()]
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0
  }
  const lift = ({ pointerId }: PointerEvent): void => {
    fingers.current.delete(pointerId)
    if (fingers.current.size === 0 && view.scale === 1 && Math.abs(swipe.current) > SWIPE_MIN) {
      onSwipe(swipe.current < 0 ? 1 : -1)
    }
    swipe.current = 0
  }
  return {
    isZoomed: view.scale > 1,
    style: {
      transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})`,
      cursor: view.scale > 1 ? 'grab' : 'zoom-in',
    },
    by,
    reset: () => change(() => WHOLE),
    handlers: {
      onWheel: ({ deltaY }) => by(Math.exp(-deltaY / 400)),
      onDoubleClick: () => (view.scale > 1 ? change(() => WHOLE) : by(2.5)),
      onPointerDown(event) {
        if ((event.target as Element).closest('button')) return
        event.currentTarget.setPointerCapture(event.pointerId)
        fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY })
        swipe.current = 0
      },
      onPointerMove(event) {
        const last = fingers.current.get(event.pointerId)
        if (!last) return
        const before = spread()
        fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY })
        if (fingers.current.size > 1) {
          if (before > 0) by(spread() / before)
          swipe.current = 0
        } else if (view.scale > 1) {
          const [dx, dy] = [event.clientX - last.x, event.clientY - last.y]
          change(({ scale, x, y }) => ({ scale, x: x + dx, y: y + dy }))
        } else {
          swipe.current += event.clientX - last.x
        }
      },
      onPointerUp: lift,
      onPointerCancel: lift,
    },
  }
}
