import { randomUUID } from 'node:crypto'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import { MANY_FIRST_SYNCS, published } from './published.ts'
import { percentile, type Figure } from './report.ts'
import { openStream, type StreamClient } from './stream-client.ts'
import { mintToken } from './tokens.ts'

/** Inserts `rows` rows for each of `devices` users, and waits until the replicator has logged all of them. */
export async function insertFor(holdfast: Holdfast, devices: number, rows: number): Promise<readonly string[]> {
  const people = Array.from({ length: devices }, () => randomUUID())
  await holdfast.admin.execute(sql`
    insert into public.items (id, owner_id, title, body, done, n, created_at)
    select gen_random_uuid(), p::uuid, 'Item number ' || g, left(repeat(md5(g::text), 40), 160), g % 3 = 0, g, now()
      from unnest(${people}::text[]) p, generate_series(1, ${rows}::int) g`)
  for (const person of people.slice(-1)) {
    const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, person), randomUUID())
    while (client.operations < rows) await client.nextComplete()
    client.close()
  }
  return people
}

/** Many devices download everything their users may have at the same time. */
export async function benchManyFirstSyncs(holdfast: Holdfast, devices: number, rows: number): Promise<Figure[]> {
  const people = await insertFor(holdfast, devices, rows)
  const began = performance.now()
  const clients = await Promise.all(
    people.map(async (person) => {
      const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, person), randomUUID())
      await client.nextComplete()
      client.close()
      return client
    }),
  )
  const seconds = (performance.now() - began) / 1000
  const operations = clients.reduce((sum, client) => sum + client.operations, 0)
  if (operations !== devices * rows) throw new Error(`${operations} operations instead of ${devices * rows}`)
  const name = `first sync of ${rows} rows each, ${devices} devices`
  const other = rows === 10_000 ? MANY_FIRST_SYNCS[devices] : undefined
  return [{ name, value: operations / seconds, unit: 'rows/s', ...published(other) }]
}

/** All devices lose their connection and reconnect at once, while one that stayed connected receives new rows. */
export async function benchReconnectStorm(holdfast: Holdfast, devices: number): Promise<Figure[]> {
  const people = await insertFor(holdfast, devices, 10)
  const stayed = randomUUID()
  const live = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, stayed), randomUUID())
  await live.nextComplete()
  const came: number[] = []
  const delays: number[] = []
  let isOver = false
  const writing = (async () => {
    while (!isOver) {
      delays.push(await propagate(holdfast, live, stayed))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  const began = performance.now()
  const clients = await Promise.all(
    people.map(async (person) => {
      const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, person), randomUUID())
      await client.nextComplete()
      came.push(performance.now() - began)
      return client
    }),
  )
  isOver = true
  await writing
  const operations = clients.reduce((sum, client) => sum + client.operations, 0)
  if (operations !== devices * 10) throw new Error(`${operations} operations instead of ${devices * 10}`)
  for (const client of [...clients, live]) client.close()
  const figures = (name: string, values: readonly number[], shares: readonly number[]): Figure[] =>
    shares.map((share) => ({
      name: `${name}, ${share === 1 ? 'the last' : `p${share * 100}`}`,
      value: percentile(values, share),
      unit: 'ms',
    }))
  return [
    ...figures(`${devices} devices at once → checkpoint`, came, [0.5, 0.99, 1]),
    ...figures('write → a device that stayed, meanwhile', delays, [0.5, 0.99]),
  ]
}

/** Writes a row of a user and waits until their device has received it. @returns milliseconds */
export async function propagate(holdfast: Holdfast, live: StreamClient, person: string): Promise<number> {
  const arrived = live.nextComplete()
  const began = performance.now()
  await holdfast.admin.execute(
    sql`insert into public.items (id, owner_id, title) values (gen_random_uuid(), ${person}::uuid, 'live')`,
  )
  await arrived
  return performance.now() - began
}

/** Latency of a device with little data while others download a lot. */
export async function benchFairness(holdfast: Holdfast, downloads: number, rows: number): Promise<Figure[]> {
  const [big] = await insertFor(holdfast, 1, rows)
  const person = randomUUID()
  const live = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, person), randomUUID())
  await live.nextComplete()
  const measure = async (): Promise<number[]> => {
    const delays: number[] = []
    for (let write = 0; write < 100; write++) {
      delays.push(await propagate(holdfast, live, person))
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return delays
  }
  const alone = await measure()
  let isOver = false
  const loads = Array.from({ length: downloads }, async () => {
    while (!isOver) {
      const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, big as string), randomUUID())
      await client.nextComplete()
      client.close()
    }
  })
  const beside = await measure()
  isOver = true
  await Promise.all(loads)
  live.close()
  return [0.5, 0.99].map((share) => ({
    name: `write → device while ${downloads} download ${rows} rows, p${share * 100}`,
    value: percentile(beside, share),
    unit: 'ms',
    reference: { name: 'without the downloads', value: percentile(alone, share) },
  }))
}
