import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { sql } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { openRefusedRoles } from '../../src/tokens/refused-roles.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await openTestDatabase()
})
afterAll(() => db[Symbol.asyncDispose]())

test('a role that row-level security stops to hold is refused to other issuers without a new start', async () => {
  const name = `reader_${process.pid}_${Date.now()}`
  const role = sql.identifier(name)
  await db.pool.execute(sql`create role ${role}`)
  using roles = await openRefusedRoles(db.pool, silentLogger)
  try {
    expect([roles.isRefused(name), roles.isRefusedToOthers(name)]).toEqual([false, false])

    await db.pool.execute(sql`alter role ${role} bypassrls`)
    const before = roles.generation
    await roles.reload()
    expect([roles.isRefused(name), roles.isRefusedToOthers(name)]).toEqual([false, true])
    expect(roles.generation).toBeGreaterThan(before)

    await db.pool.execute(sql`alter role ${role} nobypassrls superuser`)
    await roles.reload()
    expect([roles.isRefused(name), roles.isRefusedToOthers(name)]).toEqual([true, true])
  } finally {
    await db.pool.execute(sql`drop role ${role}`)
  }
})

test('reserved roles are refused in any spelling', async () => {
  using roles = await openRefusedRoles(db.pool, silentLogger)
  for (const role of ['', 'none', 'Postgres', 'pg_read_all_data', 'PG_X', 'supabase_admin', 'authenticator']) {
    expect(roles.isRefused(role), role).toBe(true)
  }
  expect(roles.isRefused('service_role')).toBe(false)
  expect(roles.isRefusedToOthers('service_role')).toBe(true)
})
