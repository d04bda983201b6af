import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createPool, sql, type Pool } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { createChangeSlot } from '../../src/replicator/setup/change-slot.ts'

/*
 * Postgres makes a slot once all transactions have ended that had written something by then. A transaction that a person forgot is named, and giving up leaves nothing.
 */

let db: TestDatabase
let forgotten: Pool

beforeEach(async () => {
  db = await openTestDatabase()
  forgotten = createPool({ url: db.url, applicationName: 'forgotten', connectionsMax: 1 })
  await db.pool.execute(sql`create table public.written (id int)`)
})

afterEach(async () => {
  await forgotten[Symbol.asyncDispose]()
  await db[Symbol.asyncDispose]()
})

/** Makes the slot while a transaction is open. */
async function makeBeside(
  body: (making: Promise<unknown>, pid: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  problems.length = 0
  await forgotten.transaction(async (tx) => {
    await tx.execute(sql`insert into public.written values (1)`)
    const [own] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    const { pool, url, name } = db
    const onWaiting = (problem: string | undefined): void => void problems.push(problem)
    const making = createChangeSlot({ pool, url, name, signal, onWaiting, logger: silentLogger })
    making.catch(() => undefined)
    await body(making, own?.pid ?? 0)
  })
}

const problems: (string | undefined)[] = []

async function slots(): Promise<unknown[]> {
  return await db.pool.query(sql`select from pg_replication_slots where slot_name = ${db.name}`)
}

test('names the transaction that it waits for, and is made once that has ended', async () => {
  let made: Promise<unknown> | undefined
  await makeBeside(async (making, pid) => {
    made = making
    await expect.poll(() => problems.join()).toContain(`process ${pid} of role`)
    expect(problems.join()).toMatch(/\(forgotten\) in database test_\w+, open since \d{4}-.*pg_terminate_backend/)
  }, new AbortController().signal)
  const slot = (await made) as AsyncDisposable
  expect(problems.at(-1)).toBeUndefined()
  expect(await slots()).toHaveLength(1)
  await slot[Symbol.asyncDispose]()
})

test('gives up at once when it is told to, and leaves no slot and no connection', async () => {
  const stopping = new AbortController()
  await makeBeside(async (making) => {
    await expect.poll(() => problems.length).toBeGreaterThan(0)
    stopping.abort(new Error('stopped'))
    await expect(making).rejects.toThrow()
    await expect
      .poll(() =>
        db.pool.query(sql`select from pg_stat_activity where application_name = ${`holdfast slot ${db.name}`}`),
      )
      .toEqual([])
    expect(await slots()).toEqual([])
  }, stopping.signal)
})
