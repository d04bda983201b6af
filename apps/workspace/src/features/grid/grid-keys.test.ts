import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { actionOfKey, type GridAction, type GridKeyState } from './grid-keys.ts'
import { selectAfterEdit, type Selection } from './selection.ts'

const size = { rows: 100, columns: 5, page: 20 }
const at = (row: number, column: number): Selection => ({ active: { row, column }, anchor: { row, column } })
const state = (more: Partial<GridKeyState> = {}): GridKeyState => ({
  selection: at(10, 2),
  size,
  canUpdate: true,
  canDelete: true,
  hasActiveRow: true,
  isRecordOpen: false,
  isChecking: false,
  ...more,
})
const press = (keys: string, more: Partial<GridKeyState> = {}): GridAction | undefined => {
  const parts = keys.split('+')
  const key = parts.at(-1) === 'Space' ? ' ' : (parts.at(-1) ?? '')
  const [isShift, isMod, isAlt] = ['Shift', 'Mod', 'Alt'].map((name) => parts.includes(name))
  return actionOfKey({ key, isShift: isShift === true, isMod: isMod === true, isAlt: isAlt === true }, state(more))
}

describe('a key in the grid', () => {
  test.each<[string, GridAction | undefined]>([
    ['ArrowDown', { kind: 'select', selection: at(11, 2) }],
    ['Tab', { kind: 'select', selection: at(10, 3) }],
    ['Shift+Tab', { kind: 'select', selection: at(10, 1) }],
    ['Enter', { kind: 'edit', typed: undefined }],
    ['F2', { kind: 'edit', typed: undefined }],
    ['x', { kind: 'edit', typed: 'x' }],
    ['Shift+X', { kind: 'edit', typed: 'X' }],
    ['Space', { kind: 'toggle_record' }],
    ['Shift+Space', { kind: 'check', selection: { active: { row: 10, column: 4 }, anchor: { row: 10, column: 0 } } }],
    ['Delete', { kind: 'clear' }],
    ['Backspace', { kind: 'clear' }],
    ['Mod+Enter', { kind: 'open_page' }],
    ['Mod+d', { kind: 'fill_down' }],
    ['Mod+D', { kind: 'fill_down' }],
    ['Mod+Backspace', { kind: 'delete_rows' }],
  ])('%s', (keys, action) => {
    expect(press(keys)).toEqual(action)
  })

  test.each(['Mod+c', 'Mod+v', 'Mod+z', 'Alt+ArrowLeft', 'Alt+x', 'Alt+Enter', 'Escape', 'F5', 'Shift', 'Dead'])(
    '%s is left to the browser',
    (keys) => {
      expect(press(keys)).toBeUndefined()
    },
  )

  test('Tab leaves the grid at both ends of a row', () => {
    expect(press('Tab', { selection: at(10, 4) })).toBeUndefined()
    expect(press('Shift+Tab', { selection: at(10, 0) })).toBeUndefined()
  })

  test('Escape first gives up the range, then closes the open record', () => {
    const selection = { active: { row: 12, column: 3 }, anchor: { row: 10, column: 2 } }
    expect(press('Escape', { selection, isRecordOpen: true })).toEqual({ kind: 'select', selection: at(12, 3) })
    expect(press('Escape', { isRecordOpen: true })).toEqual({ kind: 'close_record' })
  })

  test('once records are checked, Space checks the active one and Escape unchecks all', () => {
    expect(press('Space', { isChecking: true })).toEqual({ kind: 'check', selection: at(10, 2) })
    expect(press('Escape', { isChecking: true, isRecordOpen: true })).toEqual({ kind: 'uncheck_all' })
  })

  test('a table that cannot be written offers no key that writes, whatever the key', () => {
    const keys = fc.record({
      key: fc.constantFrom('d', 'D', 'Delete', 'Backspace', 'Enter', ' ', 'a', 'Escape', 'Tab', 'Home'),
      isShift: fc.boolean(),
      isMod: fc.boolean(),
      isAlt: fc.boolean(),
    })
    fc.assert(
      fc.property(keys, (pressed) => {
        const kind = actionOfKey(pressed, state({ canUpdate: false, canDelete: false }))?.kind
        expect(['clear', 'fill_down', 'delete_rows']).not.toContain(kind)
      }),
    )
  })

  test('a row that has not been read opens no page', () => {
    expect(press('Mod+Enter', { hasActiveRow: false })).toBeUndefined()
  })
})

describe('after an edit', () => {
  test.each([
    ['stay', at(10, 2)],
    ['down', at(11, 2)],
    ['up', at(9, 2)],
    ['right', at(10, 3)],
    ['left', at(10, 1)],
  ] as const)('%s', (after, selection) => {
    expect(selectAfterEdit({ row: 10, column: 2 }, after, size)).toEqual(selection)
  })

  test('the active cell stays in the grid', () => {
    expect(selectAfterEdit({ row: 99, column: 4 }, 'down', size)).toEqual(at(99, 4))
    expect(selectAfterEdit({ row: 0, column: 0 }, 'left', size)).toEqual(at(0, 0))
  })
})
