// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { FieldValue } from '../../lib/fields/field.ts'
import { testField } from '../../lib/fields/test-fields.test-support.ts'
import { layOut } from './grid-layout.ts'
import { type CellEdit, useCellEdit } from './use-cell-edit.ts'
import type { Selection } from './selection.ts'
import type { GridRow } from './window-cache.ts'

const fields = [testField('points'), testField('urgent'), testField('state')]
const { columns } = layOut(fields)
const rows: readonly GridRow[] = [1, 2, 3].map((points) => ({ id: `t${points}`, points, urgent: 0, state: 'open' }))

/** Opens the grid's edit over the first three rows of a column. */
function editOf(column: number, lastRow: number): { edit: () => CellEdit; stored: unknown[]; selected: Selection[] } {
  const stored: unknown[] = []
  const selected: Selection[] = []
  const { result } = renderHook(() =>
    useCellEdit({
      windows: {
        row: (index: number) => rows[index],
        indexOf: (id: string) => rows.findIndex((row) => row.id === id),
      } as Parameters<typeof useCellEdit>[0]['windows'],
      columns,
      size: { rows: rows.length, columns: columns.length, page: 10 },
      selection: { anchor: { row: 0, column }, active: { row: lastRow, column } },
      edits: {
        setCell: async (row: GridRow, _: unknown, value: FieldValue) => void stored.push([row.id, value]),
        setCells: async (range: { firstRow: number; lastRow: number }, _: unknown, value: FieldValue) =>
          void stored.push([range.firstRow, range.lastRow, value]),
      } as unknown as Parameters<typeof useCellEdit>[0]['edits'],
      whyReadOnly: () => undefined,
      select: (next) => selected.push(next),
    }),
  )
  return { edit: () => result.current, stored, selected }
}

function commit(edit: () => CellEdit, value: FieldValue, after: Parameters<CellEdit['commit']>[1]): void {
  act(() => edit().start(undefined))
  act(() => edit().commit(value, after))
}

test('what is entered goes into all selected cells, which stay selected', () => {
  const { edit, stored, selected } = editOf(0, 2)
  commit(edit, 9, 'down')
  expect(stored).toEqual([[0, 2, 9]])
  expect(selected).toEqual([{ anchor: { row: 0, column: 0 }, active: { row: 2, column: 0 } }])
})

test('a checkbox is set in all selected cells', () => {
  const { edit, stored } = editOf(1, 2)
  act(() => edit().start(undefined))
  expect(stored).toEqual([[0, 2, 1]])
})

test('a text that is left unchanged changes no cell, a choice that is taken again does', () => {
  const text = editOf(0, 2)
  commit(text.edit, 3, 'stay')
  expect(text.stored).toEqual([])
  const choice = editOf(2, 2)
  commit(choice.edit, 'open', 'stay')
  expect(choice.stored).toEqual([[0, 2, 'open']])
})

test('one selected cell is stored alone, and the next one becomes active', () => {
  const { edit, stored, selected } = editOf(0, 0)
  commit(edit, 9, 'down')
  expect(stored).toEqual([['t1', 9]])
  expect(selected).toEqual([{ anchor: { row: 1, column: 0 }, active: { row: 1, column: 0 } }])
})
