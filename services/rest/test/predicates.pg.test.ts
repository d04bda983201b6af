import { runsOf } from '@holdfast/test-support'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logicTreeOf, printFilterValue, printField, printTree } from './filter-arbitrary.ts'
import { openRestWorld, type RestWorld } from './rest-world.ts'
import type { Field, Filter, LogicTree, Operation } from '../src/request/api-request.ts'

// Invariant: whatever operators, paths, trees and embeds a request combines, it finds exactly the rows that Postgres finds for the
// same predicate written by hand. The predicates below are written without a look at how the service renders them.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
  await world.rows(`
    create table holders (id int primary key, label text);
    create type part as (n int, t text);
    create table samples (
      id int primary key, holder_id int references holders, n int, t text, b boolean, a int[], j jsonb, d json, r int4range, v tsvector, p part
    );
    insert into holders select i, 'h' || i from generate_series(1, 12) as i;
    insert into samples
    select i, nullif(i % 11, 0), nullif(i % 7, 0), nullif((array['apple', 'Pear', 'a"b\\,c', '50%', 'x_y', ''])[i % 6 + 1], ''),
           (array[true, false, null])[i % 3 + 1], (array['{}', '{1}', '{1,2}', '{2,3}', null])[i % 5 + 1]::int[],
           (array['{"k":{"x":1,"s":"v"},"l":[1,2]}', '{"k":null}', '[{"k":5}]', '7', null])[i % 5 + 1]::jsonb,
           (array['{"k":"one"}', '{"l":["a","b"]}', null])[i % 3 + 1]::json,
           (array['[1,4)', '[3,8)', 'empty', '(,2]', null])[i % 5 + 1]::int4range,
           to_tsvector('english', (array['fat cats ate', 'a thin dog', 'cat and dog'])[i % 3 + 1]),
           case when i % 4 > 0 then (i % 3, 'p' || i % 2)::part end
      from generate_series(1, 60) as i`)
  await world.refresh()
})

afterAll(() => world?.[Symbol.asyncDispose]())

/** A filter of a request and the predicate that it stands for. */
interface Leaf {
  readonly filter: Filter
  readonly predicate: string
}

const key = (name: string, arrow: '->' | '->>' = '->') => ({ arrow, operand: { kind: 'key', key: name } }) as const
const index = (at: number, arrow: '->' | '->>' = '->') =>
  ({ arrow, operand: { kind: 'index', index: String(at) } }) as const

/** Texts with their SQL, and what they are compared to. */
const TEXTS: readonly (readonly [Field, string, readonly string[]])[] = [
  [{ name: 't', path: [] }, 't', ['apple', 'Pear', 'a"b\\,c', '50%', 'x_y', '', 'zz', '(a,b)']],
  [{ name: 'j', path: [key('k'), key('s', '->>')] }, `j -> 'k' ->> 's'`, ['v', 'w']],
  [{ name: 'j', path: [index(0), key('k', '->>')] }, `j -> 0 ->> 'k'`, ['5', '6']],
  [{ name: 'd', path: [key('k', '->>')] }, `d ->> 'k'`, ['one', 'two']],
  [{ name: 'd', path: [key('l'), index(-1, '->>')] }, `d -> 'l' ->> -1`, ['b', 'a']],
  [{ name: 'p', path: [key('t', '->>')] }, `(p).t`, ['p0', 'p1']],
  [{ name: 'a', path: [index(0, '->>')] }, `a[1]::text`, ['1', '2']],
]

