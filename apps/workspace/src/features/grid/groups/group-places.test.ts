import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TEST_FIELDS } from '../../../lib/fields/test-fields.test-support.ts'
import { GroupPlaces, type GroupRow, keyOf } from './group-places.ts'

interface Inner {
  readonly value: string | number | null
  readonly rows: number
  readonly isCollapsed: boolean
}
interface Outer {
  readonly value: string | number | null
  readonly isCollapsed: boolean
  readonly inner: readonly Inner[]
}

/** `1` and `"1"` are different groups, and so are null and an empty text. */
const value = fc.constantFrom(null, '', 'open', 'doing', 1, '1', 0)
const inner = fc.record({ value, rows: fc.integer({ min: 1, max: 4 }), isCollapsed: fc.boolean() })
const view = fc.uniqueArray(
  fc.record({
    value,
    isCollapsed: fc.boolean(),
    inner: fc.uniqueArray(inner, { selector: (one) => one.value, minLength: 1, maxLength: 4 }),
  }),
  { selector: (one) => one.value, maxLength: 5 },
)

const rowsOf = (outer: Outer): number => outer.inner.reduce((sum, { rows }) => sum + rows, 0)
const outerRow = (outer: Outer): GroupRow => ({ k0: outer.value, rows: rowsOf(outer) }) as unknown as GroupRow
const innerRow = (outer: Outer, { value: own, rows }: Inner): GroupRow =>
  ({ k0: outer.value, k1: own, rows }) as unknown as GroupRow

/** The expected content of each position, counted one by one. */
type Place = { readonly header: string; readonly above: number } | { readonly record: number; readonly group: string }

function placesOf(outers: readonly Outer[], levels: 1 | 2): readonly Place[] {
  const places: Place[] = []
  let above = 0
  const records = (group: string, rows: number): void => {
    for (let row = 0; row < rows; row++) places.push({ record: above++, group })
  }
  for (const outer of outers) {
    const key = keyOf(outerRow(outer), 1)
    places.push({ header: key, above })
    if (outer.isCollapsed) above += rowsOf(outer)
    else if (levels === 1) records(key, rowsOf(outer))
    else {
      for (const one of outer.inner) {
        const within = keyOf(innerRow(outer, one), 2)
        places.push({ header: within, above })
        if (one.isCollapsed) above += one.rows
        else records(within, one.rows)
      }
    }
  }
  return places
}

function open(outers: readonly Outer[], levels: 1 | 2): GroupPlaces {
  const collapsed = outers.flatMap((outer) => [
    ...(outer.isCollapsed ? [keyOf(outerRow(outer), 1)] : []),
    ...outer.inner.flatMap((one) => (one.isCollapsed ? [keyOf(innerRow(outer, one), 2)] : [])),
  ])
  const groups = [
    outers.map(outerRow),
    outers.flatMap((outer) => outer.inner.map((one) => innerRow(outer, one))),
  ].slice(0, levels)
  return new GroupPlaces({
    fields: TEST_FIELDS.slice(0, levels),
    groups,
    collapsed: new Set(collapsed),
    describe: (level, row) => ({ key: keyOf(row, level) }) as never,
    windowSql: (of, offset, limit) => ({
      text: JSON.stringify(of.map((row) => keyOf(row, levels))),
      values: [offset, limit],
    }),
  })
}

const levels = fc.constantFrom(1 as const, 2 as const)

describe('the places of a grouped view', () => {
  test('are headers and records as they are counted out one by one, whatever is collapsed', () => {
    fc.assert(
      fc.property(view, levels, (outers, count) => {
        const layout = open(outers, count)
        const expected = placesOf(outers, count)
        expect(layout.places).toBe(expected.length)
        expect(layout.records).toBe(outers.reduce((sum, outer) => sum + rowsOf(outer), 0))
        expected.forEach((place, at) => {
          const header = layout.groupAt(at) as { readonly key: string } | undefined
          expect(header?.key).toBe('header' in place ? place.header : undefined)
          expect(layout.recordAt(at)).toBe('header' in place ? place.above : place.record)
        })
        expect(layout.groupAt(expected.length)).toBeUndefined()
      }),
    )
  })

  test('a window reads the records of its places, from the first of them on, and no others', () => {
    fc.assert(
      fc.property(view, levels, fc.nat(30), fc.integer({ min: 1, max: 12 }), (outers, count, first, length) => {
        const layout = open(outers, count)
        const all = placesOf(outers, count)
        const shown = all.slice(first, first + length)
        const { sql, places } = layout.windowAt(first, length)
        expect(places).toEqual(shown.flatMap((place, at) => ('record' in place ? [at] : [])))
        const records = shown.flatMap((place) => ('record' in place ? [place] : []))
        const groups = [...new Set(records.map(({ group }) => group))]
        expect(sql === undefined ? [] : JSON.parse(sql.text)).toEqual(groups)
        // The offset counts from the first record of the first group.
        const start = all.findIndex((place) => 'record' in place && place.group === groups[0])
        if (sql) expect(sql.values).toEqual([all.indexOf(records[0] as Place) - start, records.length])
      }),
    )
  })

  test('the same header is the same object, so that it is drawn once', () => {
    const layout = open([{ value: 'open', isCollapsed: false, inner: [{ value: 1, rows: 2, isCollapsed: false }] }], 1)
    expect(layout.groupAt(0)).toBe(layout.groupAt(0))
  })
})
