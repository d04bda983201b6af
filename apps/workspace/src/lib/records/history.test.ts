import type { ColumnDescriptor, TableDescriptor } from '@holdfast/protocol'
import { expect, test } from 'vitest'
import { fieldsOf } from '../fields/field.ts'
import { fieldChanges } from './history.ts'

const column = (name: string, type: string, local: ColumnDescriptor['local'] = 'text'): ColumnDescriptor => ({
  name,
  type,
  local,
  nullable: true,
  hasDefault: false,
  generated: false,
})
const table: TableDescriptor = {
  name: 'actions',
  schema: 'public',
  table: 'actions',
  columns: [
    column('title', 'text'),
    column('priority', 'smallint', 'integer'),
    column('cost', 'numeric(10,2)'),
    column('urgent', 'boolean', 'integer'),
    column('started', 'timestamp with time zone'),
    column('created_by', 'uuid'),
    { ...column('No$2e$', 'text'), column: 'No.' },
  ],
  can: { insert: true, update: true, delete: true },
  indexes: [],
}
const fields = fieldsOf(table, { version: '1', tables: [table] })
const changed = (changes: object): readonly (readonly unknown[])[] =>
  fieldChanges({ changes: JSON.stringify(changes) }, fields).map(({ field, from, to }) => [field.name, from, to])

test('values come back in the form in which the device holds them', () => {
  expect(
    changed({
      title: { from: null, to: 'Leak' },
      priority: { from: '3', to: '1' },
      cost: { from: '10.50', to: null },
      urgent: { from: 'false', to: 'true' },
      started: { from: null, to: '2031-05-17T14:00:00.123456+02:00' },
    }),
  ).toEqual([
    ['title', null, 'Leak'],
    ['priority', 3, 1],
    ['cost', '10.50', null],
    ['urgent', 0, 1],
    ['started', null, '2031-05-17T12:00:00.123000Z'],
  ])
})

test('a field whose column has another name on the device is found by that in Postgres', () => {
  expect(changed({ 'No.': { from: '1', to: '2' }, No$2e$: { from: 'of', to: 'none' } })).toEqual([['No$2e$', '1', '2']])
  expect(fields.find(({ name }) => name === 'No$2e$')?.label).toBe('No.')
})

test('a field that is gone or kept by the database is left out, and a value that was too long is said to be', () => {
  expect(changed({ gone: { from: '1', to: '2' }, created_by: { from: null, to: 'x' } })).toEqual([])
  expect(fieldChanges({ changes: '{"title":{"omitted":true}}' }, fields)[0]).toMatchObject({
    from: null,
    to: null,
    isOmitted: true,
  })
})