const NUMBERS = ['-1', '0', '1', '3', '6']
const RANGES = ['[1,4)', '[2,3)', '[5,9)', 'empty', '(,2]', '[4,8)']
const ARRAYS = ['{}', '{1}', '{1,2}', '{2,3}', '{3}']
const DOCUMENTS = ['{"k":{"x":1}}', '{"k":null}', '[{"k":5}]', '7', '{}']
const COMPARISONS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
const plain = (name: string): Field => ({ name, path: [] })
const leaf = (field: Field, operation: Operation, predicate: string): Leaf => ({
  filter: { kind: 'filter', field, negated: false, operation },
  predicate,
})
const pick = <T>(items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items)
const comparison = pick(['eq', 'gt', 'gte', 'lt', 'lte'] as const)
const some = <T>(items: readonly T[]): fc.Arbitrary<T[]> => fc.array(pick(items), { minLength: 1, maxLength: 3 })
const listOf = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join()}}`

const textLeaf = pick(TEXTS).chain(([field, sql, values]) =>
  fc.oneof(
    fc
      .tuple(comparison, pick(values))
      .map(([operator, value]) =>
        leaf(
          field,
          { kind: 'quantifiable', operator, quantifier: undefined, value },
          `${sql} ${COMPARISONS[operator]} ${literal(value)}`,
        ),
      ),
    pick(values).map((value) => leaf(field, { kind: 'simple', operator: 'neq', value }, `${sql} <> ${literal(value)}`)),
    pick(values).map((value) =>
      leaf(field, { kind: 'isdistinct', value }, `(${sql} is null or ${sql} <> ${literal(value)})`),
    ),
    some(values)
      .filter((list) => list.join('') !== '')
      .map((list) => leaf(field, { kind: 'in', values: list }, `${sql} in (${list.map(literal).join()})`)),
    fc
      .tuple(pick(['any', 'all'] as const), some(values))
      .map(([quantifier, list]) =>
        leaf(
          field,
          { kind: 'quantifiable', operator: 'eq', quantifier, value: listOf(list) },
          `(${list.map((value) => `${sql} = ${literal(value)}`).join(quantifier === 'any' ? ' or ' : ' and ')})`,
        ),
      ),
    fc
      .tuple(pick(['like', 'ilike'] as const), pick(['a*', '*e*', 'P_ar', '%1', 'x\\_y']))
      .map(([operator, value]) =>
        leaf(
          field,
          { kind: 'quantifiable', operator, quantifier: undefined, value },
          `${sql} ${operator} ${literal(value.replaceAll('*', '%'))}`,
        ),
      ),
    fc
      .tuple(pick(['match', 'imatch'] as const), pick(['^a', 'E$', '[0-9]', 'p.']))
      .map(([operator, value]) =>
        leaf(
          field,
          { kind: 'quantifiable', operator, quantifier: undefined, value },
          `${sql} ${operator === 'match' ? '~' : '~*'} ${literal(value)}`,
        ),
      ),
    pick(['null', 'not_null'] as const).map((value) =>
      leaf(field, { kind: 'is', value }, `${sql} ${value === 'null' ? 'is null' : 'is not null'}`),
    ),
  ),
)

const SETS: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>])[] = [
  ['r', RANGES, { cs: '@>', cd: '<@', ov: '&&', sl: '<<', sr: '>>', nxr: '&<', nxl: '&>', adj: '-|-', neq: '<>' }],
  ['a', ARRAYS, { cs: '@>', cd: '<@', ov: '&&', neq: '<>' }],
  ['j', DOCUMENTS, { cs: '@>', cd: '<@', neq: '<>' }],
]

const setLeaf = pick(SETS).chain(([name, values, operators]) =>
  fc
    .tuple(pick(Object.entries(operators)), pick(values))
    .map(([[operator, sign], value]) =>
      leaf(plain(name), { kind: 'simple', operator: operator as 'cs', value }, `${name} ${sign} ${literal(value)}`),
    ),
)

const otherLeaf = fc.oneof(
  fc
    .tuple(comparison, pick(NUMBERS))
    .map(([operator, value]) =>
      leaf(
        plain('n'),
        { kind: 'quantifiable', operator, quantifier: undefined, value },
        `n ${COMPARISONS[operator]} ${value}`,
      ),
    ),
  fc
    .tuple(comparison, pick(['any', 'all'] as const), some(NUMBERS))
    .map(([operator, quantifier, list]) =>
      leaf(
        plain('n'),
        { kind: 'quantifiable', operator, quantifier, value: `{${list.join()}}` },
        `(${list.map((value) => `n ${COMPARISONS[operator]} ${value}`).join(quantifier === 'any' ? ' or ' : ' and ')})`,
      ),
    ),
  pick(['null', 'not_null', 'true', 'false', 'unknown'] as const).map((value) =>
    leaf(plain('b'), { kind: 'is', value }, `b is ${value.replace('_', ' ')}`),
  ),
  fc
    .tuple(
      pick(['fts', 'plfts', 'phfts', 'wfts'] as const),
      pick([undefined, 'english']),
      pick(['cat', 'dog', 'thin', 'fat']),
    )
    .map(([operator, language, value]) =>
      leaf(plain('v'), { kind: 'fts', operator, language, value }, `v @@ to_tsquery('english', ${literal(value)})`),
    ),
  pick(['1', '0']).map((value) =>
    leaf(
      { name: 'j', path: [key('k'), key('x')] },
      { kind: 'quantifiable', operator: 'eq', quantifier: undefined, value },
      `j -> 'k' -> 'x' = '${value}'::jsonb`,
    ),
  ),
  pick(['0', '1', '2']).map((value) =>
    leaf(
      { name: 'p', path: [key('n')] },
      { kind: 'quantifiable', operator: 'gt', quantifier: undefined, value },
      `(p).n > ${value}`,
    ),
  ),
)

/** Filters that remember the predicates they stand for. */
function remembered(leaves: fc.Arbitrary<Leaf>): {
  readonly filter: fc.Arbitrary<Filter>
  readonly byHand: (tree: LogicTree) => string
} {
  const predicates = new WeakMap<Filter, string>()
  const filter = fc.tuple(leaves, fc.boolean()).map(([{ filter: made, predicate }, negated]) => {
    const filtered: Filter = { ...made, negated }
    predicates.set(filtered, negated ? `not (${predicate})` : `(${predicate})`)
    return filtered
  })
  const byHand = (tree: LogicTree): string => {
    if (tree.kind === 'filter') return predicates.get(tree) ?? 'no predicate'
    const inner = tree.children.map(byHand).join(` ${tree.operator} `)
    return tree.negated ? `not (${inner})` : `(${inner})`
  }
  return { filter, byHand }
}

function printParameter(tree: LogicTree, prefix = ''): string {
  if (tree.kind === 'filter') {
    return `${encodeURIComponent(prefix + printField(tree.field))}=${encodeURIComponent(printFilterValue(tree))}`
  }
  const printed = printTree(tree)
  const open = printed.indexOf('(')
  return `${prefix}${printed.slice(0, open)}=${encodeURIComponent(printed.slice(open))}`
}

const anyLeaf = fc.oneof(textLeaf, setLeaf, otherLeaf)

test('trees over all operators and paths find what the predicates find', async () => {
  const { filter, byHand } = remembered(anyLeaf)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(filter, logicTreeOf(filter)), { minLength: 1, maxLength: 3 }), async (trees) => {
      const { status, body, text } = await world.ask(
        `/samples?select=id&order=id&${trees.map((tree) => printParameter(tree)).join('&')}`,
      )
      const predicate = trees.map(byHand).join(' and ')
      expect(status, `${text}\n${predicate}`).toBe(200)
      expect(body, predicate).toEqual(await world.rows(`select id from samples where ${predicate} order by id`))
    }),
    { numRuns: runsOf(250) },
  )
})

test('conditions of embeds, and conditions on embeds, find what joins find', async () => {
  const { filter, byHand } = remembered(anyLeaf)
  const embedded = pick(['null', 'not_null'] as const)
  const given = fc.record({
    inner: fc.boolean(),
    below: logicTreeOf(filter),
    operator: pick(['and', 'or'] as const),
    negated: fc.boolean(),
    embed: fc.option(embedded, { nil: undefined }),
    least: fc.integer({ min: 0, max: 13 }),
  })
  await fc.assert(
    fc.asyncProperty(given, async ({ inner, below, operator, negated, embed, least }) => {
      const above = [
        `id.gte.${least}`,
        ...(embed === undefined ? [] : [`samples.${embed === 'null' ? 'is.null' : 'not.is.null'}`]),
      ]
      const path = `/holders?select=id,samples${inner ? '!inner' : ''}(id)&order=id&samples.order=id&${printParameter(below, 'samples.')}&${negated ? 'not.' : ''}${operator}=(${above.join()})`
      const prefer = { headers: { prefer: 'count=exact' } }
      const answer = await world.ask(path, prefer)
      const found = `exists (select from samples s0 where s0.holder_id = h.id and s0.id in (select id from samples where ${byHand(below)}))`
      const conditions = [
        `h.id >= ${least}`,
        ...(embed === undefined ? [] : [`${embed === 'null' ? 'not ' : ''}${found}`]),
      ]
      const where = `${negated ? 'not ' : ''}(${conditions.join(` ${operator} `)}) ${inner ? `and ${found}` : ''}`
      const expected = await world.rows(`
        select h.id, coalesce((select json_agg(json_build_object('id', m.id) order by m.id)
                                 from (select * from samples where ${byHand(below)}) m where m.holder_id = h.id), '[]') as samples
          from holders h where ${where} order by h.id`)
      expect(answer.body, `${path}\n${where}\n${answer.text}`).toEqual(expected)
      expect(answer.headers['content-range']).toMatch(new RegExp(`/${expected.length}$`))
    }),
    { numRuns: runsOf(150) },
  )
})
