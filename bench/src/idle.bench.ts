import { randomUUID } from 'node:crypto'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import { openInspector } from './inspector.ts'
import { residentBytes } from './items.ts'
import { IDLE_MEMORY, published } from './published.ts'
import type { Figure } from './report.ts'
import { openStream, type StreamClient } from './stream-client.ts'
import { mintToken } from './tokens.ts'
import { sized } from './size.ts'

const PARALLEL = 20
const WARM_UP_DEVICES = sized(100)
/** Longer than the interval between two keepalives, so that each device has received one. */
const HOLD_MS = sized(25_000)

/** Creates further tables in which each user sees only their own rows, so that a device may have a bucket of each. */
export async function createManyTables({ admin }: Holdfast, tables: number): Promise<void> {
  for (let number = 1; number < tables; number++) {
    const table = sql.identifier('public', `own_${number}`)
    await admin.execute(sql`create table ${table} (id uuid primary key, owner_id uuid, title text)`)
    await admin.execute(sql`alter table ${table} enable row level security`)
    await admin.execute(
      sql`create policy own on ${table} for select to authenticated using (owner_id = (select auth.uid()))`,
    )
  }
}

/** Connects devices of different users, and waits for the first checkpoint of each. */
export async function connectMany(
  holdfast: Pick<Holdfast, 'url' | 'jwtSecret'>,
  count: number,
): Promise<StreamClient[]> {
  const clients: StreamClient[] = []
  while (clients.length < count) {
    const group = Array.from({ length: Math.min(PARALLEL, count - clients.length) }, async () => {
      const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, randomUUID()), randomUUID())
      await client.nextComplete()
      return client
    })
    clients.push(...(await Promise.all(group)))
  }
  return clients
}

/**
 * What one idle connected device costs the server's process; each device belongs to a different user and has its own connection. Memory is the resident
 * memory that Linux reports, compared with that of the same process before the devices connected, measured after garbage collection. It is measured with the
 * devices both before and after garbage collection.
 */
export async function benchIdle(
  holdfast: Pick<Holdfast, 'url' | 'jwtSecret' | 'pid' | 'log'>,
  devices: number,
  tables = 1,
): Promise<Figure[]> {
  using inspector = await openInspector(holdfast)
  // Warms up what happens only once: connections to Postgres and compiling code.
  for (const client of await connectMany(holdfast, WARM_UP_DEVICES)) client.close()
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  await inspector.collectGarbage()
  const before = await residentBytes(holdfast)
  const heapBefore = await inspector.heapBytes()
  const began = performance.now()
  const clients = await connectMany(holdfast, devices)
  const connectedMs = performance.now() - began
  await new Promise((resolve) => setTimeout(resolve, HOLD_MS))
  const asItStands = await residentBytes(holdfast)
  await inspector.collectGarbage()
  const withoutGarbage = await residentBytes(holdfast)
  const heap = (await inspector.heapBytes()) - heapBefore
  const gone = clients.filter((client) => client.hasEnded)
  if (gone.length > 0) throw new Error(`${gone.length} devices were cut off`)
  for (const client of clients) client.close()
  const of = tables === 1 ? `${devices} devices` : `${devices} devices, ${tables} tables`
  const each = (bytes: number): number => (bytes - before) / devices / 1024
  return [
    {
      name: `memory per idle device, ${of}`,
      value: each(withoutGarbage),
      unit: 'KB',
      ...published(IDLE_MEMORY),
    },
    {
      name: `memory per idle device, ${of}, with garbage`,
      value: each(asItStands),
      unit: 'KB',
      ...published(IDLE_MEMORY),
    },
    { name: `objects of the engine per idle device, ${of}`, value: heap / devices / 1024, unit: 'KB' },
    {
      name: `connecting ${of} to their first checkpoint, ${PARALLEL} at a time`,
      value: connectedMs,
      unit: 'ms',
    },
  ]
}
