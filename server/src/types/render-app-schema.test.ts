import { describe, expect, test } from 'vitest'
import type { ColumnDescriptor, TableDescriptor } from '@holdfast/protocol'
import { renderAppSchema, type SchemaChoice } from './render-app-schema.ts'

const columnOf = (name: string, local: ColumnDescriptor['local'] = 'text'): ColumnDescriptor => ({
  name,
  local,
  type: 'text',
  nullable: true,
  hasDefault: false,
  generated: false,
})

const tableOf = (name: string, columns: readonly ColumnDescriptor[], more: Partial<TableDescriptor> = {}) => ({
  name,
  schema: 'public',
  table: name,
  columns,
  can: { insert: true, update: true, delete: true },
  indexes: [],
  ...more,
})

const REST = { schema: [], restSchemas: ['public', 'holdfast'] }

test('a table has its columns but the id, and its indexes', () => {
  const notes = tableOf('notes', [columnOf('id'), columnOf('done', 'integer'), columnOf('due on')], {
    indexes: [['done'], ['id']],
  })
  expect(renderAppSchema({ version: '1', tables: [notes] }, REST))
    .toBe(`import { column, Schema, Table } from '@powersync/common'

// public.notes
const notes = new Table(
  {
    done: column.integer,
    'due on': column.text,
  },
  { indexes: { by_done: ['done'] } },
)

export const AppSchema = new Schema({
  notes,
})

export type Database = (typeof AppSchema)['types']
`)
})

test('no name ends the comment that it stands in', () => {
  const table = tableOf('a$0a$throw 1', [columnOf('b')], { table: 'a\nthrow 1\u2028' })
  const text = renderAppSchema({ version: '1', tables: [table] }, REST)
  expect(text).toContain('// public.a throw 1 , on devices a$0a$throw 1\n')
})

test('names that no constant can have get others, each its own', () => {
  const names = ['class', 'due on', 'due_on', '2024', "it's"]
  const text = renderAppSchema({ version: '1', tables: names.map((name) => tableOf(name, [columnOf('a')])) }, REST)
  expect([...text.matchAll(/^const (\S+)/gm)].map((found) => found[1])).toEqual([
    'class_',
    'due_on',
    'due_on_',
    '_2024_',
    'it_s',
  ])
  expect(text).toContain(String.raw`  'it\'s': it_s,`)
})

describe('schemas', () => {
  const tables = [
    tableOf('notes', [columnOf('a')]),
    tableOf('hf_views', [columnOf('a')], { schema: 'holdfast', table: 'views' }),
    tableOf('crm_people', [columnOf('a')], { schema: 'crm', table: 'people' }),
  ]
  const constantsOf = (choice: SchemaChoice): readonly string[] =>
    [...renderAppSchema({ version: '1', tables }, choice).matchAll(/^const (\S+)/gm)].map(([, name = '']) => name)

  test.each([
    { title: 'those of REST by default, without Holdfast itself', schema: [], expected: ['notes'] },
    { title: 'one that is named', schema: ['crm'], expected: ['crm_people'] },
    { title: 'those of Holdfast when they are named', schema: ['public', 'holdfast'], expected: ['notes', 'hf_views'] },
  ])('$title', ({ schema, expected }) => {
    expect(constantsOf({ ...REST, schema })).toEqual(expected)
  })

  test('one of which no table syncs is refused', () => {
    expect(() => constantsOf({ ...REST, schema: ['publik'] })).toThrow('No table of a schema "publik" syncs.')
  })
})
