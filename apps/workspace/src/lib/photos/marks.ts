import { parseJson } from '@holdfast/protocol'
import * as v from 'valibot'

/** Shapes per photo, stored in one row. */
const SHAPES_MAX = 100
/** Points per line. */
export const POINTS_MAX = 400

const percent = v.pipe(v.number(), v.minValue(0), v.maxValue(100))
const place = v.tuple([percent, percent])

const shapeSchema = v.variant('kind', [
  v.object({ kind: v.literal('circle'), x: percent, y: percent, r: percent }),
  v.object({ kind: v.literal('arrow'), from: place, to: place }),
  v.object({ kind: v.literal('line'), points: v.pipe(v.array(place), v.minLength(2), v.maxLength(POINTS_MAX)) }),
])
const marksSchema = v.object({ v: v.literal(1), shapes: v.array(v.unknown()) })

/** Percent of the photo's width and height. */
export type Place = readonly [x: number, y: number]

/** A shape over a photo. Radii are in percent of the longer side. */
export type Shape =
  | { readonly kind: 'circle'; readonly x: number; readonly y: number; readonly r: number }
  | { readonly kind: 'arrow'; readonly from: Place; readonly to: Place }
  | { readonly kind: 'line'; readonly points: readonly Place[] }

/** Annotations in drawing order. Those from other app versions are kept but not shown. */
export type Marks = readonly unknown[]

/** @returns `undefined` for other content, which is neither shown nor replaced */
export function parseMarks(text: string | null): Marks | undefined {
  if (text === null) return []
  const result = v.safeParse(marksSchema, parseJson(text))
  return result.success ? result.output.shapes : undefined
}

/** Stored form; `null` for none. */
export function renderMarks(marks: Marks): string | null {
  return marks.length === 0 ? null : JSON.stringify({ v: 1, shapes: marks })
}

/** Returns the shapes this version can show. */
export function shapesOf(marks: Marks): readonly Shape[] {
  return marks.flatMap((one) => {
    const result = v.safeParse(shapeSchema, one)
    return result.success ? [result.output] : []
  })
}

/** @returns the same marks if the photo is full */
export function addShape(marks: Marks, shape: Shape): Marks {
  return marks.length >= SHAPES_MAX ? marks : [...marks, rounded(shape)]
}

/** A tenth of a percent is below a pixel on most screens. */
function rounded(shape: Shape): Shape {
  const round = (value: number): number => Math.round(value * 10) / 10
  const roundPlace = ([x, y]: Place): Place => [round(x), round(y)]
  switch (shape.kind) {
    case 'circle':
      return { kind: 'circle', x: round(shape.x), y: round(shape.y), r: round(shape.r) }
    case 'arrow':
      return { kind: 'arrow', from: roundPlace(shape.from), to: roundPlace(shape.to) }
    case 'line':
      return { kind: 'line', points: shape.points.map(roundPlace) }
    default:
      return shape satisfies never
  }
}
