import type { ColumnDescriptor, TableDescriptor } from '@holdfast/protocol'
import { describe, expect, test } from 'vitest'
import { singular, tablesOf, titleColumnOf, toTableInfo } from './tables.ts'

const column = (name: string, type = 'text', rest: Partial<ColumnDescriptor> = {}): ColumnDescriptor => ({
  name,
  type,
  local: 'text',
  nullable: true,
  hasDefault: false,
  generated: false,
  ...rest,
})
const table = (name: string, columns: readonly ColumnDescriptor[], schema = 'public'): TableDescriptor => ({
  name: schema === 'holdfast' ? `hf_${name}` : name,
  schema,
  table: name,
  columns,
  can: { insert: true, update: true, delete: true },
  indexes: [],
})

describe('titleColumnOf', () => {
  test.each([
    ['a usual name before other text', [column('detail'), column('title')], 'title'],
    ['title before number', [column('number'), column('title')], 'title'],
    [
      'the first text that is no link',
      [column('site', 'text', { references: { table: 'sites', column: 'id' } }), column('note')],
      'note',
    ],
    ['nothing among numbers', [column('id', 'uuid'), column('amount', 'numeric')], undefined],
  ])('takes %s', (_, columns, expected) => {
    expect(titleColumnOf(table('t', columns))).toBe(expected)
  })
})

test('tablesOf leaves the system tables out and sorts by label', () => {
  const tables = [table('sites', []), table('members', [], 'holdfast'), table('actions', [])]
  expect(tablesOf({ version: '1', tables }).map(({ name, noun }) => [name, noun])).toEqual([
    ['actions', 'action'],
    ['sites', 'site'],
  ])
})

test.each([
  ['actions', 'action'],
  ['categories', 'category'],
  ['people', 'person'],
  ['branches', 'branch'],
  ['status', 'status'],
  ['sites', 'site'],
])('singular of %s', (many, one) => {
  expect(singular(many)).toBe(one)
})

test.each([
  ['Sites. Pumping stations and reservoirs.', 'Pumping stations and reservoirs.'],
  ['Pumping stations and reservoirs.', 'Pumping stations and reservoirs.'],
  [undefined, undefined],
])('describes a table by its comment %j', (comment, description) => {
  const sites = table('sites', [])
  expect(toTableInfo(comment === undefined ? sites : { ...sites, comment }).description).toBe(description)
})
