/**
 * Postgres is the oracle. For random policies and rows:
 *
 * - a user's buckets contain exactly the rows visible under row-level security;
 * - a change that is irrelevant for a user according to the plan leaves that user's keys unchanged.
 *
 * `HOLDFAST_POLICY_RUNS` sets the number of worlds, `HOLDFAST_POLICY_SEED` repeats a run; a failure prints its seed.
 */
import {
  BAD_FORMS,
  BAD_SCHEMA,
  BAD_TABLE,
  badPolicy,
  CLASS_FORMS,
  GUARDS,
  LINK_FORMS,
  PERSON_FORMS,
  POLICY_USERS as USERS,
  ROW_FORMS,
  runsOf,
  seedOf,
} from '@holdfast/test-support'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAs, sql, type Session } from '@holdfast/postgres'
import { openPolicyWorld, type PolicyWorld } from './policy-world.ts'
import { type BucketDefinition, pinValues } from '../src/plan.ts'

const RUNS = runsOf(20, { variable: 'HOLDFAST_POLICY_RUNS', least: 5 })
const SEED = seedOf('HOLDFAST_POLICY_SEED')
const PARAMETERS = { numRuns: RUNS, endOnFailure: true, seed: SEED }
const TIMEOUT_MS = 300_000 + RUNS * 500

let world: PolicyWorld

beforeAll(async () => {
  world = await openPolicyWorld()
  await world.run(BAD_SCHEMA)
})

afterAll(() => world[Symbol.asyncDispose]())

// --- policies

const form = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...ROW_FORMS) },
  { weight: 2, arbitrary: fc.constantFrom(...PERSON_FORMS) },
  { weight: 6, arbitrary: fc.constantFrom(...LINK_FORMS) },
  { weight: 3, arbitrary: fc.constantFrom(...CLASS_FORMS) },
)

const pure = fc.constantFrom(...ROW_FORMS, ...PERSON_FORMS)

const condition = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', maxDepth: 2 },
    { weight: 4, arbitrary: form },
    { weight: 2, arbitrary: fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(${a}) and (${b})`) },
    { weight: 2, arbitrary: fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(${a}) or (${b})`) },
    { weight: 1, arbitrary: tie('any').map((a) => `not (${a})`) },
    { weight: 1, arbitrary: tie('any').map((a) => `(${a}) is true`) },
    { weight: 1, arbitrary: tie('any').map((a) => `coalesce((${a}), false)`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.oneof(pure, tie('any')), tie('any'), tie('any'))
        .map(([when, a, b]) => `case when ${when} then (${a}) else (${b}) end`),
    },
  ),
})).any

const rolesOfPolicy = fc.constantFrom('public', 'authenticated', 'anon', 'authenticated, anon')
const policy = fc.record({ using: condition, roles: rolesOfPolicy, command: fc.constantFrom('select', 'all') })

const guards = fc.record(
  Object.fromEntries(Object.entries(GUARDS).map(([table, choices]) => [table, fc.constantFrom(...choices)])),
)

const policies = fc.record({
  permissive: fc.array(policy, { minLength: 1, maxLength: 3 }),
  restrictive: fc.array(policy, { maxLength: 1 }),
  guards,
  /** Policies of an unrelated table. */
  bad: fc.constantFrom(...BAD_FORMS),
})

async function applyPolicies({
  permissive,
  restrictive,
  guards: chosen,
  bad,
}: typeof policies extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
  const statements = ['p0', 'p1', 'p2', 'r0'].map((name) => `drop policy if exists ${name} on public.items`)
  for (const [kind, list] of [
    ['permissive', permissive],
    ['restrictive', restrictive],
  ] as const) {
    list.forEach(({ using, roles, command }, index) =>
      statements.push(
        `create policy ${kind[0]}${index} on public.items as ${kind} for ${command} to ${roles} using (${using})`,
      ),
    )
  }
  for (const [table, using] of Object.entries(chosen)) {
    statements.push(`drop policy if exists guard on public.${table}`)
    statements.push(`alter table public.${table} ${using === undefined ? 'disable' : 'enable'} row level security`)
    if (using !== undefined) statements.push(`create policy guard on public.${table} for select using (${using})`)
  }
  await world.run(...statements, ...badPolicy(bad))
}

// --- rows

const user = fc.option(fc.constantFrom(...USERS), { freq: 8 })
const small = fc.option(fc.integer({ min: 1, max: 3 }), { freq: 8 })
const flag = fc.option(fc.boolean(), { freq: 6 })
const kind = fc.option(fc.constantFrom('draft', 'open', 'closed'), { freq: 6 })
const role = fc.option(fc.constantFrom('admin', 'owner', 'guest', 'red'), { freq: 8 })
const team = fc.option(fc.constantFrom('red', 'Red', 'blue', ''), { freq: 6 })
const day = fc.option(fc.constantFrom('2026-01-01', '2026-01-03', 'infinity'), { freq: 6 })
const users = fc.option(fc.array(user, { maxLength: 3 }), { freq: 6 })
const texts = fc.option(fc.array(fc.option(fc.constantFrom('red', 'blue', 'admin', 'guest')), { maxLength: 3 }), {
  freq: 6,
})

