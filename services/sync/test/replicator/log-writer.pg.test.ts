import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import type { Lsn } from '@holdfast/replication'
import { openTestDatabase } from '@holdfast/test-support'
import { createCheckpointFeed } from '../../src/checkpoints/checkpoint-feed.ts'
import { docToJson } from '../../src/encode/op-doc.ts'
import { CHUNK_OPS_MAX } from '../../src/limits.ts'
import { readBuckets, readState, resetState } from '../../src/storage/bucket-storage.ts'
import { syncMigrations } from '../../src/sync.ts'
import { LogWriter } from '../../src/replicator/log/log-writer.ts'

const BUCKETS = 60_000
const BUCKETS_MAX = 2_000
const GROUP = 1_000

test('a batch of many buckets holds few of them in memory, and tells of those that a stream has', async () => {
  await using db = await openTestDatabase({ migrations: [syncMigrations] })
  await resetState(db.pool, 'none')
  const state = await readState(db.pool)
  expect(state).toBeDefined()
  if (!state) return
  const feed = createCheckpointFeed()
  const writer = new LogWriter(db.pool, feed, state, { chunkOps: CHUNK_OPS_MAX, buckets: BUCKETS_MAX })
  const names = Array.from({ length: BUCKETS }, () => `bucket ${randomUUID()}`)
  const [early, late, untouched] = [names[0] as string, names.at(-1) as string, 'untouched']
  const changed: string[] = []
  const listener = { bucketChanged: ({ name }: { name: string }) => changed.push(name), feedReset: () => undefined }
  const live = feed.hold([early, untouched], listener)
  await feed.fill((list) => readBuckets(db.pool, list), [early, untouched])

  let most = 0
  for (let at = 0; at < BUCKETS; at += GROUP) {
    const group = names.slice(at, at + GROUP)
    await writer.ids.resolve(writer.db, new Map(group.map((name) => [name, 1])))
    for (const name of group) writer.pending.put(writer.ids.id(name), 't', `row of ${name}`, '{}', true)
    await writer.spill()
    most = Math.max(most, writer.bucketsHeld)
  }
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThanOrEqual(BUCKETS_MAX + CHUNK_OPS_MAX)

  // Its id was forgotten, and only the open transaction has it.
  await writer.ids.resolve(writer.db, new Map([[early, 1]]))
  writer.pending.put(writer.ids.id(early), 't', `row of ${early}`, '{"again":1}', false)
  // A person who comes before the transaction is complete.
  live.push(...feed.hold([late], listener))
  const filling = feed.fill((list) => readBuckets(db.pool, list), [late])
  await writer.complete(7n as Lsn, () => undefined)
  await filling

  const { atOpId, buckets } = await readBuckets(db.pool, [early, late])
  expect(atOpId).toBe(BUCKETS + 1)
  expect(feed.opId).toBe(atOpId)
  for (const name of [early, late]) {
    const stored = buckets.find((bucket) => bucket.name === name)
    const { id, checksum, count, lastOpId } = live.find((bucket) => bucket.name === name) ?? {}
    expect({ id, checksum, count, lastOpId }).toEqual({
      id: stored?.id,
      checksum: stored?.checksum,
      count: stored?.count,
      lastOpId: stored?.lastOpId,
    })
  }
  expect(buckets.find(({ name }) => name === early)?.count).toBe(2)
  expect(changed).toContain(early)
  expect(live.find(({ name }) => name === untouched)).toMatchObject({ id: 0, count: 0, supersededAt: feed.opId })
  const [sums] = await db.pool.query<{ buckets: number; wrong: number }>(sql`
      select count(*)::int as buckets,
             count(*) filter (where (select (count(*), sum(checksum::bigint)::bigint & 4294967295) from sync.ops o where o.bucket_id = b.id)
                                    is distinct from (b.count, b.checksum))::int as wrong
        from sync.buckets b`)
  expect(sums).toEqual({ buckets: BUCKETS, wrong: 0 })
})

test('operations of any size are in the log as they were made, and take the place of those before them', async () => {
  await using db = await openTestDatabase({ migrations: [syncMigrations] })
  await resetState(db.pool, 'none')
  const state = await readState(db.pool)
  expect(state).toBeDefined()
  if (!state) return
  const writer = new LogWriter(db.pool, createCheckpointFeed(), state)
  const texts = ['', 'é'.repeat(1_000), '\\x00"'.repeat(50_000), 'z'.repeat(2_000_000)]
  await writer.ids.resolve(writer.db, new Map([['one', 1]]))
  const bucket = writer.ids.id('one')
  let expected: { row: string; data: string }[] = []
  for (const [index, lsn] of [7n, 8n, 9n].entries()) {
    // The sizes go round, so that a small operation supersedes a large one and the other way round.
    expected = texts.map((_, row) => ({
      row: `row ${row}`,
      data: JSON.stringify({ text: texts[(row + index) % texts.length], index }),
    }))
    for (const { row, data } of expected) {
      writer.pending.put(bucket, 't', row, data, index === 0)
      await writer.complete((lsn * 10n + BigInt(row.slice(4))) as Lsn, () => undefined)
    }
  }
  const rows = await db.pool.query<{ row_key: Buffer; doc: Buffer }>(sql`
    select row_key, doc from sync.ops where row_key is not null order by row_key`)
  expect(rows.map(({ row_key, doc }) => ({ row: row_key.toString(), data: dataOf(doc) }))).toEqual(expected)
  const [counted] = await db.pool.query<{ moved: number }>(sql`
    select count(*)::int as moved from sync.ops where row_key is null and doc = sync.move_doc(op_id, checksum)`)
  expect(counted?.moved).toBe(2 * texts.length)
})

function dataOf(doc: Buffer): string {
  return (JSON.parse(docToJson(doc, false)) as { data: string }).data
}
