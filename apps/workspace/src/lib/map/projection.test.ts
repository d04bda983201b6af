import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  boundsOf,
  fitTo,
  lineStep,
  linesBetween,
  moveBy,
  project,
  scaleOf,
  toScreen,
  unproject,
  zoomBy,
} from './projection.ts'

const SIZE = { width: 800, height: 600 }
const YORK = { lon: -1.08, lat: 53.96, zoom: 9 }
const place = fc.record({
  lon: fc.double({ min: -179, max: 179, noNaN: true }),
  lat: fc.double({ min: -80, max: 80, noNaN: true }),
})

test('a place comes back from its pixels', () => {
  expect(project({ lon: 0, lat: 0 }, 0)).toEqual({ x: 128, y: 128 })
  fc.assert(
    fc.property(place, fc.integer({ min: 1, max: 19 }), (one, zoom) => {
      const back = unproject(project(one, zoom), zoom)
      expect(back.lon).toBeCloseTo(one.lon, 6)
      expect(back.lat).toBeCloseTo(one.lat, 6)
    }),
  )
})

test('the place under a finger stays there while the map comes nearer', () => {
  const at = { x: 100, y: 500 }
  const { x, y } = at
  const under = moveBy(YORK, x - 400, y - 300)
  const seen = toScreen(under, zoomBy(YORK, 1.5, at, SIZE), SIZE)
  expect(seen.x).toBeCloseTo(100, 4)
  expect(seen.y).toBeCloseTo(500, 4)
})

test('a map that fits has all of it in the window', () => {
  const area = { west: -2, south: 53, east: 0.5, north: 55 }
  const seen = boundsOf(fitTo(area, SIZE), SIZE)
  expect(seen.west).toBeLessThan(area.west)
  expect(seen.east).toBeGreaterThan(area.east)
  expect(seen.south).toBeLessThan(area.south)
  expect(seen.north).toBeGreaterThan(area.north)
  expect(fitTo({ west: 1, east: 1, south: 2, north: 2 }, SIZE).zoom).toBe(15)
})

test('the scale bar has a round length that fits', () => {
  const { metres, pixels } = scaleOf(YORK, 100)
  expect(metres).toBe(10_000)
  expect(pixels).toBeGreaterThan(40)
  expect(pixels).toBeLessThanOrEqual(100)
})

test('lines of the ground stand some way apart', () => {
  expect(lineStep({ lon: 0, lat: 0, zoom: 9 }, 96)).toBe(0.5)
  expect(linesBetween(-1.3, 0.9, 0.5)).toEqual([-1, -0.5, 0, 0.5])
})
