import { sql } from '@holdfast/postgres'
import { openTestDatabase } from '@holdfast/test-support'
import { describe, expect, test } from 'vitest'
import { copyRows } from '../src/copy/copy-rows.ts'
import type { Tuple } from '../src/events.ts'
import { createSlot, dropSlot, findSlot, releaseSlot } from '../src/slot.ts'
import { readTable } from '../src/snapshot.ts'

async function collect(batches: AsyncIterable<readonly Tuple[]>): Promise<Tuple[]> {
  const rows: Tuple[] = []
  for await (const batch of batches) rows.push(...batch)
  return rows
}

describe('a new slot', () => {
  test('shows the data as it was at its consistent point, whatever is written since', async () => {
    await using db = await openTestDatabase()
    await db.pool.execute(sql`create table t (id int primary key, a text)`)
    await db.pool.execute(sql`insert into t values (1, 'before')`)
    await using slot = await createSlot({ url: db.url, name: db.name, temporary: true })
    await db.pool.execute(sql`insert into t values (2, 'after')`)
    await db.pool.execute(sql`update t set a = 'changed'`)

    const read = (): Promise<Tuple[]> =>
      collect(
        readTable({ url: db.url, snapshotName: slot.snapshotName, schema: 'public', table: 't', columns: ['a', 'id'] }),
      )
    expect(await read()).toEqual([['before', '1']])
    expect(await read()).toEqual([['before', '1']])
    expect(await findSlot(db.pool, db.name)).toMatchObject({ active: true, confirmedFlushLsn: slot.consistentPoint })
  })

  test('takes its snapshot along when it is disposed, and stays itself unless temporary', async () => {
    await using db = await openTestDatabase()
    await db.pool.execute(sql`create table t (id int primary key)`)
    const slot = await createSlot({ url: db.url, name: db.name })
    await slot[Symbol.asyncDispose]()
    expect(slot.lost.aborted).toBe(false)
    const reading = collect(
      readTable({ url: db.url, snapshotName: slot.snapshotName, schema: 'public', table: 't', columns: ['id'] }),
    )
    await expect(reading).rejects.toMatchObject({ code: 'replication_snapshot_gone' })
    expect(await findSlot(db.pool, db.name)).toMatchObject({ active: false, walStatus: 'reserved' })
    expect(await dropSlot(db.pool, db.name)).toBe(true)
    expect(await findSlot(db.pool, db.name)).toBeUndefined()
    expect(await dropSlot(db.pool, db.name)).toBe(false)
  })

  test('is refused when the name is taken', async () => {
    await using db = await openTestDatabase()
    await using first = await createSlot({ url: db.url, name: db.name, temporary: true })
    await expect(createSlot({ url: db.url, name: db.name })).rejects.toMatchObject({ code: 'replication_slot_exists' })
    expect(first.lost.aborted).toBe(false)
  })

  test('tells that its snapshot is lost when its connection breaks', async () => {
    await using db = await openTestDatabase()
    await using slot = await createSlot({ url: db.url, name: db.name, temporary: true })
    const lost = new Promise((resolve) => slot.lost.addEventListener('abort', resolve, { once: true }))
    expect(await releaseSlot(db.pool, db.name)).toBe(false) // a temporary slot is dropped with its connection
    await lost
    expect(slot.lost.reason).toMatchObject({ code: 'replication_connection_lost' })
  })
})

describe('reading a table', () => {
  test('of a partitioned table all partitions are read, of an inheriting one only its own rows', async () => {
    await using db = await openTestDatabase()
    await db.pool.execute(sql`create table p (id int primary key) partition by range (id)`)
    await db.pool.execute(sql`create table p1 partition of p for values from (0) to (10)`)
    await db.pool.execute(sql`create table p2 partition of p for values from (10) to (20)`)
    await db.pool.execute(sql`insert into p values (1), (11)`)
    await db.pool.execute(sql`create table parent (id int primary key)`)
    await db.pool.execute(sql`create table child () inherits (parent)`)
    await db.pool.execute(sql`insert into parent values (1)`)
    await db.pool.execute(sql`insert into child values (2)`)
    await using slot = await createSlot({ url: db.url, name: db.name, temporary: true })
    const read = (table: string): Promise<Tuple[]> =>
      collect(readTable({ url: db.url, snapshotName: slot.snapshotName, schema: 'public', table, columns: ['id'] }))
    expect(await read('p')).toEqual([['1'], ['11']])
    expect(await read('parent')).toEqual([['1']])
  })

  test('a consumer that takes its time gets every row once, in batches of the asked size, and the socket waits', async () => {
    await using db = await openTestDatabase()
    const query = sql`select i, repeat('x', 400) from generate_series(1, 150000) i`
    let next = 1
    for await (const batch of copyRows({ url: db.url, query, batchRows: 7000 })) {
      expect(batch.length).toBeLessThanOrEqual(7000)
      if (next < 20_000) {
        const waitEvent = async (): Promise<string | null | undefined> => {
          const [backend] = await db.pool.query<{ wait_event: string | null }>(
            sql`select wait_event from pg_stat_activity where datname = ${db.name} and application_name = 'holdfast snapshot'`,
          )
          return backend?.wait_event
        }
        await expect.poll(waitEvent, { timeout: 60_000 }).toBe('ClientWrite')
      }
      for (const row of batch) expect(row[0]).toBe(String(next++))
    }
    expect(next).toBe(150_001)
  })

  test('leaving the loop early frees the connection', async () => {
    await using db = await openTestDatabase()
    for await (const _ of copyRows({ url: db.url, query: sql`select i from generate_series(1, 10000000) i` })) break
    await expect
      .poll(
        () =>
          db.pool.query(
            sql`select pid from pg_stat_activity where datname = ${db.name} and application_name = 'holdfast snapshot'`,
          ),
        { timeout: 60_000 },
      )
      .toEqual([])
  })

  test('an error in the middle of the rows reaches the consumer with its SQLSTATE', async () => {
    await using db = await openTestDatabase()
    const query = sql`select 1 / (5000 - i) from generate_series(1, 10000) i`
    await expect(collect(copyRows({ url: db.url, query }))).rejects.toMatchObject({ code: '22012' })
  })

  test('a broken connection is an error, not the end of the table', async () => {
    await using db = await openTestDatabase()
    const reading = collect(copyRows({ url: db.url, query: sql`select pg_sleep(30)` }))
    const failed = expect(reading).rejects.toMatchObject({ code: '57P01' })
    await expect
      .poll(() =>
        db.pool.query(
          sql`select pg_terminate_backend(pid) as done from pg_stat_activity
            where datname = ${db.name} and application_name = 'holdfast snapshot' and wait_event = 'PgSleep'`,
        ),
      )
      .toEqual([{ done: true }])
    await failed
  })
})
