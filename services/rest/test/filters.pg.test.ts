import { runsOf } from '@holdfast/test-support'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { printTree, logicTreeOf } from './filter-arbitrary.ts'
import { openRestWorld, type RestWorld } from './rest-world.ts'
import type { Filter, LogicTree } from '../src/request/api-request.ts'

// Invariants: a tree of conditions selects exactly the rows that the same predicate, written by hand, selects; and nothing that is
// sent as an address gets anything but an answer in PostgREST's form. The oracle is Postgres.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
  await world.rows(`create table things (id int primary key, n int, t text, b boolean, a int[], j jsonb)`)
  await world.rows(`
    insert into things
    select i, nullif(i % 7, 0), nullif(chr(97 + i % 5) || repeat('"\\,', i % 3), 'a'), (array[true, false, null])[i % 3 + 1],
           array[i % 4, i % 2], jsonb_build_object('k', i % 3, 's', jsonb_build_object('x', 'v' || i % 2))
      from generate_series(1, 60) as i`)
  // The tables were read before `things` was made; a view of the catalog is taken again.
  await world.refresh()
})

afterAll(() => world?.[Symbol.asyncDispose]())

interface Leaf {
  readonly filter: Filter
  readonly predicate: string
}

const field = (name: string, ...keys: string[]) => ({
  name,
  path: keys.map((key, index) => ({
    arrow: index === keys.length - 1 ? ('->>' as const) : ('->' as const),
    operand: { kind: 'key' as const, key },
  })),
})

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

const OPERATORS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const
const number = fc.integer({ min: -1, max: 8 })
const text = fc.oneof(
  fc.constantFrom('a', 'b"\\,', 'c"\\,"\\,', 'e', ''),
  fc.string({ maxLength: 3 }).filter((s) => !s.includes('\0')),
)
const comparison = fc.constantFrom(...(Object.keys(OPERATORS) as (keyof typeof OPERATORS)[]))

const leaf: fc.Arbitrary<Leaf> = fc.oneof(
  fc
    .tuple(comparison, number)
    .map(([operator, value]) =>
      leafOf(
        { ...field('n') },
        { kind: 'quantifiable', operator, quantifier: undefined, value: String(value) },
        `n ${OPERATORS[operator]} ${value}`,
      ),
    ),
  fc
    .tuple(comparison, text)
    .map(([operator, value]) =>
      leafOf(
        field('t'),
        { kind: 'quantifiable', operator, quantifier: undefined, value },
        `t ${OPERATORS[operator]} ${literal(value)}`,
      ),
    ),
  fc
    .array(text, { minLength: 1, maxLength: 3 })
    .filter((values) => values.join('') !== '')
    .map((values) => leafOf(field('t'), { kind: 'in', values }, `t in (${values.map(literal).join(', ')})`)),
  fc
    .constantFrom('null', 'not_null', 'true', 'false', 'unknown')
    .map((value) =>
      leafOf(
        field('b'),
        { kind: 'is', value },
        `b is ${value.replace('_', ' ')}`.replace('not_null', 'not null').replace('is not null', 'is not null'),
      ),
    ),
  number.map((value) =>
    leafOf(field('n'), { kind: 'isdistinct', value: String(value) }, `n is distinct from ${value}`),
  ),
  fc
    .array(number, { maxLength: 2 })
    .map((values) =>
      leafOf(
        field('a'),
        { kind: 'simple', operator: 'cs', value: `{${values.join(',')}}` },
        `a @> '{${values.join(',')}}'`,
      ),
    ),
  fc
    .array(number, { minLength: 1, maxLength: 3 })
    .map((values) =>
      leafOf(
        field('n'),
        { kind: 'quantifiable', operator: 'eq', quantifier: 'any', value: `{${values.join(',')}}` },
        `n = any('{${values.join(',')}}')`,
      ),
    ),
  fc
    .constantFrom('v0', 'v1', 'x')
    .map((value) =>
      leafOf(field('j', 's', 'x'), { kind: 'simple', operator: 'neq', value }, `j->'s'->>'x' <> '${value}'`),
    ),
)

function leafOf(where: Filter['field'], operation: Filter['operation'], predicate: string): Leaf {
  return { filter: { kind: 'filter', field: where, negated: false, operation }, predicate }
}

test('random trees select what Postgres selects for the same predicate', async () => {
  const predicates = new Map<Filter, string>()
  const filters = fc.tuple(leaf, fc.boolean()).map(([{ filter, predicate }, negated]) => {
    const made: Filter = { ...filter, negated }
    predicates.set(made, negated ? `not (${predicate})` : `(${predicate})`)
    return made
  })
  const byHand = (tree: LogicTree): string => {
    if (tree.kind === 'filter') return predicates.get(tree) ?? 'false'
    const inner = tree.children.map(byHand).join(` ${tree.operator} `)
    return tree.negated ? `not (${inner})` : `(${inner})`
  }
  await fc.assert(
    fc.asyncProperty(logicTreeOf(filters), async (tree) => {
      const printed = printTree(tree)
      const name = printed.slice(0, printed.indexOf('('))
      const value = printed.slice(printed.indexOf('('))
      const { status, body } = await world.ask(`/things?select=id&order=id&${name}=${encodeURIComponent(value)}`)
      expect(status).toBe(200)
      expect(body).toEqual(await world.rows(`select id from things where ${byHand(tree)} order by id`))
    }),
    { numRuns: runsOf(150) },
  )
})

test('no address gets a 500 or another form of refusal, and none changes anything', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'select',
      'order',
      'and',
      'or',
      'not',
      'limit',
      'offset',
      'columns',
      'id',
      'n',
      't',
      'a',
      'j',
      'in',
      'is',
      'eq',
      'fts',
      'cs',
      'null',
      'true',
      'count',
      'asc',
      'nullsfirst',
    ),
    fc.constantFrom(
      '=',
      '&',
      '.',
      ',',
      '(',
      ')',
      '"',
      '\\',
      '->',
      '->>',
      '::',
      ':',
      '!',
      '...',
      '*',
      '{',
      '}',
      ' ',
      '%27',
      '%22',
      ';',
      '--',
      '$1',
      '0',
      '-1',
      '999999999999999999999',
    ),
    fc.string({ maxLength: 3 }),
  )
  const search = fc
    .array(piece, { maxLength: 25 })
    .map((parts) => encodeURI(parts.join('').toWellFormed()).replaceAll('#', '%23'))
  const likely = fc
    .tuple(fc.constantFrom('select=', 'order=', 'and=(', 'id=', 'j->k=', 'select=id::'), search)
    .map((parts) => parts.join(''))
  const before = await world.rows('select count(*)::int as n, sum(id)::int as s from things')
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'HEAD', 'PATCH', 'DELETE'),
      fc.oneof(search, likely),
      async (method, query) => {
        const isWrite = method === 'PATCH' || method === 'DELETE'
        const headers = isWrite ? { prefer: 'tx=rollback' } : {}
        const answer = await world.ask(`/things?${query}`, {
          method,
          headers,
          ...(method === 'PATCH' ? { body: { n: 1 } } : {}),
        })
        expect(answer.status).toBeLessThan(500)
        if (answer.status >= 400 && method !== 'HEAD') {
          expect(Object.keys(answer.body as object).toSorted()).toEqual(['code', 'details', 'hint', 'message'])
        }
      },
    ),
    { numRuns: runsOf(400) },
  )
  expect(await world.rows('select count(*)::int as n, sum(id)::int as s from things')).toEqual(before)
})
