/** A range of values with round ends that includes zero. */
export interface Scale {
  readonly from: number
  readonly to: number
  readonly ticks: readonly number[]
}

const STEPS = [1, 2, 2.5, 5, 10] as const

/** Returns a scale for values, with about `count` steps; whole ones if all values are. */
export function scaleOf(values: readonly (number | null)[], count = 4): Scale {
  const known = values.filter((value): value is number => value !== null && Number.isFinite(value))
  const [low, high] = [Math.min(0, ...known), Math.max(0, ...known)]
  if (low === high) return { from: 0, to: 1, ticks: [0] }
  const rough = (high - low) / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = (STEPS.find((one) => one * power >= rough * 0.999) ?? 10) * power
  const whole = known.every(Number.isInteger) ? Math.max(1, Math.ceil(step)) : step
  const [first, last] = [Math.floor(low / whole), Math.ceil(high / whole)]
  // Without the errors of binary fractions.
  const ticks = Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * whole).toPrecision(12)),
  )
  return { from: ticks[0] ?? 0, to: ticks.at(-1) ?? 1, ticks }
}

/** Returns the scale of bars without an axis: from their smallest to their largest value, and zero. */
export function exactScale(values: readonly (number | null)[]): Scale {
  const known = values.filter((value): value is number => value !== null && Number.isFinite(value))
  const [from, to] = [Math.min(0, ...known), Math.max(0, ...known)]
  return { from, to: from === to ? from + 1 : to, ticks: [] }
}

/** Returns a value's place on a scale, 0 to 100. */
export function placeOn({ from, to }: Scale, value: number): number {
  return ((Math.min(Math.max(value, from), to) - from) / (to - from)) * 100
}

/** A part of a bar, in percent of the scale. */
export interface Segment {
  readonly start: number
  readonly length: number
}

/** Lays parts end to end: positive ones away from zero on one side, negative ones on the other. */
export function segmentsOf(scale: Scale, values: readonly (number | null)[]): readonly Segment[] {
  let [up, down] = [0, 0]
  return values.map((value) => {
    const size = value ?? 0
    const [a, b] = size < 0 ? [(down += size), down - size] : [up, (up += size)]
    const start = placeOn(scale, a)
    return { start, length: placeOn(scale, b) - start }
  })
}

/** Returns the ends of stacked bars, for their scale. */
export function stackEnds(values: readonly (number | null)[]): readonly number[] {
  const known = values.map((value) => value ?? 0)
  return [
    known.filter((value) => value > 0).reduce((sum, value) => sum + value, 0),
    known.filter((value) => value < 0).reduce((sum, value) => sum + value, 0),
  ]
}
