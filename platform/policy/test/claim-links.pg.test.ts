/** Postgres is the oracle: a user who sees a row is linked to it by {@link claimLinksOf}. A link too narrow would silently drop changes. */
import { CLASS_FORMS, LINK_FORMS, PERSON_FORMS, POLICY_USERS, ROW_FORMS, runsOf, seedOf } from '@holdfast/test-support'
import { sql, type Session, type SqlFragment } from '@holdfast/postgres'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClaimLinks, claimLinksOf, type ClaimPath, type LinkTerm } from '../src/claim-links.ts'
import { openPolicyWorld, type PolicyWorld } from './policy-world.ts'

const RUNS = runsOf(160, { variable: 'HOLDFAST_CLAIM_LINK_RUNS' })
const [ANA = '', BEN = ''] = POLICY_USERS

/** Claim values in canonical form; others are always evaluated. */
const SESSIONS: readonly Session[] = [
  { role: 'anon', claims: { role: 'anon' } },
  ...[
    { team: 'red', code: 'c1', n: '1', status: 'open', flag: 'true', app_metadata: { tier: 'pro', teams: ['red'] } },
    { team: 'Red', n: '2', teams: 'red,blue', user_metadata: { team: 'blue' }, app_metadata: { tier: 'free' } },
    { flag: 'f', teams: '', user_metadata: {}, app_metadata: {} },
  ].map((claims, index) => ({
    role: 'authenticated',
    claims: { role: 'authenticated', sub: POLICY_USERS[index], ...claims },
  })),
]

let world: PolicyWorld

beforeAll(async () => {
  world = await openPolicyWorld()
  const users = `('{${POLICY_USERS.join()}}'::uuid[])`
  await world.run(
    `insert into members select i, 1 + i % 3, ${users}[1 + i / 3], (array['admin','owner','guest','red'])[1 + i % 4] from generate_series(0, 6) i`,
    `insert into lists select i, 1 + i % 2, ${users}[i], (array['draft','open','closed'])[i]::kind, i = 2 from generate_series(1, 3) i`,
    `insert into grants values (1, 1, '${ANA}', 1), (2, 1, '${BEN}', 2), (3, 2, '${ANA}', 3), (4, 3, null, 1)`,
    `insert into admins values (1, '${BEN}')`,
    `insert into days values (1, '2026-01-01'), (2, 'infinity')`,
    `insert into shares values (1, 1, '${BEN}'), (2, 3, '${ANA}'), (3, null, '${ANA}')`,
    `insert into items (id, list_id, org_id, owner_id, editors, tags, team, code, status, n, is_public, day, price, extra)
     select i, nullif(i % 4, 0), nullif(i % 5, 4), ${users}[1 + i % 4], case i % 3 when 0 then ${users}[2:3] when 1 then array[null]::uuid[] end,
            case i % 3 when 0 then array['red','admin'] when 1 then array['blue',null] end, (array['red','Red','blue','',null])[1 + i % 5],
            (array['c1','d2',null])[1 + i % 3], (array['draft','open','closed'])[1 + i % 4]::kind, nullif(i % 4, 3), (array[true,false,null])[1 + i % 3],
            (array['2026-01-01','2026-01-03','infinity'])[1 + i % 4]::date, (array[1, 2.50])[1 + i % 3], jsonb_build_object('owner', ${users}[1 + i % 4])
       from generate_series(1, 40) i`,
  )
})

afterAll(() => world[Symbol.asyncDispose]())

/** Creates a policy and returns the condition as printed by Postgres with only `pg_catalog` on the search path. */
async function put(using: string): Promise<string> {
  await world.run(
    'drop policy if exists form on public.items',
    `create policy form on public.items for select using (${using})`,
  )
  return world.database.pool.transaction(async (tx) => {
    await tx.execute(sql`set local search_path = pg_catalog`)
    const [row] = await tx.query<{ condition: string }>(sql`
      select pg_get_expr(polqual, polrelid) as condition from pg_policy where polname = 'form' and polrelid = 'public.items'::regclass`)
    return row?.condition ?? ''
  })
}

