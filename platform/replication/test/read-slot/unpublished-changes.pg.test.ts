import { silentLogger } from '@holdfast/foundation'
import { sql, type Queryable } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { expect, test } from 'vitest'
import type { ReplicationStream } from '../../src/events.ts'
import { ensurePublication } from '../../src/publication.ts'
import { openReplicationStream } from '../../src/read-slot/renewed-stream.ts'
import { createSlot, dropSlot, findSlot } from '../../src/slot.ts'

// Pins the effect of unsent changes, such as our own log: they use memory of the decoding connection, and time at the next start.

const PUBLICATION = 'changes'
const WAL_BYTES = 4 * 1024 * 1024

interface Setup extends AsyncDisposable {
  readonly db: TestDatabase
  /** Writes more WAL than one connection should decode, in an unpublished table. */
  write(): Promise<void>
  open(): Promise<ReplicationStream>
}

async function setUp(): Promise<Setup> {
  const db = await openTestDatabase()
  await db.pool.execute(sql`create table items (number int primary key)`)
  await db.pool.execute(sql`create table unpublished (body text)`)
  await ensurePublication(db.pool, { name: PUBLICATION, tables: [{ schema: 'public', name: 'items' }] })
  await (await createSlot({ url: db.url, name: db.name }))[Symbol.asyncDispose]()
  return {
    db,
    write: async () => {
      await db.pool.execute(sql`insert into unpublished select repeat('x', 1000) from generate_series(1, 10000)`)
    },
    open: () =>
      openReplicationStream({
        url: db.url,
        slot: db.name,
        publication: PUBLICATION,
        logger: silentLogger,
        renewal: { transactionBytes: WAL_BYTES, walBytes: WAL_BYTES, quietMs: 200, intervalMs: 150 },
      }),
    async [Symbol.asyncDispose]() {
      await dropSlot(db.pool, db.name)
      await db[Symbol.asyncDispose]()
    },
  }
}

/** Reads to the end of the stream, confirming everything. */
async function follow(stream: ReplicationStream): Promise<void> {
  for await (const batch of stream.batches) {
    for (const event of batch) {
      if (event.kind === 'commit') stream.confirm(event.endLsn)
      else if (event.kind === 'progress') stream.confirm(event.lsn)
    }
  }
}

async function walEnd(db: Queryable): Promise<string> {
  const [row] = await db.query<{ lsn: string }>(sql`select pg_current_wal_insert_lsn()::text as lsn`)
  return row?.lsn ?? ''
}

/** Whether WAL is readable up to a position; the latest writes are flushed with a delay. */
async function isFlushed(db: Queryable, lsn: string): Promise<boolean> {
  const [row] = await db.query<{ flushed: boolean }>(
    sql`select pg_current_wal_flush_lsn() >= ${lsn}::pg_lsn as flushed`,
  )
  return row?.flushed === true
}

async function countRecords(db: Queryable, after: string, until: string, kind: string): Promise<number> {
  const [row] = await db.query<{ records: number }>(sql`
    select count(*)::int as records from pg_get_wal_records_info(${after}::pg_lsn, ${until}::pg_lsn)
     where record_type = ${kind}`)
  return row?.records ?? 0
}

test('a connection that has decoded much of which nothing is sent is replaced', async () => {
  await using setup = await setUp()
  const stream = await setup.open()
  const following = follow(stream)
  const readerPid = async (): Promise<number | undefined> => (await findSlot(setup.db.pool, setup.db.name))?.activePid
  const first = await readerPid()
  await setup.write()
  await expect
    .poll(async () => {
      stream.requestProgress()
      return readerPid()
    })
    .not.toBe(first)
  await stream[Symbol.asyncDispose]()
  await following
})

test('a slot that is far behind may go on to where it is opened, so that nothing is decoded a second time', async () => {
  await using setup = await setUp()
  const { pool } = setup.db
  await pool.execute(sql`create extension pg_walinspect`)
  await setup.write()
  const before = await walEnd(pool)
  const stream = await setup.open()
  // This record lets the slot advance.
  const after = await walEnd(pool)
  await expect.poll(() => isFlushed(pool, after)).toBe(true)
  expect(await countRecords(pool, before, after, 'RUNNING_XACTS')).toBeGreaterThan(0)
  await stream[Symbol.asyncDispose]()
})
