import { silentLogger } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import { openTestDatabase } from '@holdfast/test-support'
import { describe, expect, test } from 'vitest'
import type { ReplicationStream, Tuple } from '../../src/events.ts'
import { ensurePublication } from '../../src/publication.ts'
import { createSlot, dropSlot, findSlot, releaseSlot } from '../../src/slot.ts'
import { openReplicationStream } from '../../src/read-slot/renewed-stream.ts'

// Pins that memory is bounded by the consumer's pace, each way of losing slot or connection has its own error, and a disposed stream leaves nothing behind.

const PUBLICATION = 'changes'

interface Setup extends AsyncDisposable {
  readonly pool: Pool
  readonly name: string
  open(): Promise<ReplicationStream>
}

/** A database with table `items` published and an equally named slot. */
async function setUp(): Promise<Setup> {
  const db = await openTestDatabase()
  await db.pool.execute(sql`create table items (id int primary key, a text)`)
  await ensurePublication(db.pool, { name: PUBLICATION, tables: [{ schema: 'public', name: 'items' }] })
  await (await createSlot({ url: db.url, name: db.name }))[Symbol.asyncDispose]()
  return {
    pool: db.pool,
    name: db.name,
    open: () => openReplicationStream({ url: db.url, slot: db.name, publication: PUBLICATION, logger: silentLogger }),
    async [Symbol.asyncDispose]() {
      await dropSlot(db.pool, db.name)
      await db[Symbol.asyncDispose]()
    },
  }
}

/** Whether Postgres has unsent data because the reader is slow. */
async function waitsForReader({ pool }: Setup): Promise<boolean> {
  const held = await pool.query(
    sql`select from pg_stat_activity where backend_type = 'walsender' and datname = current_database() and wait_event = 'WalSenderWriteData'`,
  )
  return held.length > 0
}

/** The next inserted row. */
async function nextInsert(stream: ReplicationStream): Promise<Tuple> {
  for await (const batch of stream.batches) for (const event of batch) if (event.kind === 'insert') return event.row
  throw new Error('the stream ended early')
}

describe('a slow consumer', () => {
  test('holds up Postgres, not memory, through a transaction of 200,000 rows', async () => {
    await using setup = await setUp()
    await using stream = await setup.open()
    await setup.pool.execute(sql`insert into items select i, repeat('x', 400) from generate_series(1, 200000) i`)
    globalThis.gc?.()
    const heapBefore = process.memoryUsage().heapUsed
    let rows = 0
    let largest = 0
    let heapMost = 0
    let stalled = 0
    for await (const batch of stream.batches) {
      rows += batch.filter((event) => event.kind === 'insert').length
      largest = Math.max(largest, batch.length)
      if (batch.some((event) => event.kind === 'commit')) break
      if (stalled < 3) {
        stalled++
        await expect.poll(() => waitsForReader(setup)).toBe(true)
        heapMost = Math.max(heapMost, process.memoryUsage().heapUsed - heapBefore)
      }
    }
    expect(rows).toBe(200_000)
    expect(largest).toBeLessThan(4_000) // half a megabyte of 400-byte rows, plus what arrived with it
    expect(heapMost).toBeLessThan(80 * 1024 * 1024) // everything at once would exceed 100
  })
})

describe('losing the slot', () => {
  const opening = (setup: Setup): Promise<ReplicationStream> => setup.open()

  test('a slot that was dropped is missing', async () => {
    await using setup = await setUp()
    await dropSlot(setup.pool, setup.name)
    await expect(opening(setup)).rejects.toMatchObject({
      code: 'replication_slot_missing',
      detail: expect.any(String) as string,
      hint: expect.any(String) as string,
    })
  })

  test('a slot that another one reads is busy, and free as soon as that one is disposed', async () => {
    await using setup = await setUp()
    const first = await setup.open()
    const pid = (await findSlot(setup.pool, setup.name))?.activePid
    await expect(opening(setup)).rejects.toMatchObject({
      code: 'replication_slot_busy',
      detail: expect.stringContaining(String(pid)) as string,
    })
    await first[Symbol.asyncDispose]()
    await using second = await setup.open()
    await setup.pool.execute(sql`insert into items values (1, 'a')`)
    expect(await nextInsert(second)).toEqual(['1', 'a'])
  })

  test('a publication that does not exist is refused, for Postgres would deliver nothing', async () => {
    await using setup = await setUp()
    await setup.pool.execute(sql`drop publication ${sql.identifier(PUBLICATION)}`)
    await expect(opening(setup)).rejects.toMatchObject({ code: 'replication_publication_missing' })
  })

  test('a walsender that is killed ends the iteration with the reason, after what had arrived', async () => {
    await using setup = await setUp()
    const stream = await setup.open()
    const reading = (async () => {
      for await (const _ of stream.batches);
    })()
    const failed = expect(reading).rejects.toMatchObject({
      code: 'replication_connection_lost',
      cause: { code: '57P01' },
    })
    expect(await releaseSlot(setup.pool, setup.name)).toBe(true)
    await failed
    await stream[Symbol.asyncDispose]()
    await using again = await setup.open()
    await setup.pool.execute(sql`insert into items values (1, 'a')`)
    expect(await nextInsert(again)).toEqual(['1', 'a'])
  })

  test('an unreachable Postgres is a lost connection', async () => {
    await expect(
      openReplicationStream({
        url: 'postgres://postgres@127.0.0.1:1/nowhere',
        slot: 's',
        publication: PUBLICATION,
        logger: silentLogger,
      }),
    ).rejects.toMatchObject({ code: 'replication_connection_lost', cause: { code: 'ECONNREFUSED' } })
  })

  test('an update that was logged without its old row is told as one, and the stream goes on', async () => {
    await using setup = await setUp()
    await using stream = await setup.open()
    await setup.pool.execute(sql`alter table items replica identity default`)
    await setup.pool.execute(sql`insert into items values (1, 'a')`)
    await setup.pool.execute(sql`update items set a = 'b'`)
    await setup.pool.execute(sql`insert into items values (2, 'c')`)
    const kinds: string[] = []
    for await (const batch of stream.batches) {
      kinds.push(...batch.map(({ kind }) => kind).filter((kind) => kind === 'incomplete' || kind === 'insert'))
      if (kinds.length >= 3) break
    }
    expect(kinds).toEqual(['insert', 'incomplete', 'insert'])
  })
})

describe('disposing', () => {
  test('ends an iteration that waits, without an error, in the middle of a large transaction too', async () => {
    await using setup = await setUp()
    const idle = await setup.open()
    const reading = (async () => {
      for await (const _ of idle.batches);
      return 'ended'
    })()
    await idle[Symbol.asyncDispose]()
    expect(await reading).toBe('ended')

    await setup.pool.execute(sql`insert into items select i, repeat('x', 400) from generate_series(1, 100000) i`)
    const busy = await setup.open()
    for await (const batch of busy.batches) if (batch.some((event) => event.kind === 'insert')) break
    await busy[Symbol.asyncDispose]()
    expect((await findSlot(setup.pool, setup.name))?.active).toBe(false)
    for await (const _ of busy.batches) expect.unreachable('a disposed stream has nothing more')
  })
})
