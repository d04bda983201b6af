import type { ColumnDescriptor, TableDescriptor } from '@holdfast/protocol'
import { expect, test } from 'vitest'
import { singular, tablesOf, toTableInfo } from './tables.ts'

const table = (name: string, columns: readonly ColumnDescriptor[], schema = 'public'): TableDescriptor => ({
  name: schema === 'holdfast' ? `hf_${name}` : name,
  schema,
  table: name,
  columns,
  can: { insert: true, update: true, delete: true },
  indexes: [],
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
