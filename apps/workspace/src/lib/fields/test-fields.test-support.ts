import type { ColumnDescriptor, SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'
import { type Field, fieldsOf } from './field.ts'

/** A typical column of the given type. */
export function testColumn(name: string, type: string, more: Partial<ColumnDescriptor> = {}): ColumnDescriptor {
  const local = /int$|integer|boolean/.test(type) ? 'integer' : type === 'double precision' ? 'real' : 'text'
  return { name, local, type, nullable: true, hasDefault: false, generated: false, ...more }
}

export function testTable(name: string, columns: readonly ColumnDescriptor[]): TableDescriptor {
  return {
    name,
    schema: 'public',
    table: name,
    columns: [testColumn('id', 'uuid', { nullable: false, hasDefault: true }), ...columns],
    can: { insert: true, update: true, delete: true },
    indexes: [],
  }
}

export const TEST_SITES = testTable('sites', [testColumn('name', 'text')])

export const TEST_TASKS = testTable('tasks', [
  testColumn('title', 'text', { nullable: false }),
  testColumn('state', 'task_state', { choices: ['open', 'doing', 'to_verify'], nullable: false, hasDefault: true }),
  testColumn('site_id', 'uuid', { references: { table: 'sites', column: 'id' } }),
  testColumn('points', 'integer'),
  testColumn('cost', 'numeric(6,2)'),
  testColumn('ratio', 'double precision'),
  testColumn('due_on', 'date'),
  testColumn('seen_at', 'timestamp with time zone'),
  testColumn('urgent', 'boolean'),
  testColumn('tags', 'text[]'),
  testColumn('contact_email', 'text'),
  testColumn('website', 'text'),
  testColumn('detail', 'text'),
])

export const TEST_SCHEMA: SchemaDescriptor = { version: '1', tables: [TEST_TASKS, TEST_SITES] }

export const TEST_FIELDS = fieldsOf(TEST_TASKS, TEST_SCHEMA)

export function testField(name: string): Field {
  const field = TEST_FIELDS.find((one) => one.name === name)
  if (!field) throw new Error(`the test table has no field ${name}`)
  return field
}
