import { randomUUID } from 'node:crypto'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import { openStream } from './stream-client.ts'
import { percentile, type Figure } from './report.ts'
import { mintToken } from './tokens.ts'

/** Each of `devices` people gets `rows` rows of their own; waits until the log has all of them. */
async function insertFor(holdfast: Holdfast, devices: number, rows: number): Promise<readonly string[]> {
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

/** Many devices download all that their people may have at the same time. */
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
  return [{ name: `first sync of ${rows} rows each, ${devices} devices`, value: operations / seconds, unit: 'rows/s' }]
}

/** All devices lose their connection and come back at once. */
export async function benchReconnectStorm(holdfast: Holdfast, devices: number): Promise<Figure[]> {
  const people = await insertFor(holdfast, devices, 10)
  const came: number[] = []
  const began = performance.now()
  const clients = await Promise.all(
    people.map(async (person) => {
      const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, person), randomUUID())
      await client.nextComplete()
      came.push(performance.now() - began)
      return client
    }),
  )
  for (const client of clients) client.close()
  return [0.5, 0.99].map((share) => ({
    name: `${devices} devices at once → checkpoint, p${share * 100}`,
    value: percentile(came, share),
    unit: 'ms',
  }))
}

/** A device with little to read while others download very much. */
export async function benchFairness(holdfast: Holdfast, downloads: number, rows: number): Promise<Figure[]> {
  const [big] = await insertFor(holdfast, 1, rows)
  const person = randomUUID()
  const live = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, person), randomUUID())
  await live.nextComplete()
  const propagate = async (): Promise<number[]> => {
    const delays: number[] = []
    for (let write = 0; write < 100; write++) {
      const arrived = live.nextComplete()
      const began = performance.now()
      await holdfast.admin.execute(
        sql`insert into public.items (id, owner_id, title) values (gen_random_uuid(), ${person}::uuid, 'live')`,
      )
      await arrived
      delays.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return delays
  }
  const alone = await propagate()
  let isOver = false
  const loads = Array.from({ length: downloads }, async () => {
    while (!isOver) {
      const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, big as string), randomUUID())
      await client.nextComplete()
      client.close()
    }
  })
  const beside = await propagate()
  isOver = true
  await Promise.all(loads)
  live.close()
  return [0.5, 0.99].map((share) => ({
    name: `write → device while ${downloads} download ${rows} rows, p${share * 100}`,
    value: percentile(beside, share),
    unit: 'ms',
    baseline: { name: 'without the downloads', value: percentile(alone, share) },
  }))
}
