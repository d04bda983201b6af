import { delay, silentLogger } from '@holdfast/foundation'
import { sql } from '@holdfast/postgres'
import { openTestDatabase } from '@holdfast/test-support'
import { expect, test } from 'vitest'
import type { ReplicationStream } from '../../src/events.ts'
import { ensurePublication } from '../../src/publication.ts'
import { openReplicationStream } from '../../src/read-slot/renewed-stream.ts'
import { createSlot, dropSlot, findSlot } from '../../src/slot.ts'

// Pins that the connection is replaced after a large transaction while others write, and every change arrives once and in order.

const PUBLICATION = 'changes'
const QUIET_MS = 200

/** Reads to the end of the stream, confirming and collecting row numbers. */
async function follow(stream: ReplicationStream, numbers: number[]): Promise<void> {
  for await (const batch of stream.batches) {
    for (const event of batch) {
      if (event.kind === 'insert') numbers.push(Number(event.row[0]))
      else if (event.kind === 'commit') stream.confirm(event.endLsn)
      else if (event.kind === 'progress') stream.confirm(event.lsn)
    }
  }
}

interface Setup extends AsyncDisposable {
  readonly stream: ReplicationStream
  /** Numbers of received rows. */
  readonly numbers: readonly number[]
  /** Inserts rows with consecutive numbers in one transaction. */
  insert(rows: number): Promise<void>
  readerPid(): Promise<number | undefined>
  /** Resolves when the slot has advanced past everything confirmed. */
  advance(): Promise<void>
}

async function setUp(): Promise<Setup> {
  const db = await openTestDatabase()
  await db.pool.execute(sql`create table items (number bigint generated always as identity primary key, body text)`)
  await ensurePublication(db.pool, { name: PUBLICATION, tables: [{ schema: 'public', name: 'items' }] })
  await (await createSlot({ url: db.url, name: db.name }))[Symbol.asyncDispose]()
  const renewal = { transactionBytes: 1024 * 1024, walBytes: 4 * 1024 * 1024, quietMs: QUIET_MS, intervalMs: 150 }
  const options = { url: db.url, slot: db.name, publication: PUBLICATION, logger: silentLogger, renewal }
  const stream = await openReplicationStream(options)
  const numbers: number[] = []
  const following = follow(stream, numbers)
  return {
    stream,
    numbers,
    insert: async (rows) => {
      await db.pool.execute(
        sql`insert into items (body) select repeat('x', 1000) from generate_series(1, ${rows}::int)`,
      )
    },
    readerPid: async () => (await findSlot(db.pool, db.name))?.activePid,
    // A checkpoint logs running transactions, which lets the slot advance.
    advance: () => db.pool.execute(sql`checkpoint`).then(() => stream.requestProgress()),
    async [Symbol.asyncDispose]() {
      await stream[Symbol.asyncDispose]()
      await following
      await dropSlot(db.pool, db.name)
      await db[Symbol.asyncDispose]()
    },
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

test('after a large transaction a new connection reads on, and every change arrives once', async () => {
  await using setup = await setUp()
  const first = await setup.readerPid()
  await setup.insert(3_000)
  await expect.poll(() => setup.numbers.length).toBe(3_000)
  await expect
    .poll(async () => {
      await setup.advance()
      return setup.readerPid()
    })
    .not.toBe(first)
  await setup.insert(10)
  await expect.poll(() => setup.numbers.length).toBe(3_010)
  expect(setup.numbers).toEqual(upTo(3_010))
})

test('writes that go on while connections are replaced arrive once, in order', async () => {
  await using setup = await setUp()
  const pids = new Set([await setup.readerPid()])
  let written = 0
  const insert = async (rows: number): Promise<void> => {
    await setup.insert(rows)
    written += rows
  }
  await insert(2_000)
  await expect
    .poll(async () => {
      await setup.advance()
      await delay(2 * QUIET_MS)
      for (let write = 0; write < 5; write++) await insert(1)
      const pid = await setup.readerPid()
      if (pid !== undefined && !pids.has(pid)) {
        pids.add(pid)
        await insert(2_000)
      }
      return pids.size
    })
    .toBeGreaterThan(2)
  await expect.poll(() => setup.numbers.length).toBe(written)
  expect(setup.numbers).toEqual(upTo(written))
})

test('a stream that is closed while it is to be replaced ends', async () => {
  await using setup = await setUp()
  await setup.insert(3_000)
  await expect.poll(() => setup.numbers.length).toBe(3_000)
  await setup.advance()
  await setup.stream[Symbol.asyncDispose]()
  await expect.poll(() => setup.readerPid()).toBeUndefined()
})
