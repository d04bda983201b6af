import { randomUUID } from 'node:crypto'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import { connectMany } from './idle.bench.ts'
import { percentile, type Figure } from './report.ts'
import { openStream, type StreamClient } from './stream-client.ts'
import { mintToken } from './tokens.ts'

/** Number of sites that are open before the change; the next one is opened for all users. */
const OPEN_SITES = 5
const OPENED = OPEN_SITES + 1
const PAUSE_MS = 10

/**
 * The bucket keys of `findings` depend on all rows of `sites`, for every user. `notes` belong to one user each; `apart` is a stream that depends on nothing.
 */
async function createTables({ admin }: Holdfast, sites: number): Promise<void> {
  const statements = [
    sql`create table public.sites (id integer primary key, region text not null, is_open boolean not null)`,
    sql`create table public.findings (id uuid primary key, site_id integer, title text)`,
    sql`create table public.notes (id uuid primary key, owner_id uuid, title text)`,
    sql`create table public.apart (id uuid primary key, owner_id uuid, title text)`,
    sql`insert into public.sites select g, 'region', g <= ${OPEN_SITES}::int from generate_series(1, ${sites}::int) g`,
    sql`insert into public.findings select gen_random_uuid(), g, 'finding' from generate_series(1, ${OPENED}::int) g`,
    sql`grant select on public.sites, public.findings, public.notes, public.apart to authenticated`,
    sql`alter table public.findings enable row level security`,
    sql`alter table public.notes enable row level security`,
    sql`alter table public.apart enable row level security`,
    sql`alter table public.sites enable row level security`,
    sql`create policy open_ones on public.sites for select to authenticated using (is_open and region <> 'none')`,
    sql`create policy own on public.notes for select to authenticated using (owner_id = (select auth.uid()))`,
    sql`create policy own on public.apart for select to authenticated using (owner_id = (select auth.uid()))`,
    sql`create policy of_open_sites on public.findings for select to authenticated using (site_id in (select id from public.sites))`,
    sql`select sync.create_stream('apart', 'select * from public.apart', auto_subscribe => false)`,
  ]
  for (const statement of statements) await admin.execute(statement)
}

const ONLY_APART = {
  include_defaults: false,
  subscriptions: [{ stream: 'apart', parameters: null, override_priority: null }],
}

async function askHealth(holdfast: Holdfast): Promise<number> {
  const began = performance.now()
  const response = await fetch(`${holdfast.url}/health`)
  await response.text()
  return performance.now() - began
}

/** Writes a row of a user and waits until their device has received it. */
async function propagate(holdfast: Holdfast, live: StreamClient, table: string, person: string): Promise<number> {
  const marker = randomUUID()
  const arrived = new Promise<number>((resolve) => {
    live.onData = (line, atMs) => {
      if (line.includes(marker)) resolve(atMs)
    }
  })
  await holdfast.admin.execute(
    sql`insert into public.${sql.identifier(table)} (id, owner_id, title) values (gen_random_uuid(), ${person}::uuid, ${marker})`,
  )
  const committed = performance.now()
  return Math.max(0, (await arrived) - committed)
}

/**
 * One transaction changes all rows of a table that every user's keys depend on. Measured: how long the server answers no request, how long writes take
 * meanwhile to reach an affected and an unaffected user, and when the last device has received what the change gives it.
 */
export async function benchSharedKeys(holdfast: Holdfast, devices: number, sites: number): Promise<Figure[]> {
  await createTables(holdfast, sites)
  const [one, other] = [randomUUID(), randomUUID()]
  const concerned = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, one), randomUUID())
  await concerned.nextComplete()
  const apart = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, other), randomUUID(), ONLY_APART)
  await apart.nextComplete()
  await propagate(holdfast, concerned, 'notes', one)
  await propagate(holdfast, apart, 'apart', other)
  const clients = await connectMany(holdfast, devices)
  await new Promise((resolve) => setTimeout(resolve, 1_000))

  let isOver = false
  const repeat = async (measure: () => Promise<number>): Promise<number[]> => {
    const all: number[] = []
    while (!isOver) {
      all.push(await measure())
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    return all
  }
  const meanwhile = Promise.all([
    repeat(() => askHealth(holdfast)),
    repeat(() => propagate(holdfast, concerned, 'notes', one)),
    repeat(() => propagate(holdfast, apart, 'apart', other)),
  ])
  await new Promise((resolve) => setTimeout(resolve, 500))
  const came = clients.map(async (client) => {
    await client.nextComplete()
    return performance.now()
  })
  await holdfast.admin.execute(
    sql`update public.sites set region = region || '+', is_open = is_open or id = ${OPENED}::int`,
  )
  const committed = performance.now()
  const last = Math.max(...(await Promise.all(came))) - committed
  isOver = true
  const [health, ofConcerned, ofApart] = await meanwhile
  for (const client of [...clients, concerned, apart]) client.close()
  const name = `${sites} rows that the keys of ${devices} devices depend on`
  const most = (what: string, values: readonly number[]): Figure => ({
    name: `${name}: ${what}, the longest`,
    value: percentile(values, 1),
    unit: 'ms',
  })
  return [
    most('/health', health),
    most('write → a device that it concerns', ofConcerned),
    most('write → one that it does not', ofApart),
    { name: `${name}: commit → the last device`, value: last, unit: 'ms' },
  ]
}