function valueAt(claims: unknown, path: ClaimPath): string | undefined {
  const value = path.reduce<unknown>(
    (at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name],
    claims,
  )
  return value === undefined || value === null ? undefined : String(value)
}

/** SQL for the rows linked to a user. */
function tiedSql({ columns, values, tables, rows }: ClaimLinks, { claims }: Session): SqlFragment {
  const columnOf = ({ table, column }: LinkTerm): SqlFragment =>
    sql`${sql.identifier(table === undefined ? 'items' : `t${table}`)}.${sql.identifier(column)}`
  const holds = ({ claim, column, isArray }: ClaimLinks['columns'][number], table: number | undefined): SqlFragment => {
    const value = valueAt(claims, claim) ?? null
    const own = columnOf({ table, column })
    return isArray ? sql`${value} = any (${own}::text[])` : sql`${own}::text = ${value}`
  }
  const joined = tables.map(({ tables: from, equal, comparison }) => {
    const names = from.map(({ schema, name }, at) => sql`${sql.identifier(schema, name)} ${sql.identifier(`t${at}`)}`)
    const conditions = [
      holds(comparison, comparison.table),
      ...equal.map(([a, b]) => sql`${columnOf(a)}::text = ${columnOf(b)}::text`),
    ]
    return sql`exists (select from ${sql.join(names)} where ${sql.join(conditions, ' and ')})`
  })
  const fixed = values.map(({ claim, value }) => sql`${valueAt(claims, claim) === value}::boolean`)
  const all = [
    ...columns.map((one) => holds(one, undefined)),
    ...fixed,
    ...joined,
    ...rows.map((text) => sql`(${sql.trusted(text)})`),
  ]
  const parts = all.map((part) => sql`coalesce(${part}, false)`)
  return sql`select id from public.items where ${parts.length === 0 ? sql`false` : sql.join(parts, ' or ')}`
}

/** @returns how many rows were seen, and whether the condition links rows to claims */
async function expectTied(using: string): Promise<{ readonly seen: number; readonly isLinked: boolean }> {
  const condition = await put(using)
  const links = claimLinksOf(condition, 'items')
  if (!links) return { seen: 0, isLinked: false }
  let seen = 0
  for (const session of SESSIONS) {
    const visible = await world.visible(session, 'items')
    const tied = new Set((await world.database.pool.query<{ id: number }>(tiedSql(links, session))).map(({ id }) => id))
    expect(
      visible.filter((id) => !tied.has(id)),
      `${condition}, for ${JSON.stringify(session.claims)}`,
    ).toEqual([])
    seen += visible.length
  }
  return { seen, isLinked: true }
}

const FORMS = [...ROW_FORMS, ...PERSON_FORMS, ...LINK_FORMS, ...CLASS_FORMS]

describe('whoever sees a row is tied to it by the links of the condition', () => {
  test('in every form of condition alone', async () => {
    let linked = 0
    for (const form of FORMS) {
      const { seen, isLinked } = await expectTied(form)
      if (isLinked && seen > 0) linked++
    }
    expect(linked).toBeGreaterThan(15)
  })

  test('in forms that are joined', async () => {
    const condition = fc.letrec<{ any: string }>((tie) => ({
      any: fc.oneof(
        { depthSize: 'small', maxDepth: 2 },
        { weight: 3, arbitrary: fc.constantFrom(...FORMS) },
        { weight: 2, arbitrary: fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(${a}) and (${b})`) },
        { weight: 2, arbitrary: fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(${a}) or (${b})`) },
        { weight: 1, arbitrary: tie('any').map((a) => `not (${a})`) },
        { weight: 1, arbitrary: fc.tuple(tie('any'), tie('any')).map(([a, b]) => `case when ${a} then (${b}) end`) },
      ),
    })).any
    await fc.assert(
      fc.asyncProperty(condition, async (using) => void (await expectTied(using))),
      { numRuns: RUNS, seed: seedOf('HOLDFAST_POLICY_SEED'), endOnFailure: true },
    )
  })
})
