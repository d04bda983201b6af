import { type PointerEvent, type RefObject, useRef, useState } from 'react'
import { type Place, POINTS_MAX, type Shape } from '../../lib/photos/marks.ts'

/** Pixels of the photo itself. */
export interface PhotoSize {
  readonly width: number
  readonly height: number
}

export type Tool = Shape['kind']

/** Percent of the longer side: a tap is a circle of this radius, and no arrow and no line. */
const TAP_RADIUS = 6
/** A finger that moves less has not moved, in percent. */
const STEP_MIN = 0.4
const MOVED_MIN = 1.5

export interface Drawing {
  /** The shape under the finger. */
  readonly draft: Shape | undefined
  readonly handlers: {
    onPointerDown(event: PointerEvent): void
    onPointerMove(event: PointerEvent): void
    onPointerUp(event: PointerEvent): void
    onPointerCancel(event: PointerEvent): void
  }
}

interface Stroke {
  readonly pointer: number
  readonly points: readonly Place[]
}

/**
 * Draws with a finger, a pen or the mouse. A second finger gives the shape up.
 *
 * @param frame - the element that the photo fills as `object-contain` does, zoomed or not
 * @param onShape - called when the finger is lifted
 */
export function useDrawing(
  tool: Tool | undefined,
  size: PhotoSize | undefined,
  frame: RefObject<HTMLElement | null>,
  onShape: (shape: Shape) => void,
): Drawing {
  // Pointer events come faster than the screen is drawn: the stroke is read where it is written.
  const stroke = useRef<Stroke>(undefined)
  const [draft, setDraft] = useState<Shape>()
  const end = (): void => {
    stroke.current = undefined
    setDraft(undefined)
  }
  const placeOf = (event: PointerEvent): Place | undefined => {
    const box = frame.current?.getBoundingClientRect()
    return box && size && placeIn(box, size, event)
  }
  return {
    draft,
    handlers: {
      onPointerDown(event) {
        if (stroke.current) return end()
        const at = placeOf(event)
        if (!at || event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        stroke.current = { pointer: event.pointerId, points: [at] }
      },
      onPointerMove(event) {
        const { current } = stroke
        const at = placeOf(event)
        if (!at || !tool || !size || current?.pointer !== event.pointerId) return
        const last = current.points.at(-1)
        if (last && distance(last, at, size) < STEP_MIN) return
        stroke.current = { ...current, points: [...current.points, at] }
        setDraft(shapeOf(tool, stroke.current.points, size))
      },
      onPointerUp(event) {
        const { current } = stroke
        if (!tool || !size || current?.pointer !== event.pointerId) return
        const shape = shapeOf(tool, current.points, size)
        end()
        if (shape) onShape(shape)
      },
      onPointerCancel: end,
    },
  }
}

/** Where a pointer is on the photo, held to its edges. */
function placeIn(box: DOMRect, { width, height }: PhotoSize, { clientX, clientY }: PointerEvent): Place {
  const scale = Math.min(box.width / width, box.height / height)
  const held = (value: number): number => Math.min(100, Math.max(0, value * 100))
  return [
    held((clientX - box.x - (box.width - width * scale) / 2) / (width * scale)),
    held((clientY - box.y - (box.height - height * scale) / 2) / (height * scale)),
  ]
}

/** In percent of the longer side. */
function distance(from: Place, to: Place, { width, height }: PhotoSize): number {
  return Math.hypot((to[0] - from[0]) * width, (to[1] - from[1]) * height) / Math.max(width, height)
}

function shapeOf(tool: Tool, points: readonly Place[], size: PhotoSize): Shape | undefined {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return undefined
  const moved = distance(first, last, size)
  switch (tool) {
    case 'circle': {
      const r = moved < MOVED_MIN ? TAP_RADIUS : Math.min(100, moved)
      return { kind: 'circle', x: first[0], y: first[1], r }
    }
    case 'arrow':
      return moved < MOVED_MIN ? undefined : { kind: 'arrow', from: first, to: last }
    case 'line':
      return points.length < 2 ? undefined : { kind: 'line', points: thinned(points) }
    default:
      return tool satisfies never
  }
}

/** Every second point of a line that has too many, its ends always. */
function thinned(points: readonly Place[]): readonly Place[] {
  if (points.length <= POINTS_MAX) return points
  return thinned(points.filter((_point, index) => index % 2 === 0 || index === points.length - 1))
}
