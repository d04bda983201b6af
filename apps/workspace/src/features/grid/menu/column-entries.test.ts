import { expect, test } from 'vitest'
import { TEST_FIELDS, TEST_TASKS, testField } from '../../../lib/fields/test-fields.test-support.ts'
import { toTableInfo } from '../../../lib/data/tables.ts'
import { layOut } from '../grid-layout.ts'
import { parseSorts } from '../query/sort.ts'
import { columnEntries } from './column-entries.tsx'
import type { GridMenuProps, MenuEntry } from './menu-entries.ts'

const fields = [testField('title'), testField('state'), testField('points'), testField('detail')]
const { columns } = layOut(fields)

/** Opens the menu of a column in a view with settings. */
function menuOf(
  name: string,
  settings: { readonly group?: string; readonly sort?: string } = {},
  more: Partial<GridMenuProps> = {},
): { readonly entries: readonly MenuEntry[]; readonly set: unknown[] } {
  const set: unknown[] = []
  const place = fields.findIndex((field) => field.name === name)
  const column = columns[place]
  if (!column) throw new Error(`there is no column ${name}`)
  const view = {
    settings,
    query: { fields: TEST_FIELDS, sorts: parseSorts(settings.sort) },
    shown: fields,
    filter: { kind: 'all', nodes: [] },
    set: (...setting: unknown[]) => set.push(setting),
  } as unknown as GridMenuProps['view']
  const grid = { table: toTableInfo(TEST_TASKS) } as GridMenuProps['grid']
  const props = { view, grid, target: { row: undefined, column: place, x: 0, y: 0 }, frozen: 1, ...more }
  return { entries: columnEntries(props as GridMenuProps, column, () => undefined), set }
}

function run({ entries }: ReturnType<typeof menuOf>, id: string): void {
  const entry = entries.find((one) => one.id === id)
  if (!entry) throw new Error(`the menu has no entry ${id}`)
  entry.run()
}

test.each([
  ['freeze', 'points', {}, ['freeze', '3']],
  ['unfreeze', 'points', {}, ['freeze', '0']],
  ['group', 'state', {}, ['group', 'state']],
  ['group', 'state', { group: 'state,-points' }, ['group', '-points']],
  ['group', 'state', { group: 'state' }, ['group', undefined]],
] as const)('%s of %s in a view with %j', (id, name, settings, expected) => {
  const menu = menuOf(name, settings)
  run(menu, id)
  expect(menu.set).toEqual([expected])
})

test('only fields with few values can be grouped by, and only a sorted column can be unsorted', () => {
  const ids = (name: string, sort?: string): readonly string[] =>
    menuOf(name, sort === undefined ? {} : { sort }).entries.map(({ id }) => id)
  expect(ids('title')).not.toContain('group')
  expect(ids('points')).not.toContain('unsorted')
  expect(ids('points', '-points')).toContain('unsorted')
})

test('another feature adds its entries after a line', () => {
  const changed: string[] = []
  const menu = menuOf(
    'points',
    {},
    {
      columnActions: (table, field) => [
        { id: 'edit-field', label: 'Edit field', run: () => changed.push(`${table.name}.${field.name}`) },
      ],
    },
  )
  expect(menu.entries.slice(-2).map(({ id, isLast }) => [id, isLast])).toEqual([
    ['hide', true],
    ['edit-field', undefined],
  ])
  run(menu, 'edit-field')
  expect(changed).toEqual(['tasks.points'])
})
