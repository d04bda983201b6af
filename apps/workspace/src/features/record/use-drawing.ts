import { type PointerEvent, type RefObject, useRef, useState } from 'react'
import { type Place, POINTS_MAX, type Shape } from '../../lib/photos/marks.ts'

/** Size of the photo itself in pixels. */
export interface PhotoSize {
  readonly width: number
  readonly height: number
}

export type Tool = Shape['kind']

/** Radius of the circle that a tap draws, in percent of the longer side. Arrows and lines need more than a tap. */
const TAP_RADIUS = 6
/** Smallest movement that counts, in percent. */
const STEP_MIN = 0.4
const MOVED_MIN = 1.5

export interface Drawing {
  /** The shape being drawn. */
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
 * Draws with a finger, pen or mouse. A second finger cancels the shape.
 *
 * @param frame - the element that the photo fills like `object-contain`, zoomed or not
 * @param onShape - called when the finger is lifted
 */
export function useDrawing(
  tool: Tool | undefined,
  size: PhotoSize | undefined,
  frame: RefObject<HTMLElement | null>,
  onShape: (shape: Shape) => void,
): Drawing {
  // Pointer events outpace rendering, so the stroke is kept in a ref.
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

/** Returns a pointer's position on the photo, clamped to its edges. */
function placeIn(box: DOMRect, { width, height }: PhotoSize, { clientX, clientY }: PointerEvent): Place {
  const scale = Math.min(box.width / width, box.height / height)
  const held = (value: number): number => Math.min(100, Math.max(0, value * 100))
  return [
    held((clientX - box.x - (box.width - width * scale) / 2) / (width * scale)),
    held((clientY - box.y - (box.height - height * scale) / 2) / (height * scale)),
  ]
}

/** Returns a distance in percent of the longer side. */
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

/** Removes every second point of a line with too many, but keeps its ends. */
function thinned(points: readonly Place[]): readonly Place[] {
  if (points.length <= POINTS_MAX) return points
  return thinned(points.filter((_point, index) => index % 2 === 0 || index === points.length - 1))
}
