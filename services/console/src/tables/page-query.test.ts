import { expect, test } from 'vitest'
import { pageQueries, type PageRequest } from './page-query.ts'
import type { KnownTable } from './read-table.ts'

const column = (name: string, type: string, isNullable = false) => ({ name, type, isNullable, isGenerated: false })
const id = column('id', 'bigint')
const table: KnownTable = {
  schema: 'public',
  name: 'a"b',
  oid: 1,
  kind: 'table',
  columns: [id, column('due', 'date', true)],
  key: [id],
  indexed: ['id'],
}
const request: PageRequest = { filters: [], sort: undefined, after: undefined, limit: 5 }
const conditionsOf = (given: Partial<PageRequest>, of: KnownTable = table): readonly string[] =>
  pageQueries(of, { ...request, ...given }).map((query) => {
    const { text } = query.render()
    return (/(where .*)?\n? *(order by .*)? limit/.exec(text)?.[0] ?? '').replaceAll(/\s+/g, ' ').trim()
  })

const ascending = { column: 'due', isDescending: false }
const descending = { column: 'due', isDescending: true }

test('ties are broken by the key in the direction of the sort, which one index serves', () => {
  expect(conditionsOf({ sort: ascending })).toEqual(['order by t."due", t."id" limit'])
  expect(conditionsOf({ sort: ascending, after: { sorted: '2026-01-01', address: ['7'] } })[0]).toContain(
    '(t."due", t."id") > ($1::date, $2::bigint)',
  )
})

test('NULLs are read apart: last when ascending, first when descending', () => {
  const nulls = (queries: readonly string[]): readonly boolean[] => queries.map((text) => text.includes('is null'))
  expect(nulls(conditionsOf({ sort: ascending, after: { sorted: '2026-01-01', address: ['7'] } }))).toEqual([
    false,
    true,
  ])
  expect(nulls(conditionsOf({ sort: ascending, after: { sorted: null, address: ['7'] } }))).toEqual([true])
  expect(nulls(conditionsOf({ sort: descending }))).toEqual([true, false])
  expect(nulls(conditionsOf({ sort: descending, after: { sorted: null, address: ['7'] } }))).toEqual([true, false])
  expect(nulls(conditionsOf({ sort: descending, after: { sorted: '2026-01-01', address: ['7'] } }))).toEqual([false])
})

test('values of filters are parameters, and names are quoted', () => {
  const filters = [{ column: 'due', operator: 'less', value: "'; drop table x --" }] as const
  const [query] = pageQueries(table, { ...request, filters })
  const { text, values } = query?.render() ?? { text: '', values: [] }
  expect(text).toContain('from "public"."a""b" t')
  expect(text).not.toContain('drop')
  expect(values).toContain("'; drop table x --")
})

test('unknown columns and positions that do not fit are refused', () => {
  expect(() => conditionsOf({ sort: { column: 'x"', isDescending: false } })).toThrow('no readable column')
  expect(() => conditionsOf({ filters: [{ column: 'xmin', operator: 'is_null' }] })).toThrow('no readable column')
  expect(() => conditionsOf({ after: { address: ['1', '2'] } })).toThrow('does not fit the key')
})

test('a table without a key is read in the order of its file', () => {
  const keyless = { ...table, key: undefined }
  expect(conditionsOf({}, keyless)).toEqual(['limit'])
  expect(conditionsOf({ after: { address: ['(0,3)'] } }, keyless)).toEqual(['where (t.ctid) > ($1::tid) limit'])
})
