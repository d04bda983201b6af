import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testField } from '../../lib/fields/test-fields.test-support.ts'
import { copyCells, pastedCells } from './copied-cells.ts'
import { readRange } from './range-rows.ts'
import { CHANGES_MAX } from '../../lib/records/apply-command.ts'
import { deleteChanges } from './edit-changes.ts'
import { TEST_TASKS } from '../../lib/fields/test-fields.test-support.ts'
import type { GridRow } from './window-cache.ts'

const title = testField('title')
const site = testField('site_id')
const row = (id: string, more: Partial<GridRow> = {}): GridRow => ({ id, title: null, site_id: null, ...more })

describe('copied cells', () => {
  const copied = copyCells([row('t1', { title: 'Valve', site_id: 's1', '@site_id': 'Elmcroft' })], [title, site])

  test('are text for other programs: links by what they are called', () => {
    expect(copied.text).toBe('Valve\tElmcroft')
  })

  test('come back with their values, also when Windows has changed the ends of lines', () => {
    const two = copyCells([row('t1', { title: 'a' }), row('t2', { title: 'b' })], [title])
    expect(pastedCells(two.text.replaceAll('\n', '\r\n'), two.html, two)).toBe(two.cells)
    expect(pastedCells(copied.text, '', copied)[0]?.[1]?.copied).toEqual({ field: site, value: 's1' })
  })

  test('are forgotten for any other text', () => {
    expect(pastedCells('Valve\tOakridge', '', copied)).toEqual([[{ text: 'Valve' }, { text: 'Oakridge' }]])
    expect(pastedCells('x', '', undefined)).toEqual([[{ text: 'x' }]])
  })

  test('of a spreadsheet have the numbers behind what is shown, and its own lines where the text has none', () => {
    const html = '<table><tr><td>a</td><td x:num="12.345">12</td></tr></table>'
    expect(pastedCells('a\t12\r\n', html, undefined)).toEqual([[{ text: 'a' }, { text: '12', number: '12.345' }]])
    expect(pastedCells('', html, undefined)).toEqual([[{ text: 'a' }, { text: '12', number: '12.345' }]])
    expect(pastedCells('', '', undefined)).toEqual([])
  })

  test('keep every text through another program, whatever is in it', () => {
    const texts = fc.array(fc.array(fc.string(), { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(texts, (cells) => {
        const rows = cells.map(([first, second], index) => row(`t${index}`, { title: first, points: second }))
        const { text } = copyCells(rows, [title, { ...title, name: 'points' }])
        const trimmed = cells.map((line) => line.map((cell) => cell.replaceAll('\r\n', '\n').replaceAll('\r', '\n')))
        expect(pastedCells(text, '', undefined).map((line) => line.map((cell) => cell.text))).toEqual(trimmed)
      }),
    )
  })
})

describe('the rows of a range', () => {
  const known = [row('a'), row('b'), row('c')]
  const read: (readonly [number, number])[] = []
  const windows = {
    row: (index: number) => known[index],
    read: async (first: number, last: number) => {
      read.push([first, last])
      return [row('read')]
    },
  }

  test('are taken as they are when they are all here, and read whole when one is not', async () => {
    expect(await readRange(windows, { firstRow: 1, lastRow: 2 })).toEqual([known[1], known[2]])
    expect(read).toEqual([])
    expect(await readRange(windows, { firstRow: 1, lastRow: 3 })).toEqual([row('read')])
    expect(read).toEqual([[1, 3]])
  })

  test('may be as many as one command takes, and no more', async () => {
    expect(await readRange(windows, { firstRow: 5, lastRow: 4 + CHANGES_MAX })).toEqual([row('read')])
    expect(await readRange(windows, { firstRow: 5, lastRow: 5 + CHANGES_MAX })).toBe('too_many')
  })
})

test('a deletion remembers every column but the id, for the undo', () => {
  const [change] = deleteChanges(TEST_TASKS, [row('t1', { title: 'a', '@site_id': 'label' })])
  expect(change).toMatchObject({ kind: 'delete', table: 'tasks', id: 't1', values: { title: 'a', points: null } })
  expect(Object.keys(change?.kind === 'delete' ? change.values : {})).toEqual(
    TEST_TASKS.columns.map(({ name }) => name).filter((name) => name !== 'id'),
  )
})
