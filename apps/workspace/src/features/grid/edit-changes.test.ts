import { describe, expect, test } from 'vitest'
import { fieldsOf } from '../../lib/fields/field.ts'
import { TEST_FIELDS, testColumn, testField, testTable } from '../../lib/fields/test-fields.test-support.ts'
import { changeRow } from './change-row.ts'
import { clearChanges, fillChanges, type PastedCell, pasteChanges, pasteInserts } from './edit-changes.ts'
import { type GridRow, shareRows } from './window-cache.ts'

const [title, points, site] = [testField('title'), testField('points'), testField('site_id')]
const ELM = '0190c0de-0000-7000-8000-000000000001'
const row = (id: string, values: Partial<GridRow> = {}): GridRow => ({
  id,
  title: `title of ${id}`,
  points: null,
  site_id: null,
  ...values,
})
const text = (...rows: readonly (readonly string[])[]): readonly (readonly PastedCell[])[] =>
  rows.map((cells) => cells.map((cell) => ({ text: cell })))
const paste = (input: Partial<Parameters<typeof pasteChanges>[0]>): ReturnType<typeof pasteChanges> =>
  pasteChanges({
    table: 'tasks',
    rows: [row('t1'), row('t2')],
    fields: [title, points],
    cells: [],
    linkIds: () => [],
    ...input,
  })

describe('pasting', () => {
  test('takes over the value of another field only if it is one of its choices', () => {
    const table = testTable('parts', [
      testColumn('material', 'text', { choices: ['steel', 'brass'] }),
      testColumn('lining', 'text', { choices: ['brass', 'rubber'] }),
    ])
    const byName = new Map(fieldsOf(table, { version: '1', tables: [table] }).map((field) => [field.name, field]))
    const [material, lining] = [byName.get('material') ?? title, byName.get('lining') ?? title]
    const pasted = (value: string): ReturnType<typeof paste> =>
      paste({ rows: [{ id: 'p1' }], fields: [lining], cells: [[{ text: value, copied: { field: material, value } }]] })
    expect(pasted('brass').changes).toMatchObject([{ values: { lining: 'brass' } }])
    expect(pasted('steel')).toMatchObject({ changes: [], refusals: [expect.stringMatching(/^Lining: .*Rubber/)] })
  })

  test('takes the number behind what a spreadsheet shows, unless the field keeps fewer digits', () => {
    const cost = testField('cost')
    const cells = [[{ text: '12.3', number: '12.25' }], [{ text: '0.3', number: '0.3333' }]]
    const { changes, refusals } = paste({ fields: [cost], cells })
    expect(changes.map(({ values }) => values['cost'])).toEqual(['12.25', '0.30'])
    expect(refusals).toEqual([])
  })

  test('makes records of rows that have all that one needs, and says what the others lack', () => {
    const cells = [...text(['Valve', '3', 'Elm'], ['', '4', ''], ['', '', ''], ['Pump', 'x', ''])]
    const added = pasteInserts({
      table: 'tasks',
      fields: [title, points, site],
      all: TEST_FIELDS,
      cells,
      linkIds: (_, name) => (name === 'Elm' ? [ELM] : []),
    })
    expect(added.changes).toMatchObject([
      { kind: 'insert', table: 'tasks', values: { title: 'Valve', points: 3, site_id: ELM } },
      { kind: 'insert', values: { title: 'Pump' } },
    ])
    expect(added.refusals).toEqual([expect.stringMatching(/^Title: /), expect.stringMatching(/^Points: /)])
  })

  test('changes each row once, with what was before', () => {
    expect(paste({ cells: text(['new', '3'], ['title of t2', '4']) })).toEqual({
      cells: 3,
      refusals: [],
      changes: [
        {
          kind: 'update',
          table: 'tasks',
          id: 't1',
          values: { title: 'new', points: 3 },
          before: { title: 'title of t1', points: null },
        },
        { kind: 'update', table: 'tasks', id: 't2', values: { points: 4 }, before: { points: null } },
      ],
    })
  })

  test('puts one cell into the whole range', () => {
    const { changes } = paste({ fields: [points], cells: text(['7']) })
    expect(changes.map((change) => change.values)).toEqual([{ points: 7 }, { points: 7 }])
  })

  test('leaves out what does not fit and says why', () => {
    expect(paste({ cells: text(['', 'many'], ['b', '5']) })).toMatchObject({
      refusals: ['Title: Title needs a value', 'Points: Enter a number'],
      changes: [{ id: 't2', values: { title: 'b', points: 5 } }],
    })
  })

  test('says how many values are to the right of the last field, and so are nowhere', () => {
    const { changes, refusals } = paste({ cells: text(['A', '1', 'lost', ''], ['B', '2', '', ' ']) })
    expect(changes).toHaveLength(2)
    expect(refusals).toEqual(['There is no field for it: it is to the right of the last one'])
  })

  test('finds linked records by their title, and takes the very value when it was copied here', () => {
    const id = '01931f60-0000-7000-8000-000000000001'
    const linkIds = (): readonly string[] => [id]
    expect(paste({ rows: [row('t1')], fields: [site], cells: text(['Elmcroft']), linkIds }).changes[0]?.values).toEqual(
      { site_id: id },
    )
    const copied: readonly (readonly PastedCell[])[] = [[{ text: 'Elmcroft', copied: { field: site, value: id } }]]
    expect(paste({ rows: [row('t1')], fields: [site], cells: copied }).changes[0]?.values).toEqual({ site_id: id })
    expect(paste({ rows: [row('t1')], fields: [title], cells: copied }).changes[0]?.values).toEqual({
      title: 'Elmcroft',
    })
  })
})

