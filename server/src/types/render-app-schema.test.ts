import { expect, test } from 'vitest'
import type { ColumnDescriptor, TableDescriptor } from '@holdfast/protocol'
import { renderAppSchema } from './render-app-schema.ts'

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

test('a table has its columns but the id, and its indexes', () => {
  const notes = tableOf('notes', [columnOf('id'), columnOf('done', 'integer'), columnOf('due on')], {
    indexes: [['done'], ['id']],
  })
  expect(renderAppSchema({ version: '1', tables: [notes] }))
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

test('names that no constant can have get others, each its own', () => {
  const names = ['class', 'due on', 'due_on', '2024', "it's"]
  const text = renderAppSchema({ version: '1', tables: names.map((name) => tableOf(name, [columnOf('a')])) })
  expect([...text.matchAll(/^const (\S+)/gm)].map((found) => found[1])).toEqual([
    'class_',
    'due_on',
    'due_on_',
    '_2024_',
    'it_s',
  ])
  expect(text).toContain(String.raw`  'it\'s': it_s,`)
})
