import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { type Camera, moveBy, type Size, zoomBy } from '../../../lib/map/projection.ts'

const KEY_PX = 80
const KEY_ZOOM = 1
/** Zoom levels per pixel of wheel movement. */
const WHEEL_ZOOM = 1 / 240

interface Point {
  readonly x: number
  readonly y: number
}

export interface CameraControl {
  /** Fits all records into view; `undefined` until their bounds are known. */
  readonly onAll: (() => void) | undefined
  zoom(by: number): void
  readonly handlers: {
    onPointerDown(event: PointerEvent): void
    onPointerMove(event: PointerEvent): void
    onPointerUp(event: PointerEvent): void
    onPointerCancel(event: PointerEvent): void
    onKeyDown(event: KeyboardEvent): void
  }
}

/** Moves a map: one finger or the mouse drags; two fingers, the wheel and keys zoom. */
export function useCamera(
  element: RefObject<HTMLElement | null>,
  size: Size | undefined,
  camera: Camera,
  setCamera: (camera: Camera) => void,
  showAll: (() => void) | undefined,
): CameraControl {
  const fingers = useRef(new Map<number, Point>())
  const placeOf = ({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }): Point => {
    const box = element.current?.getBoundingClientRect()
    return { x: clientX - (box?.left ?? 0), y: clientY - (box?.top ?? 0) }
  }
  const zoomAt = (by: number, at: Point): void => {
    if (size) setCamera(zoomBy(camera, by, at, size))
  }
  const zoom = (by: number): void => {
    if (size) zoomAt(by, { x: size.width / 2, y: size.height / 2 })
  }
  useWheel(element, (pixels, event) => zoomAt(-pixels * WHEEL_ZOOM, placeOf(event)))

  const drag = (event: PointerEvent): void => {
    const before = fingers.current.get(event.pointerId)
    if (!before || !size) return
    const now = placeOf(event)
    const [other] = [...fingers.current].flatMap(([id, one]) => (id === event.pointerId ? [] : [one]))
    fingers.current.set(event.pointerId, now)
    const moved = moveBy(camera, (before.x - now.x) / (other ? 2 : 1), (before.y - now.y) / (other ? 2 : 1))
    if (!other) return setCamera(moved)
    const spread = distance(now, other) / Math.max(1, distance(before, other))
    setCamera(zoomBy(moved, Math.log2(spread), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }, size))
  }
  const lift = (event: PointerEvent): void => void fingers.current.delete(event.pointerId)
  return {
    onAll: showAll,
    zoom,
    handlers: {
      onPointerDown(event) {
        if (event.button !== 0 || (event.target instanceof Element && event.target.closest('button, a'))) return
        event.currentTarget.setPointerCapture(event.pointerId)
        fingers.current.set(event.pointerId, placeOf(event))
      },
      onPointerMove: drag,
      onPointerUp: lift,
      onPointerCancel: lift,
      onKeyDown(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return
        const [dx, dy] = ARROWS[event.key] ?? [0, 0]
        if (dx !== 0 || dy !== 0) setCamera(moveBy(camera, dx * KEY_PX, dy * KEY_PX))
        else if (event.key === '+' || event.key === '=') zoom(KEY_ZOOM)
        else if (event.key === '-') zoom(-KEY_ZOOM)
        else if (event.key === '0') showAll?.()
        else return
        event.preventDefault()
      },
    },
  }
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

/** Listens to the wheel directly: React's listeners cannot prevent the page from scrolling. */
function useWheel(element: RefObject<HTMLElement | null>, onWheel: (pixels: number, event: WheelEvent) => void): void {
  const turn = useEffectEvent(onWheel)
  useEffect(() => {
    const { current } = element
    if (!current) return
    const listen = (event: WheelEvent): void => {
      event.preventDefault()
      turn(event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * 16, event)
    }
    current.addEventListener('wheel', listen, { passive: false })
    return () => current.removeEventListener('wheel', listen)
  }, [element])
}
