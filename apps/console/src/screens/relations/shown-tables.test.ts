import { expect, test } from 'vitest'
import type { ListedTable, TableRelation } from '@holdfast/protocol'
import { chooseTables } from './shown-tables.ts'

const table = (name: string, kind: ListedTable['kind'] = 'table'): ListedTable => ({
  name,
  kind,
  estimate: null,
  bytes: 0,
  rls: 'on',
  sync: { state: 'none' },
  comment: null,
})

const SCHEMAS = [
  {
    name: 'public',
    isManaged: false,
    tables: [table('orders'), table('lines'), table('notes'), table('totals', 'view')],
  },
  { name: 'auth', isManaged: true, tables: [table('users'), table('sessions')] },
]

const relation = (from: string, to: string): TableRelation => {
  const [schema = '', name = '', column = ''] = from.split('.')
  const [targetSchema = '', targetTable = '', target = ''] = to.split('.')
  return {
    name: `${name}_${column}_fkey`,
    schema,
    table: name,
    columns: [column],
    targetSchema,
    targetTable,
    targetColumns: [target],
  }
}

const RELATIONS = [
  relation('auth.sessions.user_id', 'auth.users.id'),
  relation('public.lines.order_id', 'public.orders.id'),
  relation('public.orders.owner', 'auth.users.id'),
]

const labels = (schema: string | undefined, search = '', tablesMax = 10): readonly string[] =>
  chooseTables({ schemas: SCHEMAS }, RELATIONS, { schema, search, tablesMax }).tables.map(({ label }) => label)

test("the project's tables are shown with what they refer to, without views", () => {
  expect(labels(undefined)).toEqual(['orders', 'lines', 'notes', 'auth.users'])
  expect(labels('auth')).toEqual(['auth.users', 'auth.sessions'])
})

test('a search keeps matching tables and their direct relations', () => {
  expect(labels(undefined, 'ORD')).toEqual(['orders', 'lines', 'auth.users'])
  expect(labels(undefined, 'note')).toEqual(['notes'])
})

test('columns are those of foreign keys, referenced ones first', () => {
  const { tables } = chooseTables({ schemas: SCHEMAS }, RELATIONS, { schema: undefined, search: '', tablesMax: 10 })
  expect(tables.find(({ name }) => name === 'orders')?.columns).toEqual([
    { name: 'id', isKey: true },
    { name: 'owner', isKey: false },
  ])
})

test('tables above the limit are counted, and relations to them are left out', () => {
  const shown = chooseTables({ schemas: SCHEMAS }, RELATIONS, { schema: undefined, search: '', tablesMax: 2 })
  expect(shown).toMatchObject({ count: 4, relations: [{ table: 'lines' }] })
  expect(shown.tables).toHaveLength(2)
})
