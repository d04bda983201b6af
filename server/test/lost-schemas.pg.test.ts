import { afterEach, beforeEach, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import type { Logger } from '@holdfast/foundation'
import { applyMigrations, findLostSchemas, platformMigrations, sql, type MigrationSource } from '@holdfast/postgres'
import { realtimeMigrations } from '@holdfast/realtime'
import { storageMigrations } from '@holdfast/storage'
import { syncMigrations } from '@holdfast/sync'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

/**
 * Tools that reset a database drop the schemas that belong to the role they act as. Holdfast's belong to another one; and when they are gone all the same, they
 * are made again, the log says so, and existing ones are left alone.
 */
const serverMigrations: MigrationSource = {
  name: 'holdfast',
  directory: new URL('../migrations/', import.meta.url),
  witness: 'holdfast.settings',
}
const sources = [
  platformMigrations,
  authMigrations,
  storageMigrations,
  realtimeMigrations,
  syncMigrations,
  serverMigrations,
]
const OURS = ['auth', 'holdfast', 'realtime', 'storage', 'subscription', 'sync']

let db: TestDatabase
let said: string[]

const logger: Logger = {
  log: (level, message) => {
    if (level === 'error') said.push(message)
  },
}
const apply = (): Promise<unknown> => applyMigrations({ pool: db.pool, sources, logger })

beforeEach(async () => {
  said = []
  db = await openTestDatabase({ migrations: sources })
})

afterEach(() => db[Symbol.asyncDispose]())

/** Every object of ours, by name. */
async function contents(): Promise<readonly string[]> {
  const rows = await db.pool.query<{ one: string }>(sql`
    select 'relation ' || c.oid::regclass as one from pg_class c
     where c.relnamespace = any(select oid from pg_namespace where nspname = any(${OURS}::text[]))
    union all
    select 'function ' || p.oid::regprocedure || md5(p.prosrc) from pg_proc p
     where p.pronamespace = any(select oid from pg_namespace where nspname = any(${OURS}::text[]))
    union all select 'event trigger ' || evtname from pg_event_trigger
    union all select 'policy ' || polname || ' ' || polrelid::regclass from pg_policy
    union all select 'schema ' || nspname || ' ' || nspowner::regrole from pg_namespace where nspname = any(${OURS}::text[])
    order by 1`)
  return rows.map(({ one }) => one)
}

test('the schemas belong to a role that no project acts as, so that a reset that looks at the owner leaves them', async () => {
  const rows = await db.pool.query(sql`
    select n.nspname as name, r.rolname as owner, pg_has_role('postgres', r.oid, 'member') as is_project
      from pg_namespace n join pg_roles r on r.oid = n.nspowner where n.nspname = any(${OURS}::text[]) order by 1`)
  expect(rows).toEqual(OURS.map((name) => ({ name, owner: 'supabase_admin', is_project: false })))
})

test.each([
  ['all of them', 'drop schema auth, holdfast, sync, subscription cascade'],
  ['all but a small one', 'drop schema auth, holdfast, sync cascade'],
  ['sync', 'drop schema sync cascade'],
  ['holdfast, and with it the record of what was applied', 'drop schema holdfast cascade'],
])('%s: what was dropped is made again as it was', async (_, reset) => {
  await db.pool.execute(sql`create publication holdfast`) // as sync does, outside of all schemas
  const before = await contents()
  await db.pool.execute(sql.trusted(reset))
  await apply()
  expect(await contents()).toEqual(before)
  expect(said).toEqual(['schemas of Holdfast were dropped by another session, and are made again'])
  await apply()
  expect(said).toHaveLength(1)
})

test.each([
  ['subscription alone', 'drop schema subscription cascade'],
  ['one function of it', 'drop function subscription.moment(text) cascade'],
])('%s: comes back, and what devices ask for is read by everybody as before', async (_, reset) => {
  const rights = sql`select nspowner::regrole as owner, has_schema_privilege('authenticated', oid, 'usage') as may,
      has_function_privilege('anon', 'subscription.parameter(text)', 'execute') as reads
    from pg_namespace where nspname = 'subscription'`
  const [before, rightsBefore] = [await contents(), await db.pool.query(rights)]
  await db.pool.execute(sql.trusted(reset))
  expect(await findLostSchemas(db.pool, sources)).toEqual(['subscription'])
  await apply()
  expect(await contents()).toEqual(before)
  expect(await db.pool.query(rights)).toEqual(rightsBefore)
  expect(said).toEqual(['functions of Holdfast were dropped by another session, and are made again'])
  expect(await findLostSchemas(db.pool, sources)).toEqual([])
})

test('what was not dropped keeps its contents', async () => {
  await db.pool.execute(sql`insert into auth.users (id, email) values (gen_random_uuid(), 'kept@example.org')`)
  await db.pool.execute(sql`drop schema holdfast, sync cascade`)
  await apply()
  expect(await db.pool.query(sql`select email from auth.users`)).toEqual([{ email: 'kept@example.org' }])
})

test('auth alone comes back empty, and can be used by those who could before', async () => {
  await db.pool.execute(sql`insert into auth.users (id, email) values (gen_random_uuid(), 'gone@example.org')`)
  await db.pool.execute(sql`drop schema auth cascade`)
  await apply()
  expect(await db.pool.query(sql`select email from auth.users`)).toEqual([])
  expect(await db.pool.query(sql`select has_schema_privilege('authenticated', 'auth', 'usage') as may`)).toEqual([
    { may: true },
  ])
})