type Row = Readonly<Record<string, unknown>>

const ROWS: Readonly<Record<string, fc.Arbitrary<Row>>> = {
  members: fc.record({ org_id: small, user_id: user, role }),
  lists: fc.record({ org_id: small, owner_id: user, kind, is_open: flag }),
  grants: fc.record({ list_id: small, user_id: user, level: small }),
  admins: fc.record({ user_id: user }),
  days: fc.record({ day }),
  items: fc.record({
    list_id: small,
    org_id: small,
    owner_id: user,
    editors: users,
    tags: texts,
    team,
    code: fc.option(fc.constantFrom('c1', 'd2')),
    status: kind,
    n: small,
    is_public: flag,
    day,
    price: fc.option(fc.constantFrom('1', '1.0', '2.50')),
    extra: fc.option(fc.record({ owner: user })),
  }),
  shares: fc.record({ list_id: small, user_id: user }),
}

const COUNTS: Readonly<Record<string, number>> = {
  members: 6,
  lists: 3,
  grants: 5,
  admins: 2,
  days: 2,
  shares: 4,
  items: 14,
}

const rows = fc.record(
  Object.fromEntries(
    Object.entries(ROWS).map(([table, row]) => [
      table,
      fc.array(row, { minLength: table === 'items' ? 8 : 0, maxLength: COUNTS[table] ?? 3 }),
    ]),
  ),
)

async function insert(table: string, list: readonly Row[]): Promise<void> {
  const numbered = list.map((row, index) => ({ id: index + 1, ...row }))
  const into = sql.identifier('public', table)
  await world.database.pool.execute(
    sql`insert into ${into} select * from jsonb_populate_recordset(null::${into}, ${JSON.stringify(numbered)}::jsonb) on conflict do nothing`,
  )
}

async function fill(content: Readonly<Record<string, readonly Row[]>>): Promise<void> {
  await world.run(
    'truncate public.members, public.lists, public.grants, public.admins, public.days, public.shares, public.items',
  )
  for (const [table, list] of Object.entries(content)) await insert(table, list)
}

// --- users

const claims = fc.record({
  team: fc.constantFrom('red', 'Red', 'blue', null),
  teams: fc.constantFrom('red,blue', '', null),
  code: fc.constantFrom('c1', null),
  n: fc.constantFrom('1', '02', null),
  flag: fc.constantFrom('true', 'f', null),
  status: fc.constantFrom('open', null),
  user_metadata: fc.constantFrom({ team: 'blue' }, {}),
  app_metadata: fc.constantFrom({ tier: 'pro' }, { tier: 'free', teams: ['red', 'blue'] }, {}),
})

const people = fc.tuple(claims, claims, claims).map((list): readonly Session[] => [
  { role: 'anon', claims: { role: 'anon' } },
  ...list.map((extra, index) => ({
    role: 'authenticated',
    claims: { role: 'authenticated', sub: USERS[index], ...extra },
  })),
])

test(
  `a person has exactly the rows that Postgres shows (${RUNS} worlds, seed ${SEED})`,
  { timeout: TIMEOUT_MS },
  async () => {
    let compared = 0
    let shown = 0
    await fc.assert(
      fc.asyncProperty(policies, rows, people, async (chosen, content, sessions) => {
        await applyPolicies(chosen)
        await fill(content)
        const plan = await world.compile()
        for (const name of ['items', 'members', 'lists', 'grants', 'admins', 'days']) {
          const table = plan.tables.find((one) => one.name === name)
          const refused = plan.refused.find((one) => one.name === name)
          if (!table) {
            expect(refused?.reason).toMatch(/row-level security is off|no permissive policy|see no row/)
            continue
          }
          for (const session of sessions) {
            const visible = await world.visible(session, name)
            expect(await world.held(session, table), `${name} of ${JSON.stringify(session)}`).toEqual(visible)
            compared++
            shown += visible.length
          }
        }
      }),
      PARAMETERS,
    )
    expect(compared).toBeGreaterThan(RUNS)
    expect(shown).toBeGreaterThan(RUNS)
  },
)

// --- changes

type Change =
  | { readonly kind: 'insert'; readonly table: string; readonly row: Row }
  | { readonly kind: 'delete'; readonly table: string; readonly id: number }
  | { readonly kind: 'update'; readonly table: string; readonly id: number; readonly column: string; readonly row: Row }

const change: fc.Arbitrary<Change> = fc
  .constantFrom('members', 'lists', 'grants', 'admins', 'days', 'shares')
  .chain((table) => {
    const row = ROWS[table] ?? fc.constant({})
    const id = fc.integer({ min: 1, max: COUNTS[table] ?? 3 })
    return fc.oneof(
      fc.record({ kind: fc.constant('insert' as const), table: fc.constant(table), row }),
      fc.record({ kind: fc.constant('delete' as const), table: fc.constant(table), id }),
      row.chain((value) =>
        fc.record({
          kind: fc.constant('update' as const),
          table: fc.constant(table),
          id,
          column: fc.constantFrom(...Object.keys(value)),
          row: fc.constant(value),
        }),
      ),
    )
  })

