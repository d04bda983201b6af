import { randomUUID } from 'node:crypto'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { createItems, insertItems, residentBytes } from './items.ts'
import { processorFigures, startProcessorMeter } from './processor-time.ts'
import { BULK_LOAD, published } from './published.ts'
import type { Figure } from './report.ts'
import { openStream } from './stream-client.ts'
import { mintToken } from './tokens.ts'

/** One transaction of many rows with a connected device that receives all of them, and the server's memory meanwhile. */
export async function benchBulk(holdfast: Holdfast, rows: number): Promise<Figure[]> {
  const owner = randomUUID()
  const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, owner), randomUUID())
  await client.nextComplete()
  const before = await residentBytes(holdfast)
  let most = before
  const watch = setInterval(() => void residentBytes(holdfast).then((bytes) => (most = Math.max(most, bytes))), 100)
  const writing = performance.now()
  const meter = await startProcessorMeter(holdfast)
  await insertItems(holdfast.admin, owner, rows)
  const began = performance.now()
  while (client.operations < rows) await client.nextComplete()
  const seconds = (performance.now() - began) / 1000
  const used = await meter.take()
  clearInterval(watch)
  client.close()
  const name = `commit of ${rows} rows in one transaction → on a device that is connected`
  return [
    {
      name,
      value: rows / seconds,
      unit: 'rows/s',
      reference: { name: 'Postgres inserting them', value: rows / ((began - writing) / 1000) },
      ...published(BULK_LOAD),
    },
    ...processorFigures(`${name}, with the insert`, 'row', rows, [used]),
    { name: `memory that this takes at most`, value: (most - before) / 1024 / 1024, unit: 'MB' },
  ]
}

/** The first sync of a table that already has many rows. */
export async function benchSnapshot(rows: number): Promise<Figure[]> {
  await using holdfast = await openHoldfast()
  const owner = randomUUID()
  await holdfast.admin.execute(sql`
    create table public.items (
      id uuid primary key, owner_id uuid, list_id uuid, title text, body text, done boolean, n integer, created_at timestamptz)`)
  await insertItems(holdfast.admin, owner, rows)
  await insertItems(holdfast.admin, randomUUID(), 10)
  const small = randomUUID()
  await insertItems(holdfast.admin, small, 10)
  const began = performance.now()
  await createItems(holdfast.admin)
  const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, small), randomUUID())
  while (client.operations < 10) await client.nextComplete()
  const seconds = (performance.now() - began) / 1000
  client.close()
  return [{ name: `a table of ${rows} rows begins to sync`, value: rows / seconds, unit: 'rows/s' }]
}

/** Disk space of the log compared with the tables, after many changes. */
export async function benchLogSize(rows: number, changes: number): Promise<Figure[]> {
  await using holdfast = await openHoldfast({ args: ['--sync-compact-interval-s=1'] })
  await createItems(holdfast.admin)
  const owner = randomUUID()
  await insertItems(holdfast.admin, owner, rows)
  for (let done = 0; done < changes; done += 1_000) {
    await holdfast.admin.execute(sql`
      update public.items set n = n + 1 where id in (select id from public.items tablesample bernoulli (${Math.min(100, (100_000 / rows) * 1.2)}) limit 1000)`)
  }
  const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, owner), randomUUID())
  await client.nextComplete()
  client.close()
  const deadline = Date.now() + 60_000
  const count = async (): Promise<{ operations: number; rows: number }> => {
    const [row] = await holdfast.admin.query<{ operations: number; rows: number }>(
      sql`select count(*)::int as operations, count(row_key)::int as rows from sync.ops`,
    )
    return row ?? { operations: 0, rows: 0 }
  }
  let counted = await count()
  while (counted.operations > 1.6 * counted.rows && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    counted = await count()
  }
  await holdfast.internal.execute(sql`vacuum full sync.ops`)
  await holdfast.admin.execute(sql`vacuum full public.items`)
  const [size] = await holdfast.admin.query<{ log: string; source: string }>(sql`
    select pg_total_relation_size('sync.ops')::text as log, pg_total_relation_size('public.items')::text as source`)
  return [
    {
      name: `operations after ${changes} changes of ${rows} rows`,
      value: counted.operations,
      unit: 'operations',
      reference: { name: 'rows', value: counted.rows },
    },
    {
      name: 'size of the log',
      value: Number(size?.log) / 1024 / 1024,
      unit: 'MB',
      reference: { name: 'the table', value: Number(size?.source) / 1024 / 1024 },
    },
  ]
}
