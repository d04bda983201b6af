import { expect, test } from 'vitest'
import type { ColumnDescriptor, SchemaDescriptor } from '@holdfast/protocol'
import { guardsOfSchema, linksOfSchema } from './column-rules.ts'
import { toLocalSchema } from './to-local-schema.ts'

const column = (name: string, more: Partial<ColumnDescriptor> = {}): ColumnDescriptor => ({
  name,
  local: 'text',
  type: 'text',
  nullable: true,
  hasDefault: false,
  generated: false,
  ...more,
})

const descriptor: SchemaDescriptor = {
  version: '1',
  tables: [
    {
      name: 'tasks',
      schema: 'public',
      table: 'tasks',
      can: { insert: true, update: true, delete: true },
      columns: [
        column('id'),
        column('title'),
        column('points', { local: 'integer' }),
        column('state', { choices: ['open', 'done'], guard: 'column' }),
        column('status'),
        column('site_id', { references: { table: 'sites', column: 'id' } }),
        column('TITLE'),
      ],
      indexes: [['site_id'], ['gone']],
    },
  ],
}

test('a table becomes a view with its columns but the id, its indexes and its guards', () => {
  const tasks = toLocalSchema(descriptor).tables.find((table) => table.name === 'tasks')
  expect(tasks?.columns.map((entry) => `${entry.name} ${entry.type}`)).toEqual([
    'title TEXT',
    'points INTEGER',
    'state TEXT',
    'status TEXT',
    'site_id TEXT',
  ])
  expect(tasks?.indexes.map((index) => index.name)).toEqual(['by_site_id'])
  expect(tasks?.trackPrevious).toEqual({ columns: ['state'], onlyWhenChanged: true })
  expect(() => toLocalSchema(descriptor).validate()).not.toThrow()
})

test('no two names meet in SQLite, and one that an older server describes and SQLite does not take keeps no table away', () => {
  const table = (name: string, ...columns: readonly ColumnDescriptor[]) => ({
    name,
    schema: 'public',
    table: name,
    can: { insert: true, update: true, delete: true },
    columns: [column('id'), ...columns],
    indexes: [['on']],
  })
  const local = toLocalSchema({
    version: '1',
    tables: [
      table('a', column('on'), column('Ä'), column('ä'), column('.5'), column('_deleted'), column('ON')),
      table('a__by_on', column('on')),
      table('A__BY_ON', column('on')),
      table('ps_crud', column('on')),
      table('hf_local_drafts', column('on')),
    ],
  })
  const made = local.tables.filter(({ localOnly }) => !localOnly)
  expect(made.map(({ name, columns }) => [name, columns.map((one) => one.name)])).toEqual([
    ['a', ['on', 'Ä', 'ä']],
    ['a__by_on', ['on']],
  ])
  // The index would be `ps_data__a__by_on`, which is also the other table's data table.
  expect(made.map(({ indexes }) => indexes.map(({ name }) => name))).toEqual([[], ['by_on']])
})

test('links are the foreign keys', () => {
  const linksOf = linksOfSchema(descriptor)
  expect([...linksOf('tasks')]).toEqual([['site_id', 'sites']])
  expect([...linksOf('unknown')]).toEqual([])
})

test('a guarded row is tracked with every change, whichever of its columns that is about', () => {
  const [tasks] = descriptor.tables
  const columns = [...(tasks?.columns ?? []), column('version', { guard: 'row' })]
  const guarded = { version: '2', tables: tasks ? [{ ...tasks, columns }] : [] }
  const table = toLocalSchema(guarded).tables.find(({ name }) => name === 'tasks')
  expect(table?.trackPrevious).toEqual({ columns: ['state', 'version'], onlyWhenChanged: false })
  const guardOf = guardsOfSchema(guarded)
  expect([
    guardOf('tasks', 'version'),
    guardOf('tasks', 'state'),
    guardOf('tasks', 'title'),
    guardOf('x', 'y'),
  ]).toEqual(['row', 'column', undefined, undefined])
})
