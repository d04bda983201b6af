import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assignSlots } from './row-slots.ts'
import { cellsIn, moveSelection, rangeOf, type Selection } from './selection.ts'

const size = { rows: 1000, columns: 8, page: 20 }
const at = (row: number, column: number): Selection => ({ active: { row, column }, anchor: { row, column } })
const press = (selection: Selection, keys: string): Selection | undefined => {
  const parts = keys.split('+')
  return moveSelection(
    selection,
    {
      key: parts.at(-1) === 'Space' ? ' ' : (parts.at(-1) ?? ''),
      isShift: parts.includes('Shift'),
      isMod: parts.includes('Mod'),
    },
    size,
  )
}

describe('keys in the grid', () => {
  test.each([
    ['ArrowDown', at(11, 3)],
    ['ArrowUp', at(9, 3)],
    ['ArrowLeft', at(10, 2)],
    ['ArrowRight', at(10, 4)],
    ['Home', at(10, 0)],
    ['End', at(10, 7)],
    ['Mod+Home', at(0, 0)],
    ['Mod+End', at(999, 7)],
    ['Mod+ArrowDown', at(999, 3)],
    ['Mod+ArrowLeft', at(10, 0)],
    ['PageDown', at(29, 3)],
    ['PageUp', at(0, 3)],
    ['Enter', undefined],
    ['a', undefined],
  ])('%s', (keys, expected) => {
    expect(press(at(10, 3), keys)).toEqual(expected)
  })

  test.each([
    ['Shift+ArrowDown', { firstRow: 10, lastRow: 11, firstColumn: 3, lastColumn: 3 }],
    ['Shift+Mod+ArrowUp', { firstRow: 0, lastRow: 10, firstColumn: 3, lastColumn: 3 }],
    ['Shift+End', { firstRow: 10, lastRow: 10, firstColumn: 3, lastColumn: 7 }],
    ['Shift+Space', { firstRow: 10, lastRow: 10, firstColumn: 0, lastColumn: 7 }],
    ['Mod+Space', { firstRow: 0, lastRow: 999, firstColumn: 3, lastColumn: 3 }],
    ['Mod+a', { firstRow: 0, lastRow: 999, firstColumn: 0, lastColumn: 7 }],
  ])('%s selects', (keys, range) => {
    const selection = press(at(10, 3), keys)
    expect(selection && rangeOf(selection)).toEqual(range)
  })

  test('never leaves the grid, and a range holds its anchor', () => {
    const keys = fc.constantFrom(
      'ArrowUp',
      'ArrowDown',
      'ArrowLeft',
      'ArrowRight',
      'PageUp',
      'PageDown',
      'Home',
      'End',
      'Shift+ArrowDown',
      'Shift+PageUp',
      'Shift+ArrowRight',
      'Mod+End',
    )
    fc.assert(
      fc.property(fc.array(keys), (presses) => {
        const selection = presses.reduce<Selection>((before, one) => press(before, one) ?? before, at(0, 0))
        const range = rangeOf(selection)
        expect(
          range.firstRow >= 0 && range.lastRow < size.rows && range.firstColumn >= 0 && range.lastColumn < size.columns,
        ).toBe(true)
        expect(cellsIn(range)).toBeGreaterThanOrEqual(1)
        expect([range.firstRow, range.lastRow]).toContain(selection.anchor.row)
      }),
    )
  })
})

describe('assignSlots', () => {
  test('keeps the slot of a row that stays and uses a free one for a row that comes', () => {
    const before = assignSlots(new Map(), [0, 1, 2])
    expect([...assignSlots(before, [1, 2, 3])]).toEqual([[1, 1], [2, 2], [3, 0]])
  }) // prettier-ignore

  test('never gives a slot twice and needs no more than there are rows', () => {
    fc.assert(
      fc.property(fc.array(fc.uniqueArray(fc.nat(50), { maxLength: 20 })), (views) => {
        let slots: ReadonlyMap<number, number> = new Map()
        let most = 0
        for (const rows of views) {
          const before = slots
          slots = assignSlots(before, rows)
          most = Math.max(most, rows.length)
          expect([...slots.keys()].toSorted((a, b) => a - b)).toEqual(rows.toSorted((a, b) => a - b))
          expect(new Set(slots.values()).size).toBe(rows.length)
          expect(Math.max(-1, ...slots.values())).toBeLessThan(Math.max(1, most))
          for (const row of rows) if (before.has(row)) expect(slots.get(row)).toBe(before.get(row))
        }
      }),
    )
  })
})
