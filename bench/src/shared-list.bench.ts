import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import { markersIn } from './markers.ts'
import { SHARED_LIST, published } from './published.ts'
import { percentile, type Figure } from './report.ts'
import { openStream, type StreamClient } from './stream-client.ts'
import { mintToken } from './tokens.ts'

/** Creates lists whose items are visible to the members of the list. */
export async function createLists(holdfast: Holdfast): Promise<void> {
  for (const statement of [
    sql`create table public.list_members (id uuid primary key default gen_random_uuid(), list_id uuid not null, user_id uuid not null)`,
    sql`create index on public.list_members (user_id)`,
    sql`create table public.list_items (
      id uuid primary key default gen_random_uuid(), list_id uuid, title text, body text, done boolean, n integer, created_at timestamptz)`,
    sql`create policy own_memberships on public.list_members for select to authenticated using (user_id = (select auth.uid()))`,
    sql`create policy members on public.list_items for select to authenticated
      using (list_id in (select list_id from public.list_members where user_id = (select auth.uid())))`,
    sql`alter table public.list_members enable row level security`,
    sql`alter table public.list_items enable row level security`,
  ])
    await holdfast.admin.execute(statement)
}

/** One write at a time to a list that many users share: time from the acknowledgement of the commit to the line on each of their devices. */
export async function benchSharedList(
  holdfast: Holdfast,
  options: { readonly devices: number; readonly rate: number; readonly seconds: number },
): Promise<Figure[]> {
  const { devices, rate, seconds } = options
  await createLists(holdfast)
  const list = randomUUID()
  const people = Array.from({ length: devices }, () => randomUUID())
  await holdfast.admin.execute(
    sql`insert into public.list_members (list_id, user_id) select ${list}::uuid, p::uuid from unnest(${people}::text[]) p`,
  )
  const committed = new Map<string, number>()
  const arrived: { readonly marker: string; readonly atMs: number }[] = []
  const clients: StreamClient[] = []
  for (const person of people) {
    const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, person), randomUUID())
    while (client.operations < 1) await client.nextComplete() // the membership
    client.onData = (line, atMs) => {
      for (const marker of markersIn(line, 'bench-')) arrived.push({ marker, atMs })
    }
    clients.push(client)
  }
  const writer = new pg.Client({ connectionString: holdfast.databaseUrl })
  await writer.connect()
  for (let write = 0; write < rate * seconds; write++) {
    const marker = `bench-${randomUUID()}`
    await writer.query(
      `insert into public.list_items (list_id, title, body, done, n, created_at) values ($1, $2, repeat('x', 160), false, 1, now())`,
      [list, marker],
    )
    committed.set(marker, performance.now())
    await new Promise((resolve) => setTimeout(resolve, 1000 / rate))
  }
  await writer.end()
  const deadline = Date.now() + 10_000
  while (arrived.length < devices * committed.size && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 10))
  if (arrived.length !== devices * committed.size)
    throw new Error(`${arrived.length} arrivals instead of ${devices * committed.size}`)
  for (const client of clients) client.close()
  const delays = arrived.map(({ marker, atMs }) => Math.max(0, atMs - (committed.get(marker) ?? Number.NaN)))
  return [0.5, 0.95, 0.99].map((share) => ({
    name: `one write → each of ${devices} devices, ${rate} writes/s, p${share * 100}`,
    value: percentile(delays, share),
    unit: 'ms',
    ...published(SHARED_LIST[share]),
  }))
}
