import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { createPool, type Pool } from '../../src/connection/pool.ts'
import { sql } from '../../src/sql/sql.ts'
import { openRequestRole } from '../../src/migrate/request-password.ts'

/*
 * Pins that servers with different passwords agree on one, whether they can compare verifiers as superusers or must try to log in. No server's login changes
 * while it works.
 */

let db: TestDatabase
let role: string
/** Owner of the role, not a superuser. */
let owner: string
let ownerPool: Pool

/** Separate roles, because other tests log in as the real ones. */
beforeEach(async () => {
  db = await openTestDatabase()
  role = `${db.name}_requests`
  owner = `${db.name}_owner`
  await db.pool.execute(sql`create role ${sql.identifier(owner)} login createrole password 'owner'`)
  await db.pool.execute(sql`grant usage on schema holdfast to ${sql.identifier(owner)}`)
  await db.pool.execute(
    sql`grant select, insert, update, delete on holdfast.login_passwords to ${sql.identifier(owner)}`,
  )
  ownerPool = createPool({ url: urlAs(owner, 'owner'), applicationName: 'test', connectionsMax: 3 })
  await ownerPool.execute(sql`create role ${sql.identifier(role)} login`)
})

afterEach(async () => {
  await ownerPool[Symbol.asyncDispose]()
  await db.pool.execute(sql`drop owned by ${sql.identifier(owner)}`)
  await db.pool.execute(sql`drop role ${sql.identifier(role)}, ${sql.identifier(owner)}`)
  await db[Symbol.asyncDispose]()
})

function urlAs(user: string, password: string): string {
  const url = new URL(db.url)
  url.username = user
  url.password = password
  return url.href
}

function serverWith(
  ...passwords: readonly [string, ...string[]]
): Pick<Cluster, 'kind' | 'requestUrl' | 'otherRequestUrls'> {
  const [requestUrl = '', ...otherRequestUrls] = passwords.map((password) => urlAs(role, password))
  return { kind: 'external', requestUrl, otherRequestUrls }
}

const open = (pool: Pool, ...passwords: readonly [string, ...string[]]): Promise<string> =>
  openRequestRole(pool, serverWith(...passwords), () => [], silentLogger)

async function logsIn(password: string): Promise<boolean> {
  await using pool = createPool({ url: urlAs(role, password), applicationName: 'test', connectionsMax: 1 })
  return pool.query(sql`select 1`).then(
    () => true,
    () => false,
  )
}

for (const as of ['a superuser', 'the owner of the role'])
  test(`as ${as}, servers with passwords of their own agree on that of the first`, async () => {
    const pool = as === 'a superuser' ? db.pool : ownerPool
    expect(await open(pool, 'first')).toBe(urlAs(role, 'first'))
    expect(await logsIn('first')).toBe(true)
    expect(await open(pool, 'second')).toBe(urlAs(role, 'first'))
    expect(await open(pool, 'second', 'third')).toBe(urlAs(role, 'first'))
    expect(await logsIn('first')).toBe(true)
    expect(await logsIn('second')).toBe(false)
  })

test('a password that works is kept where none is recorded, as after a server of an earlier release', async () => {
  for (const pool of [db.pool, ownerPool]) {
    await db.pool.execute(sql`delete from holdfast.login_passwords`)
    await db.pool.execute(sql`alter role ${sql.identifier(role)} password 'of before'`)
    expect(await open(pool, 'new', 'of before')).toBe(urlAs(role, 'of before'))
    expect(await open(pool, 'another')).toBe(urlAs(role, 'of before'))
  }
})

test('a recorded password that no longer works is replaced by one that does, or by one that is set', async () => {
  for (const pool of [db.pool, ownerPool]) {
    await open(pool, 'first')
    await db.pool.execute(sql`alter role ${sql.identifier(role)} password 'by hand'`)
    expect(await open(pool, 'mine', 'by hand')).toBe(urlAs(role, 'by hand'))
    await db.pool.execute(sql`alter role ${sql.identifier(role)} password 'known to no server'`)
    expect(await open(pool, 'mine')).toBe(urlAs(role, 'mine'))
    expect(await logsIn('mine')).toBe(true)
  }
})

test('servers that start together agree', async () => {
  const urls = await Promise.all(['one', 'two', 'three', 'four'].map((password) => open(db.pool, password)))
  expect(new Set(urls).size).toBe(1)
  expect(await logsIn(new URL(urls[0] ?? '').password)).toBe(true)
})

test('an embedded cluster has the password of its data folder, and the others take it', async () => {
  await openRequestRole(db.pool, { ...serverWith('of the folder'), kind: 'embedded' }, () => [], silentLogger)
  expect(await open(db.pool, 'mine')).toBe(urlAs(role, 'of the folder'))
})

test('only Holdfast knows the password', async () => {
  await open(db.pool, 'secret')
  const reading = sql`select has_table_privilege(r, 'holdfast.login_passwords', 'select') as may
    from unnest(array['anon', 'authenticated', 'service_role', 'authenticator', 'holdfast_evaluator']) r`
  expect(await db.pool.query(reading)).toEqual(Array.from({ length: 5 }, () => ({ may: false })))
})
