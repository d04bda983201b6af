import { afterAll, beforeAll, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { runAs, sql } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const id = (n: number): string => `aaaaaaaa-0000-4000-8000-00000000000${n}`
const [ANN, BEN, LOCK, OTHER_LOCK] = [id(1), id(2), id(3), id(4)] as const

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
  for (const user of [ANN, BEN])
    await database.pool.execute(sql`insert into auth.users (id, email) values (${user}, ${`${user}@example.org`})`)
  await database.pool.execute(sql`
    insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
      values (${id(9)}, ${BEN}, 'totp', 'verified', now(), now())`)
})
afterAll(() => database[Symbol.asyncDispose]())

async function lockKey(lock: string, claims: Readonly<Record<string, string>>): Promise<string> {
  const role = claims['sub'] === undefined ? 'anon' : 'authenticated'
  const rows = await runAs(database.requestPool, { role, claims: { role, ...claims } }, (tx) =>
    tx.query<{ key: string }>(sql`select holdfast.lock_key(${lock}) as key`),
  )
  return rows[0]?.key ?? ''
}

test('a lock has one key of 32 bytes per user, another one for each lock and user, and none for nobody', async () => {
  const key = await lockKey(LOCK, { sub: ANN })
  expect(Buffer.from(key, 'base64')).toHaveLength(32)
  expect(await lockKey(LOCK, { sub: ANN })).toBe(key)
  expect(await lockKey(OTHER_LOCK, { sub: ANN })).not.toBe(key)
  expect(await lockKey(LOCK, { sub: BEN, aal: 'aal2' })).not.toBe(key)
  await expect(lockKey(LOCK, {})).rejects.toThrow('permission denied')
})

test('a session without the second factor of its user gets no key', async () => {
  await expect(lockKey(LOCK, { sub: BEN, aal: 'aal1' })).rejects.toThrow('Enter the second factor first.')
  await expect(lockKey(LOCK, { sub: BEN })).rejects.toThrow('Enter the second factor first.')
})

test('the secret behind the keys is readable by no role of the API', async () => {
  for (const role of ['anon', 'authenticated', 'service_role']) {
    const read = runAs(database.requestPool, { role, claims: { role } }, (tx) =>
      tx.query(sql`select secret from holdfast.lock_secret`),
    )
    await expect(read).rejects.toThrow('permission denied')
  }
})
