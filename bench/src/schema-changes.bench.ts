import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { startChangeProbe } from './change-probe.ts'
import { createItems } from './items.ts'
import type { Figure } from './report.ts'
import { sized, sizedSeconds } from './size.ts'
import { openStream } from './stream-client.ts'
import { mintToken } from './tokens.ts'

/** Milliseconds before and after the change, which show the normal latency. */
const USUAL_MS = 3_000
/** How long to wait until the server serves a new table, in milliseconds. */
const SERVES_MS = 300_000

/** A migration of 93 statements, each sent separately: the latency of changes of another table before, during and after it. */
export async function benchMigration(): Promise<Figure[]> {
  await using holdfast = await openHoldfast()
  await createItems(holdfast.admin)
  const probe = await startChangeProbe(holdfast, sized(20))
  probe.begin('before')
  await pause(sizedSeconds(USUAL_MS / 1_000))
  probe.begin('during 93 statements')
  const person = randomUUID()
  const tables = sized(31)
  const took = await timed(async () => {
    const client = new pg.Client({ connectionString: holdfast.databaseUrl })
    await client.connect()
    for (let table = 0; table < tables; table++) {
      await client.query(
        `create table public.migrated_${table} (id uuid primary key, owner_id uuid, item_id uuid references public.items)`,
      )
      await client.query(`alter table public.migrated_${table} enable row level security`)
      await client.query(
        `create policy own on public.migrated_${table} for select to authenticated using (owner_id = (select auth.uid()))`,
      )
    }
    await client.query(
      `insert into public.migrated_${tables - 1} (id, owner_id) values (gen_random_uuid(), '${person}')`,
    )
    await client.end()
  })
  probe.begin('after 93 statements')
  const served = await timed(() => untilOperations(holdfast, person, 1))
  await pause(sizedSeconds(USUAL_MS / 1_000))
  return [
    { name: '93 statements', value: took, unit: 'ms' },
    { name: '93 statements → a row of the last table on a device', value: served, unit: 'ms' },
    ...(await probe.end()),
  ]
}

/** Eight connections continuously create, alter and drop tables, policies and grants: the latency of changes of other tables, and when sync has caught up. */
export async function benchSchemaStorm(): Promise<Figure[]> {
  await using holdfast = await openHoldfast()
  await createItems(holdfast.admin)
  const probe = await startChangeProbe(holdfast, sized(20))
  probe.begin('before')
  await pause(sizedSeconds(USUAL_MS / 1_000))
  probe.begin('during the storm')
  const untilMs = performance.now() + sizedSeconds(30) * 1_000
  const counts = await Promise.all(Array.from({ length: 8 }, (_, n) => stormOne(holdfast, n, untilMs)))
  probe.begin('after the storm')
  const person = randomUUID()
  await holdfast.admin.withClient((client) =>
    client.query(`create table public.after_storm (id uuid primary key, owner_id uuid);
      alter table public.after_storm enable row level security;
      create policy own on public.after_storm for select to authenticated using (owner_id = (select auth.uid()));
      insert into public.after_storm values (gen_random_uuid(), '${person}')`),
  )
  const served = await timed(() => untilOperations(holdfast, person, 1))
  const ready = served + (await timed(() => untilReady(holdfast)))
  await pause(sizedSeconds(USUAL_MS / 1_000))
  return [
    {
      name: 'storm of changes of the schema, 8 connections',
      value: counts.reduce((sum, one) => sum + one, 0),
      unit: 'statements',
    },
    { name: 'end of the storm → a row of a new table on a device', value: served, unit: 'ms' },
    { name: 'end of the storm → ready', value: ready, unit: 'ms' },
    ...(await probe.end()),
  ]
}

/** Runs the statements of one connection, on tables of its own. @throws the error of a statement; none may fail because of the server */
async function stormOne(holdfast: Holdfast, n: number, untilMs: number): Promise<number> {
  const client = new pg.Client({ connectionString: holdfast.databaseUrl })
  await client.connect()
  let statements = 0
  try {
    for (let round = 0; round === 0 || performance.now() < untilMs; round++) {
      const table = `public.storm_${n}_${round % 5}`
      for (const statement of [
        `create table ${table} (id uuid primary key default gen_random_uuid(), owner_id uuid, title text)`,
        `alter table ${table} enable row level security`,
        `create policy own on ${table} for select to authenticated using (owner_id = (select auth.uid()))`,
        `grant select, insert on ${table} to authenticated`,
        `insert into ${table} (owner_id, title) select gen_random_uuid(), 'row ' || i from generate_series(1, 20) i`,
        `alter table ${table} add column n int not null default 0`,
        `update ${table} set n = n + 1`,
        `drop policy own on ${table}`,
        `create policy wide on ${table} for select to authenticated using (owner_id = (select auth.uid()) or n > 100)`,
        `revoke insert on ${table} from authenticated`,
        `alter table ${table} rename column title to subject`,
        `truncate ${table}`,
        `drop table ${table}`,
      ]) {
        await client.query(statement)
        statements++
      }
    }
  } finally {
    await client.end()
  }
  return statements
}

/** Reconnects until a device of the user has received `operations` operations. */
async function untilOperations(holdfast: Holdfast, person: string, operations: number): Promise<void> {
  const deadline = performance.now() + SERVES_MS
  while (performance.now() < deadline) {
    const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, person), randomUUID()).catch(
      () => undefined,
    )
    while (client && !client.hasEnded && performance.now() < deadline) {
      if (client.operations >= operations) {
        client.close()
        return
      }
      await pause(0.01)
    }
    await pause(0.1)
  }
  throw new Error(`no device got ${operations} operations`)
}

async function untilReady(holdfast: Holdfast): Promise<void> {
  const deadline = performance.now() + SERVES_MS
  while (performance.now() < deadline) {
    const response = await fetch(`${holdfast.url}/health`)
    if (((await response.json()) as { readonly sync: string }).sync === 'ready') return
    await pause(0.05)
  }
  throw new Error('sync did not become ready')
}

async function timed(body: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await body()
  return performance.now() - began
}

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
