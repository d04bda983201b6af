import { delay } from '@holdfast/foundation'
import { createPool, sql, type Pool } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { expect, test } from 'vitest'
import { ensurePublication } from '../src/publication.ts'

/**
 * Tables are published without their users noticing: no statement fails, because locks are taken in an order that prevents deadlocks, and conflicts with GRANT
 * and REVOKE are avoided.
 */
const NAME = 'changes'
const TABLES = Array.from({ length: 12 }, (_, index) => ({
  schema: 'public',
  name: `t${String(index).padStart(2, '0')}`,
}))

async function withTables(): Promise<TestDatabase> {
  const db = await openTestDatabase()
  for (const { name } of TABLES) await db.pool.execute(sql`create table ${sql.identifier(name)} (id int primary key)`)
  return db
}

/** Reverts {@link ensurePublication} while no other session is active. */
async function undo(pool: Pool): Promise<void> {
  await pool.execute(sql`drop publication if exists ${sql.identifier(NAME)}`)
  for (const { name } of TABLES) await pool.execute(sql`alter table ${sql.identifier(name)} replica identity default`)
}

async function publishedCount(pool: Pool): Promise<number> {
  return (await pool.query(sql`select from pg_publication_tables where pubname = ${NAME}`)).length
}

test('a session that changes rights of all tables meanwhile does not fail', async () => {
  await using db = await withTables()
  for (let round = 0; round < 2; round++) {
    let isDone = false
    const publishing = (async () => {
      let left = 1
      while (left > 0) left = (await ensurePublication(db.pool, { name: NAME, tables: TABLES })).busy.length
      isDone = true
    })()
    while (!isDone) {
      await db.pool.execute(sql`grant select on all tables in schema public to anon`)
      await db.pool.execute(sql`revoke select on all tables in schema public from anon`)
      await delay(5)
    }
    await publishing
    expect(await publishedCount(db.pool)).toBe(TABLES.length)
    await undo(db.pool)
  }
})

test('a session that truncates the tables in another order does not fail, and waits for few of them', async () => {
  await using db = await withTables()
  const backwards = sql.join(TABLES.toReversed().map(({ name }) => sql.identifier(name)))
  for (let round = 0; round < 2; round++) {
    let isDone = false
    const publishing = (async () => {
      let left = 1
      while (left > 0) left = (await ensurePublication(db.pool, { name: NAME, tables: TABLES })).busy.length
      isDone = true
    })()
    while (!isDone) {
      await db.pool.execute(sql`truncate ${backwards}`)
      await delay(5)
    }
    await publishing
    expect(await publishedCount(db.pool)).toBe(TABLES.length)
    await undo(db.pool)
  }
})

test('a table that a session has locked for long is left for later, and all others are published', async () => {
  await using db = await withTables()
  await using other = createPool({ url: db.url, applicationName: 'test', connectionsMax: 1 })
  await other.transaction(async (tx) => {
    await tx.execute(sql`select from t03`)
    await tx.execute(sql`lock table t03 in access share mode`)
    const { busy } = await ensurePublication(db.pool, { name: NAME, tables: TABLES })
    expect(busy).toEqual([{ schema: 'public', name: 't03', reason: expect.stringContaining('lock') as string }])
    expect(await publishedCount(db.pool)).toBe(TABLES.length - 1)
    // Continuing to hold it harms nobody.
    await tx.execute(sql`insert into t03 values (1)`)
  })
  expect(await ensurePublication(db.pool, { name: NAME, tables: TABLES })).toMatchObject({ changed: true, busy: [] })
})

test('a transaction that has changed rights and is not over delays only what it has to', async () => {
  await using db = await withTables()
  await using other = createPool({ url: db.url, applicationName: 'test', connectionsMax: 1 })
  await other.transaction(async (tx) => {
    await tx.execute(sql`grant select on t00 to anon`)
    const { busy } = await ensurePublication(db.pool, { name: NAME, tables: TABLES.slice(0, 1) })
    expect(busy).toHaveLength(1)
    await tx.execute(sql`grant select on t01 to anon`)
  })
  expect((await ensurePublication(db.pool, { name: NAME, tables: TABLES })).busy).toEqual([])
})
