import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HoldfastError } from '@holdfast/foundation'
import { createPool, sql, sqlstateOf, type Pool } from '@holdfast/postgres'
import { openTestDatabase, runsOf, type TestDatabase } from '@holdfast/test-support'
import { checkFilter, evaluateFilters, printRows } from '../../src/changes/evaluate-changes.ts'
import { FilterLookup } from '../../src/changes/filter-lookup.ts'
import { parseFilter, type Filter } from '../../src/changes/filter.ts'
import { rowLiteral } from '../../src/changes/prepare-changes.ts'
import { readTableInfo, type TableInfo } from '../../src/changes/table-info.ts'
import { realtimeMigrations } from '../../src/index.ts'

let db: TestDatabase
let evaluatorPool: Pool
let info: TableInfo

const COLUMN = 'a"b c'
const SYNTAX_ERROR = '42601'

beforeAll(async () => {
  db = await openTestDatabase({ migrations: [realtimeMigrations] })
  await db.pool.withClient((client) =>
    client.query(`create table public.notes (id int primary key, "a""b c" text);
      alter publication supabase_realtime add table public.notes; grant select on public.notes to anon`),
  )
  evaluatorPool = createPool({ url: db.evaluatorUrl, applicationName: 'test', connectionsMax: 1, isReadOnly: true })
  info = (await readTableInfo(db.pool, { schema: 'public', name: 'notes' }, ['anon'], async () => false)) as TableInfo
})

afterAll(async () => {
  await evaluatorPool?.[Symbol.asyncDispose]()
  await db?.[Symbol.asyncDispose]()
})

const pieces = fc.constantFrom(
  '"',
  '\\',
  "'",
  ',',
  '(',
  ')',
  '.',
  '=',
  ' ',
  '{',
  '}',
  '--',
  ';',
  '$1',
  '\n',
  'a',
  'ü',
  'null',
)
const values = fc.array(pieces, { maxLength: 3 }).map((some) => some.join(''))
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`

/** Returns the matching rows as the server does: by lookup where possible, otherwise evaluated by Postgres. */
async function passing(filter: Filter, literals: readonly string[]): Promise<readonly boolean[]> {
  const group = { filter }
  const lookup = new FilterLookup<typeof group>(info)
  lookup.add(group)
  const cells = await printRows(evaluatorPool, info, literals)
  const evaluated = await evaluateFilters(evaluatorPool, info, [filter], literals)
  return cells.map((row, index) => {
    const { passed, open } = lookup.find(row)
    return passed.has(group) || (open.has(group) && evaluated[index]?.[0] === true)
  })
}

test('a filter passes the rows whose values Postgres finds equal to those that were written', async () => {
  const wanted = fc.record({
    isNegated: fc.boolean(),
    isList: fc.boolean(),
    list: fc.array(values, { minLength: 1, maxLength: 3 }),
  })
  const rows = fc.array(fc.option(values), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(wanted, rows, async ({ isNegated, isList, list }, others) => {
      const [first = ''] = list
      const sought = isList ? list : [first]
      const filter = parseFilter(
        `${COLUMN}=${isNegated ? 'not.' : ''}${isList ? `in.(${list.map(quoted).join(', ')})` : `eq.${quoted(first)}`}`,
      )
      const all = [...others, ...list]
      const expected = await db.pool.query<{ passes: boolean }>(sql`
        select coalesce((v = any(${sought}::text[])) <> ${isNegated}, false) as passes
          from unnest(${all}::text[]) with ordinality t (v, n) order by n`)
      expect(
        await passing(
          filter as Filter,
          all.map((value, id) => rowLiteral([String(id), value])),
        ),
      ).toEqual(expected.map(({ passes }) => passes))
    }),
    { numRuns: runsOf(100) },
  )
})

test('no text of a filter is SQL to Postgres', async () => {
  const operators = fc.constantFrom(
    'eq',
    'neq',
    'lt',
    'gte',
    'in',
    'like',
    'ilike',
    'is',
    'match',
    'imatch',
    'isdistinct',
  )
  const texts = fc
    .tuple(fc.constantFrom('id', 'nope', `a"b`, `"a`), fc.constantFrom('', 'not.'), operators, values, fc.boolean())
    .map(([column, not, operator, value, isList]) => `${column}=${not}${operator}.${isList ? `(${value})` : value}`)
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      try {
        const filter = parseFilter(text)
        if (filter) await checkFilter(evaluatorPool, info, filter)
      } catch (error) {
        if (error instanceof HoldfastError) return
        expect([text, sqlstateOf(error)]).not.toEqual([text, SYNTAX_ERROR])
        expect(sqlstateOf(error)).toMatch(/^(22|42)/)
      }
    }),
    { numRuns: runsOf(150) },
  )
})
