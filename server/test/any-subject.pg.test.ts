import { afterAll, beforeAll, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { compileSyncPlan, readPolicyInput, type SyncPlan } from '@holdfast/policy'
import { runAs, sql, type Session } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

// Tables of our own, for users of other issuers: their subjects may be any text.

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const MEMBER = 'aaaaaaaa-0000-4000-8000-000000000001'
const TEAM = 'bbbbbbbb-0000-4000-8000-000000000001'

let database: TestDatabase
let plan: SyncPlan

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
  const { pool } = database
  await pool.execute(sql`insert into auth.users (id, aud, role) values (${MEMBER}, 'authenticated', 'authenticated')`)
  await pool.execute(sql`insert into holdfast.teams (id, name, area) values (${TEAM}, 'North', 'north')`)
  await pool.execute(sql`insert into holdfast.team_members (team_id, user_id) values (${TEAM}, ${MEMBER})`)
  plan = compileSyncPlan(await readPolicyInput(database.compilerPool, { schemas: ['public', 'holdfast'] }))
  await pool.execute(sql`grant usage on schema sync to authenticated`)
  for (const statement of plan.keyFunctions.flatMap((one) => one.statements)) await pool.execute(sql.trusted(statement))
})
afterAll(() => database[Symbol.asyncDispose]())

const callerWith = (sub: string | undefined): Session => ({
  role: 'authenticated',
  claims: { role: 'authenticated', ...(sub !== undefined && { sub }) },
})

const countIn = (session: Session, table: string): Promise<number> =>
  runAs(database.requestPool, session, async (tx) => {
    const [row] = await tx.query<{ n: number }>(
      sql`select count(*)::int as n from ${sql.identifier('holdfast', table)}`,
    )
    return row?.n ?? -1
  })

const addComment = (session: Session): Promise<unknown> =>
  runAs(database.requestPool, session, (tx) =>
    tx.execute(sql`
      insert into holdfast.comments (table_name, record_id, area, body, author_id)
      values ('sites', gen_random_uuid(), 'north', 'Seen', ${MEMBER})`),
  )

test('constraints and indexes have names that no project looks for', async () => {
  const found = await database.pool.query<{ name: string }>(sql`
    select conname::text as name from pg_constraint where connamespace = 'holdfast'::regnamespace and contype in ('p', 'u', 'f', 'c')
    union all
    select relname from pg_class where relnamespace = 'holdfast'::regnamespace and relkind in ('i', 'I')`)
  expect(found.length).toBeGreaterThan(50)
  expect(found.filter(({ name }) => !name.startsWith('holdfast_'))).toEqual([])
})

test.each(['auth0|6f', '', 'A1', `${MEMBER}x`, `{${MEMBER}}`, undefined])(
  'a caller with the subject %j sees nothing and writes nothing, without an error of types',
  async (sub) => {
    for (const table of ['teams', 'team_members', 'comments', 'views', 'dashboards']) {
      expect(await countIn(callerWith(sub), table), table).toBe(0)
    }
    await expect(addComment(callerWith(sub))).rejects.toMatchObject({ code: '42501' })
  },
)

test.each([MEMBER, MEMBER.toUpperCase()])('a member with the subject %s sees their team and comments', async (sub) => {
  expect(await countIn(callerWith(sub), 'teams')).toBe(1)
  expect(await countIn(callerWith(sub), 'team_members')).toBe(1)
  await addComment(callerWith(sub))
  expect(await countIn(callerWith(sub), 'comments')).toBeGreaterThan(0)
})

test('devices of such a caller get empty keys of these tables, and a change of members still concerns only its user', async () => {
  const tables = plan.tables.filter(({ schema }) => schema === 'holdfast')
  expect(tables.map(({ name }) => name).toSorted()).toEqual([
    'automation_runs',
    'automations',
    'checklists',
    'comments',
    'computed_fields',
    'dashboards',
    'favourites',
    'fields',
    'invitations',
    'invite_links',
    'members',
    'notices',
    'public_forms',
    'read_marks',
    'shares',
    'table_rules',
    'tables',
    'team_members',
    'teams',
    'template_loads',
    'transitions',
    'view_links',
    'views',
    'workspaces',
  ])
  const definitions = tables.flatMap((table) => table.definitions)
  expect(definitions.length).toBeGreaterThan(3)
  for (const { keyQuery } of definitions) {
    const asked = runAs(database.requestPool, callerWith('auth0|6f'), (tx) => tx.query(sql.trusted(keyQuery)))
    await expect(asked).resolves.toBeInstanceOf(Array)
  }
  const onMembers = definitions.flatMap(({ dependencies }) =>
    dependencies.filter(({ name }) => name === 'team_members'),
  )
  expect(onMembers.length).toBeGreaterThan(0)
  for (const { pin } of onMembers) {
    expect(pin).toMatchObject({ column: 'user_id', claimSql: expect.stringContaining("'sub'") as string })
  }
})
