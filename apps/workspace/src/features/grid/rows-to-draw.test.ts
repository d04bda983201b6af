import { expect, test } from 'vitest'
import { rowsAhead, rowsToDraw } from './rows-to-draw.ts'

const PAGE = 20
/** Converts rows per frame to rows per millisecond. */
const speed = (perFrame: number): number => (perFrame * 60) / 1_000

test('a grid that stands still or moves slowly draws nothing ahead', () => {
  expect([rowsAhead(0, PAGE), rowsAhead(speed(0.5), PAGE)]).toEqual([0, 0])
})

test('the faster it is scrolled the more is drawn ahead, in its direction', () => {
  expect([3, 7, 11, 19].map((rows) => rowsAhead(speed(rows), PAGE))).toEqual([8, 16, 24, 24])
  expect(rowsAhead(speed(-7), PAGE)).toBe(-16)
})

test('where pages go by nothing is drawn ahead of what is in sight', () => {
  expect(rowsAhead(speed(40), PAGE)).toBe(0)
})

test('rows are drawn around the visible ones and ahead of them, as far as the view has any', () => {
  expect(rowsToDraw({ firstRow: 100, pageRows: PAGE, ahead: 8 }, 6, 1_000)).toEqual({ first: 94, last: 134 })
  expect(rowsToDraw({ firstRow: 100, pageRows: PAGE, ahead: -8 }, 6, 1_000)).toEqual({ first: 86, last: 126 })
  expect(rowsToDraw({ firstRow: 0, pageRows: PAGE, ahead: 0 }, 6, 10)).toEqual({ first: 0, last: 9 })
  expect(rowsToDraw({ firstRow: 0, pageRows: PAGE, ahead: 0 }, 6, 0)).toEqual({ first: 0, last: -1 })
})
