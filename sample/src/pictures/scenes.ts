import type { Random } from '../random.ts'
import { disc, fill, plate, rod, type Canvas } from './canvas.ts'

/** What a picture shows. Hues: 0 the wall, 1 metal, 2 paint and signs. */
export type Scene = (canvas: Canvas, random: Random) => void

const TURN = 2 * Math.PI

/** A wall in courses, lighter where the lamp is. */
function wall(canvas: Canvas, random: Random): void {
  const { width, height } = canvas
  const [lampX, lampY] = [width * (0.2 + 0.6 * random.fraction()), height * 0.15]
  const course = random.integer(34, 54)
  fill(canvas, { left: 0, top: 0, right: width, bottom: height }, 0, (x, y) => {
    const row = Math.floor(y / course)
    const isJoint = y % course < 2 || (x + (row % 2) * course) % (course * 2) < 2
    return 0.92 - Math.hypot(x - lampX, y - lampY) / width / 1.35 - (isJoint ? 0.1 : 0)
  })
}

function floor(canvas: Canvas): number {
  const { width, height } = canvas
  const top = Math.round(height * 0.8)
  fill(canvas, { left: 0, top, right: width, bottom: height }, 0, (_, y) => 0.28 + (0.22 * (y - top)) / (height - top))
  return top
}

function gauge(canvas: Canvas, random: Random): void {
  wall(canvas, random)
  const at = [canvas.width * (0.4 + 0.2 * random.fraction()), canvas.height * 0.45] as const
  rod(canvas, [at[0], at[1]], [at[0], canvas.height], { radius: 20, hue: 1, light: 0.8 })
  disc(canvas, at, { radius: 96, hue: 1, light: 0.75 })
  disc(canvas, at, { radius: 82, hue: 1, light: 1.25 })
  const end = random.integer(3, 8)
  for (let mark = 0; mark <= 10; mark++) {
    const angle = TURN * (0.375 + 0.075 * mark)
    const [x, y] = [Math.cos(angle), Math.sin(angle)]
    const from = [at[0] + 64 * x, at[1] + 64 * y] as const
    rod(canvas, from, [at[0] + 76 * x, at[1] + 76 * y], {
      radius: 3,
      hue: mark > 7 ? 2 : 0,
      light: mark > 7 ? 0.8 : 0.1,
    })
  }
  const angle = TURN * (0.375 + 0.075 * (end + 0.5))
  rod(canvas, at, [at[0] + 60 * Math.cos(angle), at[1] + 60 * Math.sin(angle)], { radius: 3, hue: 0, light: 0.15 })
  disc(canvas, at, { radius: 9, hue: 0, light: 0.25 })
}

function valve(canvas: Canvas, random: Random): void {
  wall(canvas, random)
  const y = floor(canvas) - 50
  rod(canvas, [0, y], [canvas.width, y], { radius: 38, hue: 1, light: 0.85 })
  const x = canvas.width * (0.35 + 0.3 * random.fraction())
  for (const side of [-58, 58]) rod(canvas, [x + side - 9, y], [x + side + 9, y], { radius: 52, hue: 1, light: 0.7 })
  rod(canvas, [x, y], [x, y - 110], { radius: 11, hue: 1, light: 0.9 })
  const at = [x, y - 120] as const
  const begin = random.fraction()
  for (let spoke = 0; spoke < 5; spoke++) {
    const angle = TURN * (begin + spoke / 5)
    rod(canvas, at, [at[0] + 56 * Math.cos(angle), at[1] + 56 * Math.sin(angle)], { radius: 6, hue: 2, light: 0.8 })
  }
  disc(canvas, at, { radius: 66, hole: 53, hue: 2, light: 0.95 })
  disc(canvas, at, { radius: 14, hue: 2, light: 0.6 })
}

