import type { Buffer } from 'node:buffer'
import { createRandom } from '../random.ts'
import { createCanvas, SHADES } from './canvas.ts'
import { encodePng } from './encode-png.ts'
import { SCENES } from './scenes.ts'

/** Number of pictures shared by the sample's photos. */
export const PICTURES = 24
export const PICTURE_WIDTH = 400
export const PICTURE_HEIGHT = 300

type Colour = readonly [red: number, green: number, blue: number]

/** The lightest shade of wall, metal and paint, in different light. */
const LIGHTS: readonly (readonly [Colour, Colour, Colour])[] = [
  [
    [222, 214, 200],
    [196, 208, 216],
    [214, 74, 52],
  ],
  [
    [190, 204, 214],
    [150, 172, 190],
    [40, 128, 196],
  ],
  [
    [212, 208, 186],
    [172, 184, 160],
    [232, 168, 40],
  ],
  [
    [206, 186, 164],
    [214, 204, 188],
    [62, 146, 108],
  ],
]

/** Returns a picture's key in the photo bucket. */
export function picturePath(index: number): string {
  return `northline/${String((index % PICTURES) + 1).padStart(2, '0')}.png`
}

/** Draws all pictures, one at a time, yielding to other work in between. */
export async function drawPictures(seed: number): Promise<readonly Buffer[]> {
  const pictures: Buffer[] = []
  for (let index = 0; index < PICTURES; index++) pictures.push(await drawPicture(seed, index))
  return pictures
}

/** Draws a picture: the same bytes for the same seed on every machine. */
export async function drawPicture(seed: number, index: number): Promise<Buffer> {
  const canvas = createCanvas(PICTURE_WIDTH, PICTURE_HEIGHT)
  const random = createRandom(seed, `picture ${index}`)
  SCENES[index % SCENES.length]?.(canvas, random)
  const light = LIGHTS[Math.floor(index / SCENES.length) % LIGHTS.length] ?? []
  const palette = light.flatMap((colour) =>
    Array.from({ length: SHADES }, (_, shade) =>
      colour.map((part) => Math.round(part * (0.1 + (0.9 * shade) / (SHADES - 1)))),
    ).flat(),
  )
  return encodePng(canvas, Uint8Array.from(palette))
}
