/** The hues that a picture is made of, each in {@link SHADES} shades from dark to light. */
export type Hue = 0 | 1 | 2
export const SHADES = 32

/** A rectangle of pixels; each is the place of its colour in the palette. */
export interface Canvas {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/** Brightness of a pixel, 0 to 1; `undefined` leaves it unchanged. */
export type Paint = (x: number, y: number) => number | undefined

export function createCanvas(width: number, height: number): Canvas {
  return { width, height, pixels: new Uint8Array(width * height) }
}

/** Thresholds of ordered dithering in sixteenths, which avoid visible bands between shades. */
const BAYER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]

/** Paints within a box. */
export function fill(
  { width, height, pixels }: Canvas,
  box: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number },
  hue: Hue,
  paint: Paint,
): void {
  const bottom = Math.min(height, Math.ceil(box.bottom))
  const right = Math.min(width, Math.ceil(box.right))
  for (let y = Math.max(0, Math.floor(box.top)); y < bottom; y++) {
    for (let x = Math.max(0, Math.floor(box.left)); x < right; x++) {
      const light = paint(x, y)
      if (light === undefined) continue
      const threshold = (BAYER[(y & 3) * 4 + (x & 3)] ?? 0) / 16
      const shade = Math.floor(Math.max(0, Math.min(1, light)) * (SHADES - 1.001) + threshold)
      pixels[y * width + x] = hue * SHADES + shade
    }
  }
}

/** A rod between two points, round like a pipe: lightest along its upper side. */
export function rod(
  canvas: Canvas,
  from: readonly [number, number],
  to: readonly [number, number],
  { radius, hue, light }: { readonly radius: number; readonly hue: Hue; readonly light: number },
): void {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]]
  const length = Math.hypot(dx, dy) || 1
  const box = {
    left: Math.min(from[0], to[0]) - radius,
    right: Math.max(from[0], to[0]) + radius,
    top: Math.min(from[1], to[1]) - radius,
    bottom: Math.max(from[1], to[1]) + radius,
  }
  fill(canvas, box, hue, (x, y) => {
    const along = ((x - from[0]) * dx + (y - from[1]) * dy) / length
    if (along < 0 || along > length) return undefined
    const across = ((x - from[0]) * dy - (y - from[1]) * dx) / length / radius
    return Math.abs(across) > 1 ? undefined : light * (0.35 + 0.65 * Math.sqrt(1 - (across - 0.3) ** 2 / 1.7))
  })
}

/** A disc or a ring, lit from above on the left. */
export function disc(
  canvas: Canvas,
  [x0, y0]: readonly [number, number],
  {
    radius,
    hole = 0,
    hue,
    light,
  }: { readonly radius: number; readonly hole?: number; readonly hue: Hue; readonly light: number },
): void {
  fill(canvas, { left: x0 - radius, right: x0 + radius, top: y0 - radius, bottom: y0 + radius }, hue, (x, y) => {
    const distance = Math.hypot(x - x0, y - y0)
    if (distance > radius || distance < hole) return undefined
    return light * (0.8 - (0.22 * (x - x0 + y - y0)) / radius)
  })
}

/** A plate with a bevelled edge. */
export function plate(
  canvas: Canvas,
  box: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number },
  hue: Hue,
  light: number,
): void {
  const { left, top, right, bottom } = box
  fill(canvas, box, hue, (x, y) => {
    if (x - left < 3 || y - top < 3) return light * 1.15
    if (right - x < 4 || bottom - y < 4) return light * 0.6
    return light * (1 - (0.25 * (y - top)) / (bottom - top))
  })
}
