import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Logger } from '@holdfast/foundation'
import { createPool, sql, type Pool } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { openFunctionsDatabase, type FunctionsDatabase } from '../src/database-role.ts'

// Database access of functions if their role can be created, already exists, or cannot be created by the user of DATABASE_URL.

let db: TestDatabase
let lines: { readonly message: string; readonly hint: unknown }[]
const logger: Logger = { log: (_level, message, fields) => void lines.push({ message, hint: fields?.['hint'] }) }

beforeEach(async () => {
  lines = []
  db = await openTestDatabase()
  await db.pool.execute(sql`drop role if exists holdfast_functions`)
})
afterEach(async () => {
  await db.pool.execute(sql`drop role if exists holdfast_functions`)
  await db[Symbol.asyncDispose]()
})

function open(pool: Pool, connectionsMax: number): FunctionsDatabase {
  return openFunctionsDatabase({ pool, requestUrl: db.requestUrl, connectionsMax, logger })
}

async function roleOf(pool: Pool): Promise<unknown> {
  const [row] = await pool.query(sql`
    select rolcanlogin as login, rolsuper as superuser, rolbypassrls as bypasses, rolconnlimit as connections
      from pg_roles where rolname = 'holdfast_functions'`)
  return row
}

test('a role is made with the first call, logs in, and follows the option', async () => {
  const url = await open(db.pool, 3).url()
  expect(await roleOf(db.pool)).toEqual({ login: true, superuser: false, bypasses: true, connections: 3 })
  await using own = createPool({ url: url ?? '', applicationName: 'test', connectionsMax: 1 })
  expect(
    await own.query(sql`select current_setting('statement_timeout') as timeout, session_user::text as role`),
  ).toEqual([{ timeout: '2min', role: 'holdfast_functions' }])

  expect(await open(db.pool, 5).url()).toBe(url)
  expect(await roleOf(db.pool)).toMatchObject({ connections: 5 })
  expect(lines).toEqual([])
})

test('connections of all functions have a limit, and the server has its own', async () => {
  const url = (await open(db.pool, 1).url()) ?? ''
  await using first = createPool({ url, applicationName: 'test', connectionsMax: 1 })
  await first.withClient(async () => {
    await using second = createPool({ url, applicationName: 'test', connectionsMax: 1 })
    await expect(second.query(sql`select 1`)).rejects.toMatchObject({ code: '53300' })
    expect(await db.requestPool.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
  })
})

test('a user who may not make roles is told what to do, and the variable is left out', async () => {
  const user = `${db.name}_user`
  await db.pool.execute(sql`create role ${sql.identifier(user)} login password 'user'`)
  const url = new URL(db.url)
  url.username = user
  url.password = 'user'
  await using pool = createPool({ url: url.href, applicationName: 'test', connectionsMax: 1 })
  expect(await open(pool, 3).url()).toBeUndefined()
  expect(lines).toMatchObject([
    {
      message: expect.stringContaining('edge functions get no SUPABASE_DB_URL') as string,
      hint: expect.stringContaining('create role holdfast_functions login bypassrls connection limit 3') as string,
    },
  ])
  await db.pool.execute(sql`drop role ${sql.identifier(user)}`)
})

test('a role of that name that may do more is not used', async () => {
  await db.pool.execute(sql`create role holdfast_functions login superuser`)
  expect(await open(db.pool, 3).url()).toBeUndefined()
  expect(lines).toHaveLength(1)
})
