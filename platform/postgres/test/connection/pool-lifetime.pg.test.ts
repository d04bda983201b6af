import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { sql } from '../../src/sql/sql.ts'
import { createPool, type Queryable } from '../../src/connection/pool.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await openTestDatabase()
})

afterAll(async () => {
  await db[Symbol.asyncDispose]()
})

async function backendOf(queryable: Queryable): Promise<number | undefined> {
  const [row] = await queryable.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  return row?.pid
}

test('a connection that has lived long enough is replaced, although it is used all the time', async () => {
  await using pool = createPool({ url: db.url, applicationName: 'test', connectionsMax: 1, lifetimeS: 1 })
  const first = await backendOf(pool)
  await expect.poll(() => backendOf(pool)).not.toBe(first)
})

test('a transaction keeps its connection to its end', async () => {
  await using pool = createPool({ url: db.url, applicationName: 'test', connectionsMax: 1, lifetimeS: 1 })
  await pool.transaction(async (tx) => {
    const first = await backendOf(tx)
    await tx.execute(sql`select pg_sleep(1.5)`)
    expect(await backendOf(tx)).toBe(first)
  })
})
