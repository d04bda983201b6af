/** Who sees, changes and shares saved views: the policies of `holdfast.views`, asked of Postgres as each person. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { runAs, sql, type Session, type Transaction } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const LEAD = 'aaaaaaaa-0000-4000-8000-000000000001'
const MEMBER = 'aaaaaaaa-0000-4000-8000-000000000002'
const STRANGER = 'aaaaaaaa-0000-4000-8000-000000000003'
const OPERATOR = 'aaaaaaaa-0000-4000-8000-000000000004'
const TEAM = 'bbbbbbbb-0000-4000-8000-000000000001'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
  const { pool } = database
  for (const id of [LEAD, MEMBER, STRANGER, OPERATOR]) {
    await pool.execute(sql`insert into auth.users (id, aud, role) values (${id}, 'authenticated', 'authenticated')`)
  }
  await pool.execute(sql`insert into holdfast.teams (id, name, area) values (${TEAM}, 'North', 'north')`)
  await pool.execute(sql`
    insert into holdfast.team_members (team_id, user_id, function) values (${TEAM}, ${LEAD}, 'lead'), (${TEAM}, ${MEMBER}, 'member')`)
})
afterAll(() => database[Symbol.asyncDispose]())

const session = (sub: string): Session => ({
  role: 'authenticated',
  claims: {
    role: 'authenticated',
    sub,
    ...(sub === OPERATOR && { app_metadata: { holdfast_operator: true } }),
  },
})
const as = <T>(person: string, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  runAs(database.requestPool, session(person), work)

async function add(person: string, name: string, scope: string, isDefault = false): Promise<string> {
  const [row] = await as(person, (tx) =>
    tx.query<{ id: string }>(sql`
      insert into holdfast.views (table_name, name, scope, owner_id, is_default)
      values ('actions', ${name}, ${scope}, ${person}, ${isDefault}) returning id`),
  )
  if (!row) throw new Error('a view was made')
  return row.id
}
const rename = (person: string, id: string): Promise<number> =>
  as(person, (tx) => tx.execute(sql`update holdfast.views set name = 'Renamed' where id = ${id}`))
const seen = async (person: string, id: string): Promise<boolean> =>
  (await as(person, (tx) => tx.query(sql`select 1 from holdfast.views where id = ${id}`))).length === 1

test('a personal view is its owner’s alone, even among leads and operators', async () => {
  const id = await add(STRANGER, 'Mine', 'personal')
  expect(await seen(STRANGER, id)).toBe(true)
  expect(await rename(STRANGER, id)).toBe(1)
  for (const other of [LEAD, MEMBER, OPERATOR]) {
    expect(await seen(other, id)).toBe(false)
    expect(await rename(other, id)).toBe(0)
  }
})

test('a shared view reaches everyone, and members of teams change it', async () => {
  const id = await add(MEMBER, 'Shared', 'shared')
  for (const person of [STRANGER, LEAD, OPERATOR]) expect(await seen(person, id)).toBe(true)
  expect(await rename(STRANGER, id)).toBe(0)
  for (const person of [MEMBER, LEAD, OPERATOR]) expect(await rename(person, id)).toBe(1)
  await expect(add(STRANGER, 'Shared', 'shared')).rejects.toMatchObject({ code: '42501' })
})

test('a locked view reaches everyone, and leads and operators change it', async () => {
  const id = await add(LEAD, 'Locked', 'locked')
  for (const person of [STRANGER, MEMBER, OPERATOR]) expect(await seen(person, id)).toBe(true)
  for (const person of [STRANGER, MEMBER]) expect(await rename(person, id)).toBe(0)
  for (const person of [LEAD, OPERATOR]) expect(await rename(person, id)).toBe(1)
  for (const person of [STRANGER, MEMBER]) {
    await expect(add(person, 'Locked', 'locked')).rejects.toMatchObject({ code: '42501' })
  }
})

test('a member neither locks a shared view nor takes one that another made for themselves', async () => {
  const id = await add(LEAD, 'Everyone’s', 'shared')
  const change = (scope: string): Promise<number> =>
    as(MEMBER, (tx) => tx.execute(sql`update holdfast.views set scope = ${scope} where id = ${id}`))
  await expect(change('locked')).rejects.toMatchObject({ code: '42501' })
  await expect(change('personal')).rejects.toMatchObject({ code: '42501' })
})

test('the owner comes from the sign-in, and stays', async () => {
  const [made] = await as(MEMBER, (tx) =>
    tx.query<{ id: string; owner_id: string }>(sql`
      insert into holdfast.views (table_name, name, owner_id) values ('actions', 'Whose', ${LEAD}) returning id, owner_id`),
  )
  expect(made?.owner_id).toBe(MEMBER)
  await as(MEMBER, (tx) => tx.execute(sql`update holdfast.views set owner_id = ${LEAD} where id = ${made?.id}`))
  expect(await seen(MEMBER, made?.id ?? '')).toBe(true)
  expect(await seen(LEAD, made?.id ?? '')).toBe(false)
})

test('one view of a table opens first', async () => {
  await add(LEAD, 'First', 'locked', true)
  await expect(add(LEAD, 'Also first', 'shared', true)).rejects.toMatchObject({
    constraint: 'holdfast_views_one_default',
  })
  await expect(add(LEAD, 'Mine first', 'personal', true)).rejects.toMatchObject({
    constraint: 'holdfast_views_default_shared',
  })
})

test('a person has at most 200 views, and a table at most 100 that are shared', async () => {
  const fill = (scope: string, count: number): Promise<number> =>
    as(LEAD, (tx) =>
      tx.execute(sql`
        insert into holdfast.views (table_name, name, scope, owner_id)
        select 'sites', 'View ' || n, ${scope}, ${LEAD} from generate_series(1, ${count}::int) n`),
    )
  await expect(fill('personal', 201)).rejects.toMatchObject({ hint: 'view.limit' })
  expect(await fill('personal', 199)).toBe(199)
  await expect(fill('shared', 101)).rejects.toMatchObject({ hint: 'view.limit' })
  expect(await fill('shared', 100)).toBe(100)
})

test('settings are an object and not larger than a link', async () => {
  const set = (config: string): Promise<number> =>
    as(MEMBER, (tx) =>
      tx.execute(
        sql`insert into holdfast.views (table_name, name, config) values ('actions', 'Big', ${config}::jsonb)`,
      ),
    )
  await expect(set('[]')).rejects.toMatchObject({ constraint: 'holdfast_views_config' })
  await expect(set(JSON.stringify({ filter: 'x'.repeat(17_000) }))).rejects.toMatchObject({
    constraint: 'holdfast_views_config',
  })
})
