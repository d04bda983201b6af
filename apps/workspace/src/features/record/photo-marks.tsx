import type { JSX } from 'react'
import { type Shape, shapesOf, type Marks } from '../../lib/photos/marks.ts'
import { drawingMessages as words } from '../../messages/drawing.ts'
import type { PhotoSize } from './use-drawing.ts'

/** Size of an arrowhead in percent of the longer side. */
const HEAD = 3
const HEAD_ANGLE = Math.PI / 7
/** The same on every photo, whatever the theme. */
const INK = '#c5221f'
const EDGE = 'rgb(255 255 255 / 0.85)'

/** Draws marks over a photo that fills its frame like `object-contain`. A light outline keeps each shape visible on any photo. */
export function PhotoMarks({
  marks,
  draft,
  size,
}: {
  readonly marks: Marks
  /** The shape being drawn. */
  readonly draft?: Shape | undefined
  readonly size: PhotoSize
}): JSX.Element | null {
  const shapes = shapesOf(marks)
  const all = draft ? [...shapes, draft] : shapes
  if (all.length === 0) return null
  const paths = all.map((shape) => pathOf(shape, size))
  return (
    <svg
      role="img"
      aria-label={words.marks(all.length)}
      viewBox={`0 0 ${size.width} ${size.height}`}
      preserveAspectRatio="xMidYMid meet"
      className="pointer-events-none absolute inset-0 size-full fill-none [stroke-linecap:round] [stroke-linejoin:round]"
    >
      {paths.map((path, index) => (
        <g key={index}>
          <path d={path} vectorEffect="non-scaling-stroke" stroke={EDGE} strokeWidth={7} />
          <path d={path} vectorEffect="non-scaling-stroke" stroke={INK} strokeWidth={3.5} />
        </g>
      ))}
    </svg>
  )
}

/** Returns a shape's SVG path in pixels of the photo. */
function pathOf(shape: Shape, { width, height }: PhotoSize): string {
  const longer = Math.max(width, height)
  const at = ([x, y]: readonly [number, number]): string => `${(x / 100) * width} ${(y / 100) * height}`
  switch (shape.kind) {
    case 'circle': {
      const r = (shape.r / 100) * longer
      const [x, y] = [(shape.x / 100) * width, (shape.y / 100) * height]
      return `M ${x - r} ${y} a ${r} ${r} 0 1 0 ${2 * r} 0 a ${r} ${r} 0 1 0 ${-2 * r} 0 Z`
    }
    case 'line':
      return `M ${shape.points.map(at).join(' L ')}`
    case 'arrow': {
      const [dx, dy] = [((shape.to[0] - shape.from[0]) / 100) * width, ((shape.to[1] - shape.from[1]) / 100) * height]
      const back = Math.atan2(dy, dx) + Math.PI
      const [x, y] = [(shape.to[0] / 100) * width, (shape.to[1] / 100) * height]
      const side = (angle: number): string => {
        const length = (HEAD / 100) * longer
        return `${x + Math.cos(back + angle) * length} ${y + Math.sin(back + angle) * length}`
      }
      return `M ${at(shape.from)} L ${at(shape.to)} M ${side(HEAD_ANGLE)} L ${at(shape.to)} L ${side(-HEAD_ANGLE)}`
    }
    default:
      return shape satisfies never
  }
}
