import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GUTTER_PX, HEADER_PX } from './grid-layout.ts'
import { scrollToCell } from './scroll-to-cell.ts'

const view = { clientHeight: HEADER_PX + 400, clientWidth: GUTTER_PX + 600 }

test('any cell that fits is whole in sight, below the header and beside the sticky column', () => {
  const place = fc.record({
    scrollTop: fc.nat(50_000),
    scrollLeft: fc.nat(5_000),
    row: fc.nat(2_000),
    left: fc.nat(6_000),
    width: fc.integer({ min: 40, max: 320 }),
    stickyPx: fc.constantFrom(0, 200, 280),
  })
  fc.assert(
    fc.property(place, ({ scrollTop, scrollLeft, row, left, width, stickyPx }) => {
      const cell = { top: row * 34, height: 34, left: stickyPx + left, width }
      const to = scrollToCell({ ...view, scrollTop, scrollLeft }, cell, stickyPx)
      expect(cell.top).toBeGreaterThanOrEqual(to.top)
      expect(cell.top + cell.height).toBeLessThanOrEqual(to.top + 400)
      expect(cell.left).toBeGreaterThanOrEqual(to.left + stickyPx)
      expect(cell.left + width).toBeLessThanOrEqual(to.left + 600)
    }),
  )
})

test('a cell that is in sight scrolls nothing', () => {
  const cell = { top: 340, height: 34, left: 300, width: 100 }
  expect(scrollToCell({ ...view, scrollTop: 300, scrollLeft: 50 }, cell, 200)).toEqual({ top: 300, left: 50 })
})

test('the sticky column itself is in sight wherever the grid is scrolled to', () => {
  const cell = { top: 0, height: 34, left: 0, width: 280 }
  expect(scrollToCell({ ...view, scrollTop: 0, scrollLeft: 900 }, cell, 280)).toEqual({ top: 0, left: 900 })
})

test('a cell wider than the view shows its beginning', () => {
  const cell = { top: 0, height: 34, left: 1_000, width: 900 }
  expect(scrollToCell({ ...view, scrollTop: 0, scrollLeft: 0 }, cell, 200).left).toBe(800)
})
