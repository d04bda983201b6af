import { expect, test } from 'vitest'
import type { KnownTable } from './read-table.ts'
import { suggestIndex } from './suggest-index.ts'

const column = (name: string, type: string) => ({ name, type, isNullable: true, isGenerated: false })

const table: KnownTable = {
  schema: 'public',
  name: 'orders',
  oid: 1,
  kind: 'table',
  columns: [column('id', 'bigint'), column('city', 'text'), column('paid', 'boolean'), column('tags', 'text[]')],
  key: [column('id', 'bigint')],
  indexed: ['id'],
}

const suggested = (
  filters: readonly [column: string, operator: string][],
  sorted?: string,
  on: Partial<KnownTable> = {},
): string | undefined =>
  suggestIndex(
    { ...table, ...on },
    {
      filters: filters.map(([name, operator]) => ({ column: name, operator: operator as 'equals', value: '' })),
      sort: sorted === undefined ? undefined : { column: sorted, isDescending: true },
    },
  ).sql

test('columns with one value come before the order, and the key ends it', () => {
  expect(suggested([], 'city')).toBe('create index concurrently on "public"."orders" ("city", "id");')
  const filters: [string, string][] = [
    ['city', 'at_least'],
    ['paid', 'equals'],
  ]
  expect(suggested(filters, 'city')).toBe('create index concurrently on "public"."orders" ("paid", "city", "id");')
  expect(suggested(filters)).toBe('create index concurrently on "public"."orders" ("paid", "city");')
})

test('contents and beginnings get the kind of index that serves them', () => {
  expect(suggested([['tags', 'includes']])).toBe('create index concurrently on "public"."orders" using gin ("tags");')
  expect(suggested([['city', 'starts_with']])).toBe(
    'create index concurrently on "public"."orders" ("city" text_pattern_ops);',
  )
})

test('nothing is suggested where no index would help or the project can create none', () => {
  expect(suggested([['city', 'contains']])).toBeUndefined()
  expect(suggested([['id', 'equals']])).toBeUndefined()
  expect(suggested([], 'city', { kind: 'view' })).toBeUndefined()
  expect(suggested([], 'city', { schema: 'auth' })).toBeUndefined()
})

test('an index of a partitioned table is not built concurrently', () => {
  expect(suggested([], 'city', { kind: 'partitioned table' })).toBe('create index on "public"."orders" ("city", "id");')
})