function leak(canvas: Canvas, random: Random): void {
  wall(canvas, random)
  const ground = floor(canvas)
  const y = canvas.height * 0.32
  rod(canvas, [0, y], [canvas.width, y], { radius: 30, hue: 1, light: 0.8 })
  const x = canvas.width * (0.3 + 0.4 * random.fraction())
  rod(canvas, [x - 14, y], [x + 14, y], { radius: 42, hue: 1, light: 0.65 })
  for (let drop = 0; drop < 7; drop++) {
    const left = x - 24 + random.integer(0, 48)
    const end = Math.min(ground, y + 40 + random.integer(60, 200))
    rod(canvas, [left, y + 30], [left + random.integer(-3, 3), end], {
      radius: random.integer(2, 4),
      hue: 1,
      light: 1,
    })
  }
  const pool = { left: x - 110, right: x + 110, top: ground + 4, bottom: ground + 44 }
  fill(canvas, pool, 1, (px, py) => {
    const distance = Math.hypot((px - x) / 110, (py - ground - 24) / 20)
    return distance > 1 ? undefined : 0.85 - 0.3 * distance
  })
}

function crack(canvas: Canvas, random: Random): void {
  wall(canvas, random)
  let at: readonly [number, number] = [canvas.width * (0.25 + 0.3 * random.fraction()), 0]
  while (at[1] < canvas.height) {
    const next = [at[0] + random.integer(-18, 24), at[1] + random.integer(14, 30)] as const
    rod(canvas, at, next, { radius: 2 + 3 * random.fraction(), hue: 0, light: 0.06 })
    if (random.chance(0.3)) {
      rod(canvas, at, [at[0] + random.integer(-46, 46), at[1] + random.integer(10, 40)], {
        radius: 1.5,
        hue: 0,
        light: 0.1,
      })
    }
    at = next
  }
  const ruler = { left: canvas.width * 0.72, right: canvas.width * 0.8, top: 30, bottom: canvas.height - 30 }
  plate(canvas, ruler, 2, 1)
  for (let y = 40; y < canvas.height - 34; y += 12) {
    const width = (y - 40) % 60 === 0 ? 20 : 11
    fill(canvas, { left: ruler.left, right: ruler.left + width, top: y, bottom: y + 2 }, 0, () => 0.05)
  }
}

function panel(canvas: Canvas, random: Random): void {
  wall(canvas, random)
  const box = { left: 74, top: 34, right: canvas.width - 74, bottom: canvas.height - 30 }
  plate(canvas, box, 1, 0.75)
  for (let index = 0; index < 12; index++) {
    const [x, y] = [box.left + 44 + (index % 4) * 56, box.top + 46 + Math.floor(index / 4) * 52]
    disc(canvas, [x, y], { radius: 17, hue: 1, light: 0.45 })
    const isLit = random.chance(0.35)
    disc(canvas, [x, y], { radius: 12, hue: isLit ? 2 : 0, light: isLit ? 1.2 : 0.35 })
  }
  const y = box.bottom - 48
  plate(canvas, { left: box.left + 26, top: y - 16, right: box.left + 116, bottom: y + 24 }, 0, 0.3)
  rod(canvas, [box.right - 66, y + 20], [box.right - 40, y - 24], { radius: 8, hue: 2, light: 0.9 })
  disc(canvas, [box.right - 66, y + 18], { radius: 15, hue: 1, light: 0.5 })
}

function tank(canvas: Canvas, random: Random): void {
  const { width, height } = canvas
  fill(canvas, { left: 0, top: 0, right: width, bottom: height }, 0, (_, y) => 0.98 - (0.35 * y) / height)
  const ground = floor(canvas)
  const x = width * (0.38 + 0.24 * random.fraction())
  const top = height * (0.16 + 0.1 * random.fraction())
  rod(canvas, [x, top], [x, ground], { radius: 112, hue: 1, light: 0.95 })
  for (let y = top + 30; y < ground; y += 46) {
    fill(canvas, { left: x - 112, right: x + 112, top: y, bottom: y + 3 }, 1, () => 0.4)
  }
  const streak = x + random.integer(-50, 20)
  rod(canvas, [streak, top + 34], [streak + 4, ground - 20], { radius: 7, hue: 2, light: 0.55 })
  for (const rail of [60, 84]) rod(canvas, [x + rail, top - 20], [x + rail, ground], { radius: 3, hue: 0, light: 0.2 })
  for (let y = top; y < ground; y += 17) rod(canvas, [x + 60, y], [x + 84, y], { radius: 2, hue: 0, light: 0.2 })
}

export const SCENES: readonly Scene[] = [gauge, valve, leak, crack, panel, tank]
