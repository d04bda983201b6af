import fc from 'fast-check'
import { expect, test } from 'vitest'
import { layoutTables, NODE_WIDTH } from './layout-tables.ts'

const edge = (text: string) => ({ from: text[0] ?? '', to: text[1] ?? '' })
const nodes = (ids: string) => [...ids].map((id) => ({ id, height: 50 }))

test('a table stands to the right of those that it refers to', () => {
  const { positions } = layoutTables(nodes('abcd'), ['cb', 'ba', 'ca', 'da'].map(edge))
  const x = (id: string): number => positions.get(id)?.x ?? Number.NaN
  expect(x('a')).toBeLessThan(x('b'))
  expect(x('b')).toBeLessThan(x('c'))
  expect(x('d')).toBe(x('b'))
})

test('tables without relations come last, also one that refers to itself', () => {
  const { positions } = layoutTables(nodes('xyab'), ['ba', 'yy'].map(edge))
  const x = (id: string): number => positions.get(id)?.x ?? Number.NaN
  expect(x('b')).toBeLessThan(x('x'))
  expect(x('y')).toBe(x('x'))
})

test('every table has a place inside the diagram, and none covers another, whatever the relations', () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 2 }), { maxLength: 80 })
  fc.assert(
    fc.property(
      ids,
      fc.array(fc.tuple(fc.nat(), fc.nat())),
      fc.integer({ min: 30, max: 400 }),
      (names, pairs, height) => {
        const tables = names.map((id) => ({ id, height }))
        const at = (index: number): string => names[index % Math.max(1, names.length)] ?? ''
        const layout = layoutTables(
          tables,
          pairs.map(([from, to]) => ({ from: at(from), to: at(to) })),
        )
        expect(layout.positions.size).toBe(names.length)
        const places = [...layout.positions.values()]
        for (const { x, y } of places) {
          expect(x + NODE_WIDTH).toBeLessThanOrEqual(layout.width)
          expect(y + height).toBeLessThanOrEqual(layout.height)
        }
        const overlaps = places.some((one, index) =>
          places.some((other, next) => next > index && one.x === other.x && Math.abs(one.y - other.y) < height),
        )
        expect(overlaps).toBe(false)
      },
    ),
    { numRuns: 60 },
  )
})

test('a cycle of references ends', () => {
  const { positions } = layoutTables(nodes('abc'), ['ab', 'bc', 'ca'].map(edge))
  expect(new Set([...positions.values()].map(({ x }) => x)).size).toBe(3)
})
