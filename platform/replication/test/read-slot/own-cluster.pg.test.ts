import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger, type Logger } from '@holdfast/foundation'
import { createPool, openEmbeddedCluster, sql, type Cluster, type Pool } from '@holdfast/postgres'
import { describe, expect, test } from 'vitest'
import { ensurePublication } from '../../src/publication.ts'
import { createSlot, dropSlot, findSlot } from '../../src/slot.ts'
import { openReplicationStream } from '../../src/read-slot/renewed-stream.ts'

// Cluster-wide behaviour (shutdown, WAL limit) cannot be tested on the shared cluster.

const SLOT = 'reader'
const PUBLICATION = 'changes'

interface OwnCluster extends AsyncDisposable {
  readonly cluster: Cluster
  readonly pool: Pool
}

async function openCluster(
  settings: Readonly<Record<string, string>>,
  logger: Logger = silentLogger,
): Promise<OwnCluster> {
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  const cluster = await openEmbeddedCluster({
    dataDir,
    port: 0,
    logger,
    durable: false,
    settings: { fsync: 'off', ...settings },
  })
  const pool = createPool({ url: cluster.internalUrl, applicationName: 'test', connectionsMax: 2 })
  await pool.execute(sql`create table public.items (id int primary key)`)
  await ensurePublication(pool, { name: PUBLICATION, tables: [{ schema: 'public', name: 'items' }] })
  await (await createSlot({ url: cluster.internalUrl, name: SLOT }))[Symbol.asyncDispose]()
  return {
    cluster,
    pool,
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

describe('a cluster of its own', () => {
  test('a slot whose WAL Postgres has removed is lost, and can be created again', async () => {
    await using own = await openCluster({ max_slot_wal_keep_size: '1MB', max_wal_size: '32MB', min_wal_size: '32MB' })
    const { pool } = own
    const url = own.cluster.internalUrl
    const open = () => openReplicationStream({ url, slot: SLOT, publication: PUBLICATION, logger: silentLogger })
    for (let segment = 0; segment < 6; segment++) {
      await pool.execute(sql`insert into public.items values (${segment})`)
      await pool.query(sql`select pg_switch_wal()`)
    }
    await pool.execute(sql`checkpoint`)
    expect(await findSlot(pool, SLOT)).toMatchObject({ walStatus: 'lost', invalidationReason: 'wal_removed' })
    await expect(open()).rejects.toMatchObject({
      code: 'replication_slot_lost',
      detail: expect.stringContaining('wal_removed') as string,
    })

    expect(await dropSlot(pool, SLOT)).toBe(true)
    await (await createSlot({ url, name: SLOT }))[Symbol.asyncDispose]()
    await (await open())[Symbol.asyncDispose]()
  })

  test('Postgres can shut down while an idle reader has confirmed what it was given', async () => {
    const said: string[] = []
    await using own = await openCluster({}, { log: (_level, message) => void said.push(message) })
    const stream = await openReplicationStream({
      url: own.cluster.internalUrl,
      slot: SLOT,
      publication: PUBLICATION,
      logger: silentLogger,
    })
    await own.pool.execute(sql`insert into public.items values (1)`)
    const delivered = Promise.withResolvers<void>()
    const reading = (async () => {
      for await (const batch of stream.batches) {
        for (const event of batch) {
          if (event.kind !== 'commit') continue
          stream.confirm(event.endLsn)
          delivered.resolve()
        }
      }
    })()
    const failed = expect(reading).rejects.toMatchObject({ code: 'replication_connection_lost' })
    await delivered.promise
    await own.pool.execute(sql`create table public.noise as select generate_series(1, 1000)`)
    await own.pool[Symbol.asyncDispose]()
    await own.cluster[Symbol.asyncDispose]()
    // Nothing had to be killed.
    expect(said.filter((message) => message.includes('takes too long'))).toEqual([])
    await failed
    await stream[Symbol.asyncDispose]()
  })
})
