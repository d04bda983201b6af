import type { ColumnDescriptor, SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'
import { expect, test } from 'vitest'
import { fieldsOf } from '../../lib/fields/field.ts'
import { sectionsOf } from './record-sections.ts'

const column = (name: string, type = 'text', rest: Partial<ColumnDescriptor> = {}): ColumnDescriptor => ({
  name,
  type,
  local: 'text',
  nullable: true,
  hasDefault: false,
  generated: false,
  ...rest,
})
const table = (name: string, columns: readonly ColumnDescriptor[]): TableDescriptor => ({
  name,
  schema: 'public',
  table: name,
  columns: [column('id', 'uuid'), ...columns],
  can: { insert: true, update: true, delete: true },
  indexes: [],
})

test('who and when stand beside what, computed values and what the database keeps below', () => {
  const visits = table('visits', [
    column('title'),
    column('site', 'uuid', { references: { table: 'sites', column: 'id' } }),
    column('visitor', 'uuid', { references: { table: 'people', column: 'id' } }),
    column('day', 'date'),
    column('started', 'timestamp with time zone'),
    column('hours', 'numeric'),
    column('cost', 'numeric', { generated: true }),
    column('created_at', 'timestamp with time zone'),
  ])
  const people = table('people', [column('name'), column('user_id', 'uuid')])
  const schema: SchemaDescriptor = { version: '1', tables: [visits, people, table('sites', [column('name')])] }
  const { main, beside, kept } = sectionsOf(fieldsOf(visits, schema), schema)
  expect(main.map(({ name }) => name)).toEqual(['title', 'site', 'hours'])
  expect(beside.map(({ name }) => name)).toEqual(['visitor', 'day', 'started'])
  expect(kept.map(({ name }) => name)).toEqual(['cost', 'id', 'created_at'])
})