test.each([
  [[], 'Site: No record is called “Elm”'],
  [[ELM, '0190c0de-0000-7000-8000-000000000002'], 'Site: Several records are called “Elm”'],
])('a pasted name of %j records says so', (ids, refusal) => {
  const pasted = paste({ rows: [row('t1')], fields: [site], cells: text(['Elm']), linkIds: () => ids })
  expect(pasted).toMatchObject({ changes: [], refusals: [refusal] })
})

describe('a field that cannot be changed', () => {
  const fixed = { ...points, isEditable: false }
  const rows = [row('t1', { points: 1 }), row('t2', { points: 2 }), row('t3')]
  const refusal = 'Points: This field is filled in automatically'

  test.each([
    ['paste', paste({ rows, fields: [title, fixed], cells: text(['new', '1'], ['new', '1'], ['new', '']) }), 1],
    ['fill', fillChanges('tasks', rows, [title, fixed]), 2],
    ['clear', clearChanges('tasks', rows, [fixed]), 2],
  ])('counts in a %s for each cell that would have another value', (_, { refusals }, count) => {
    expect(refusals.filter((words) => words === refusal)).toHaveLength(count)
  })
})

describe('other edits', () => {
  test('a value that is there already is no change', () => {
    expect(changeRow('tasks', row('t1', { points: 3 }), { points: 3 })).toEqual([])
  })

  test('clearing skips what may not be empty', () => {
    const { changes, refusals } = clearChanges('tasks', [row('t1', { points: 3 })], [title, points])
    expect(changes).toMatchObject([{ values: { points: null }, before: { points: 3 } }])
    expect(refusals).toEqual(['Title: Title needs a value'])
  })

  test('filling down repeats the first row', () => {
    const { changes } = fillChanges('tasks', [row('t1', { points: 3 }), row('t2'), row('t3', { points: 3 })], [points])
    expect(changes).toMatchObject([{ id: 't2', values: { points: 3 } }])
  })

  test('filling down repeats several rows in turn', () => {
    const rows = [1, 2, null, null, null].map((value, index) => row(`t${index}`, { points: value }))
    const { changes } = fillChanges('tasks', rows, [points], 2)
    expect(changes.map(({ id, values }) => [id, values['points']])).toEqual([
      ['t2', 1],
      ['t3', 2],
      ['t4', 1],
    ])
  })
})

test('a row in which nothing changed stays the same object', () => {
  const old = [row('t1'), row('t2')]
  expect(shareRows(old, [row('t1'), row('t2')])).toBe(old)
  const next = shareRows(old, [row('t2'), row('t1', { points: 1 })])
  expect(next[0]).toBe(old[1])
  expect(next[1]).not.toBe(old[0])
})
