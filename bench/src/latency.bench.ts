import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Holdfast } from '@holdfast/test-support'
import { markersIn } from './markers.ts'
import { processorFigures, startProcessorMeter } from './processor-time.ts'
import { PROPAGATION, published } from './published.ts'
import { percentile, type Figure } from './report.ts'
import { openStream, type StreamClient } from './stream-client.ts'
import { mintToken } from './tokens.ts'

const INSERT = 'insert into public.items (id, owner_id, title, n, created_at) values ($1, $2, $3, 1, now())'

/** Time from the acknowledgement of a commit to the line on the device, at a steady rate with many devices. */
export async function benchLatency(
  holdfast: Holdfast,
  options: { readonly devices: number; readonly rate: number; readonly seconds: number },
): Promise<Figure[]> {
  const { devices, rate, seconds } = options
  const people = Array.from({ length: devices }, () => randomUUID())
  const committed = new Map<string, number>()
  const acknowledged: number[] = []
  const arrived = new Map<string, number>()
  const clients: StreamClient[] = []
  for (const person of people) {
    const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, person), randomUUID())
    await client.nextComplete()
    client.onData = (line, atMs) => {
      for (const marker of markersIn(line, 'bench-')) arrived.set(marker, atMs)
    }
    clients.push(client)
  }
  const pool = new pg.Pool({ connectionString: holdfast.databaseUrl, max: 8 })
  const writes: Promise<void>[] = []
  const meter = await startProcessorMeter(holdfast)
  const began = performance.now()
  for (let write = 0; write < rate * seconds; write++) {
    const due = began + (write * 1000) / rate
    const wait = due - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    const marker = `bench-${randomUUID()}`
    const owner = people[write % people.length]
    const sent = performance.now()
    writes.push(
      pool.query(INSERT, [randomUUID(), owner, marker]).then(() => {
        const now = performance.now()
        committed.set(marker, now)
        acknowledged.push(now - sent)
      }),
    )
  }
  await Promise.all(writes)
  const deadline = Date.now() + 10_000
  while (arrived.size < committed.size && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10))
  const used = await meter.take()
  for (const client of clients) client.close()
  await pool.end()
  const lost = [...committed.keys()].filter((marker) => !arrived.has(marker)).length
  if (lost > 0) throw new Error(`${lost} of ${committed.size} changes did not reach their devices`)
  const delays = [...committed].map(([marker, at]) => Math.max(0, (arrived.get(marker) ?? 0) - at))
  const name = `commit → device, ${devices} devices, ${rate} writes/s`
  const figures = [0.5, 0.95, 0.99].map((share) => ({
    name: `${name}, p${share * 100}`,
    value: percentile(delays, share),
    unit: 'ms',
    reference: { name: 'the time Postgres takes to commit it', value: percentile(acknowledged, share) },
    ...published(PROPAGATION[rate]?.[share]),
  }))
  return [...figures, ...processorFigures(name, 'write', writes.length, [used])]
}