type Texts = Readonly<Record<string, string | null>>

/** The row's texts as in the replication stream. */
async function textsOf(table: string, id: number): Promise<Texts | undefined> {
  const names = await world.database.pool.query<{ name: string }>(
    sql`select attname as name from pg_attribute where attrelid = ${`public.${table}`}::regclass and attnum > 0`,
  )
  const columns = names.map(({ name }) => sql`${sql.identifier(name)}::text as ${sql.identifier(name)}`)
  const [row] = await world.database.pool.query<Texts>(
    sql`select ${sql.join(columns)} from ${sql.identifier('public', table)} where id = ${id}`,
  )
  return row
}

/** @returns the row before and after */
async function perform(made: Change): Promise<readonly (Texts | undefined)[]> {
  const { pool } = world.database
  const table = sql.identifier('public', made.table)
  if (made.kind === 'insert') {
    await pool.execute(
      sql`insert into ${table} select * from jsonb_populate_record(null::${table}, ${JSON.stringify({ id: 50, ...made.row })}::jsonb) on conflict do nothing`,
    )
    return [undefined, await textsOf(made.table, 50)]
  }
  const before = await textsOf(made.table, made.id)
  if (made.kind === 'delete') await pool.execute(sql`delete from ${table} where id = ${made.id}`)
  else {
    const column = sql.identifier(made.column)
    // A change violating a unique index is skipped.
    await pool
      .execute(
        sql`update ${table} t set ${column} = n.${column} from jsonb_populate_record(null::${table}, ${JSON.stringify(made.row)}::jsonb) n where t.id = ${made.id}`,
      )
      .catch((error: unknown) => expect(error).toMatchObject({ code: '23505' }))
  }
  return [before, await textsOf(made.table, made.id)]
}

async function concerns(
  definition: BucketDefinition,
  table: string,
  versions: readonly (Texts | undefined)[],
  session: Session,
): Promise<boolean> {
  const [before, after] = versions
  for (const dependency of definition.dependencies) {
    if (dependency.name !== table) continue
    if (before && after && dependency.columns.every((column) => before[column] === after[column])) continue
    const { pin } = dependency
    if (!pin) return true
    const values = await runAs(world.database.requestPool, session, (tx) =>
      tx.query<{ value: string | null }>(sql`select k0 as value from (${sql.trusted(pinValues(pin))}) as v (k0)`),
    )
    const own = new Set(values.map(({ value }) => value))
    own.delete(null)
    if (versions.some((version) => version && own.has(version[pin.column] ?? null))) return true
  }
  return false
}

test(
  `a change that the plan calls irrelevant for a person leaves the keys alone (${Math.ceil(RUNS / 3)} worlds, seed ${SEED})`,
  { timeout: TIMEOUT_MS },
  async () => {
    const counts = { spared: 0, concerned: 0 }
    await fc.assert(
      fc.asyncProperty(
        policies,
        rows,
        people,
        fc.array(change, { minLength: 3, maxLength: 5 }),
        async (chosen, content, sessions, changes) => {
          await applyPolicies(chosen)
          await fill(content)
          const plan = await world.compile()
          const all = plan.tables
            .filter(({ name }) => name !== BAD_TABLE)
            .flatMap((table) => table.definitions)
            .flatMap((definition) =>
              sessions
                .filter((session) => definition.roles.includes(session.role))
                .map((session) => ({ definition, session })),
            )
          // Another row may add a class; the evaluation of each class stays the same.
          const among = new Map(
            await Promise.all(
              all.map(async ({ definition }) => [definition, await world.classes(definition)] as const),
            ),
          )
          const keysNow = (): Promise<string[]> =>
            Promise.all(
              all.map(async ({ definition, session }) =>
                JSON.stringify(
                  (await world.keys(session, definition, among.get(definition))).map((key) => key.join(' ')).sort(),
                ),
              ),
            )
          let keys = await keysNow()
          for (const made of changes) {
            const versions = await perform(made)
            if (!versions.some(Boolean)) continue
            const next = await keysNow()
            for (const [index, { definition, session }] of all.entries()) {
              if (await concerns(definition, made.table, versions, session)) counts.concerned++
              else {
                counts.spared++
                expect(next[index], `${definition.keyQuery} of ${JSON.stringify(session)}`).toBe(keys[index])
              }
            }
            keys = next
          }
        },
      ),
      { ...PARAMETERS, numRuns: Math.ceil(RUNS / 3) },
    )
    expect(counts.spared).toBeGreaterThan(RUNS)
    expect(counts.concerned).toBeGreaterThan(RUNS / 10)
  },
)
