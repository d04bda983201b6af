import { expect, test } from 'vitest'
import { EDGE_PX, GAP_PX, galleryLayout, placeAfter } from './gallery-layout.ts'

test('as many cards stand side by side as have room, and fill it', () => {
  for (const width of [320, 390, 768, 1024, 1440]) {
    const { columns, cardPx } = galleryLayout(width, 4, true)
    const used = columns * cardPx + (columns - 1) * GAP_PX + 2 * EDGE_PX
    expect(used).toBeLessThanOrEqual(width)
    expect(used).toBeGreaterThan(width - columns - 1)
  }
  expect([320, 390, 1024, 1440].map((width) => galleryLayout(width, 4, true).columns)).toEqual([1, 2, 4, 6])
})

test('a card has room for its facts and, where the table has photos, for one', () => {
  expect(galleryLayout(1024, 4, true).rowPx).toBeGreaterThan(galleryLayout(1024, 1, true).rowPx)
  expect(galleryLayout(1024, 9, true).rowPx).toBe(galleryLayout(1024, 4, true).rowPx)
  expect(galleryLayout(1024, 4, false).coverPx).toBe(0)
})

test('arrow keys go from card to card and stop at the ends', () => {
  expect(placeAfter('ArrowRight', 0, 3, 5)).toBe(1)
  expect(placeAfter('ArrowDown', 1, 3, 5)).toBe(4)
  expect(placeAfter('ArrowDown', 2, 3, 5)).toBeUndefined()
  expect(placeAfter('ArrowUp', 1, 3, 5)).toBeUndefined()
  expect(placeAfter('a', 1, 3, 5)).toBeUndefined()
})
