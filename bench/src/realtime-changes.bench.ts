import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import { MARKER, openFollowers, type Follower, type Followers } from './change-followers.ts'
import { createItems } from './items.ts'
import { benchLatency } from './latency.bench.ts'
import { processorFigures, startProcessorMeter, type ProcessorTime } from './processor-time.ts'
import { percentile, type Figure } from './report.ts'
import { sized, sizedSeconds } from './size.ts'

const TABLE = 'bench_changes'
const RATE = 500
const SIZES = [...new Set([10, 100, 1_000, 10_000].map(sized))]
/** Number of windows; the ones with the lowest times are used. */
const WINDOWS = 3
const WINDOW_S = 2
/** Deliveries per second that one machine, which also runs all clients, should achieve. */
const DELIVERIES_PER_SECOND = 25_000
const LATENCY = { devices: 100, rates: [10, 100, 500], seconds: 6 }
const PATIENCE_MS = 120_000

/** A row to be written: the user who may see it, and its room. */
interface Written {
  readonly owner: string
  readonly room: number
}

type Part = (holdfast: Holdfast, pool: pg.Pool) => Promise<Figure[]>

/**
 * Changes of a table in which each user sees only their own rows. One subscriber, the watcher, receives each change in any case. Measured is the cost of
 * further subscribers: who may not see the change, whose filter does not match it, and who receive it too.
 */
export const CHANGES: Readonly<Record<string, (holdfast: Holdfast) => Promise<Figure[]>>> = {
  latency: withTable(benchLatencies),
  classes: withTable(benchClasses),
  filters: withTable(benchFilters),
  receivers: withTable(benchReceivers),
}

function withTable(part: Part): (holdfast: Holdfast) => Promise<Figure[]> {
  return async (holdfast) => {
    await ensureTable(holdfast)
    const pool = new pg.Pool({ connectionString: holdfast.databaseUrl, max: 8 })
    // Postgres may say that it stops before the connections of an ended pool are closed. A connection lost earlier fails its query.
    pool.on('error', () => undefined)
    try {
      return await part(holdfast, pool)
    } finally {
      await pool.end()
    }
  }
}

async function ensureTable({ admin }: Holdfast): Promise<void> {
  const find = sql`select from pg_publication_tables where pubname = 'holdfast' and tablename = ${TABLE}`
  if ((await admin.query(find)).length > 0) return
  await createItems(admin)
  await admin.withClient((client) =>
    client.query(`
      create table public.${TABLE} (id uuid primary key default gen_random_uuid(), owner_id uuid, room int, body text);
      alter table public.${TABLE} enable row level security;
      create policy own on public.${TABLE} for select to authenticated using (owner_id = (select auth.uid()));
      grant select on public.${TABLE} to authenticated;
      alter publication supabase_realtime add table public.${TABLE};`),
  )
  await waitFor('the table to be published', async () => (await admin.query(find)).length > 0)
}

const INSERT = `insert into public.${TABLE} (owner_id, room, body) values ($1, $2, $3)`

/** Latency beside that of sync, which delivers rows to as many devices at the same rate. */
async function benchLatencies(holdfast: Holdfast, pool: pg.Pool): Promise<Figure[]> {
  const figures: Figure[] = []
  const count = sized(LATENCY.devices)
  for (const rate of LATENCY.rates) {
    const load = { devices: count, rate, seconds: sized(LATENCY.seconds) }
    const synced = await benchLatency(holdfast, load)
    const people = Array.from({ length: count }, () => randomUUID())
    using followers = openFollowers(holdfast, TABLE)
    await followers.add(people.map((person) => ({ person })))
    const arrivals = await watchArrivals(followers, pool, people[0] as string)
    const written = await writeAt(pool, rate, rate * load.seconds, (n) => ({
      owner: people[n % count] as string,
      room: 0,
    }))
    await arrivals.waitFor(written.committed)
    const delays = [...written.committed].map(([marker, at]) => Math.max(0, (arrivals.atMs.get(marker) ?? 0) - at))
    for (const share of [0.5, 0.99]) {
      const device = synced.find(({ name }) => name.endsWith(`p${share * 100}`))?.value ?? Number.NaN
      figures.push({
        name: `commit → event, ${count} subscribers, ${rate} changes/s, p${share * 100}`,
        value: percentile(delays, share),
        unit: 'ms',
        reference: { name: 'commit → device of sync', value: device },
      })
    }
  }
  return figures
}

/** Subscribers who may see none of the changes: of one user, of ten users, or each of a different user. */
async function benchClasses(holdfast: Holdfast, pool: pg.Pool): Promise<Figure[]> {
  const figures: Figure[] = []
  const watcher = randomUUID()
  for (const [name, classes] of [
    ['one class', 1],
    ['ten classes', 10],
    ['as many classes', Number.POSITIVE_INFINITY],
  ] as const) {
    const people: string[] = []
    const personOf = (n: number): string => (people[n % classes] ??= randomUUID())
    figures.push(
      ...(await measureGrowing(holdfast, pool, {
        name: `change that one of %n subscribers may see, ${name}`,
        watcher: { person: watcher },
        followerOf: (n) => ({ person: personOf(n) }),
        written: () => ({ owner: watcher, room: 0 }),
      })),
    )
  }
  return figures
}

/** Subscribers of one user, each with a different filter. */
async function benchFilters(holdfast: Holdfast, pool: pg.Pool): Promise<Figure[]> {
  const person = randomUUID()
  return await measureGrowing(holdfast, pool, {
    name: 'change for one of %n filters with eq',
    watcher: { person, filter: 'room=eq.0' },
    followerOf: (n) => ({ person, filter: `room=eq.${n + 1}` }),
    written: () => ({ owner: person, room: 0 }),
  })
}

interface GrowingCase {
  readonly name: string
  readonly watcher: Follower
  readonly followerOf: (number: number) => Follower
  readonly written: (number: number) => Written
}

async function measureGrowing(holdfast: Holdfast, pool: pg.Pool, one: GrowingCase): Promise<Figure[]> {
  using others = openFollowers(holdfast, TABLE)
  using watching = openFollowers(holdfast, TABLE)
  await watching.add([one.watcher])
  const arrivals = await watchArrivals(watching, pool, one.watcher.person)
  const figures: Figure[] = []
  let count = 0
  let reference: readonly Figure[] = []
  for (const wanted of [0, ...SIZES]) {
    const added = Array.from({ length: Math.max(0, wanted - count) }, (_, n) => one.followerOf(count + n))
    await others.add(added)
    count += added.length
    const windows: (ProcessorTime | undefined)[] = []
    const changes = Math.ceil(RATE * sizedSeconds(WINDOW_S))
    // The first one is for the compiler.
    for (let window = 0; window <= WINDOWS; window++) {
      const meter = await startProcessorMeter(holdfast)
      const { committed } = await writeAt(pool, RATE, changes, one.written)
      await arrivals.waitFor(committed)
      const used = await meter.take()
      if (window > 0) windows.push(used)
    }
    const measured = processorFigures(one.name.replace('%n', String(count)), 'change', changes, windows)
    if (count === 0) reference = measured
    else figures.push(...measured.map((figure, index) => beside(figure, reference[index])))
  }
  return figures
}

const beside = (figure: Figure, alone: Figure | undefined): Figure => ({
  ...figure,
  ...(alone ? { reference: { name: 'one subscriber alone', value: alone.value } } : {}),
})

/** Subscribers who all receive each change. */
async function benchReceivers(holdfast: Holdfast, pool: pg.Pool): Promise<Figure[]> {
  const person = randomUUID()
  using followers = openFollowers(holdfast, TABLE)
  const figures: Figure[] = []
  let count = 0
  for (const wanted of SIZES) {
    await followers.add(Array.from({ length: wanted - count }, () => ({ person })))
    count = wanted
    const arrivals = await watchArrivals(followers, pool, person)
    const rate = Math.max(1, Math.min(RATE, Math.round(DELIVERIES_PER_SECOND / count)))
    const changes = Math.ceil(rate * sizedSeconds(WINDOW_S))
    const windows: (ProcessorTime | undefined)[] = []
    for (let window = 0; window <= WINDOWS; window++) {
      const meter = await startProcessorMeter(holdfast)
      const { committed } = await writeAt(pool, rate, changes, () => ({ owner: person, room: 0 }))
      await arrivals.waitFor(committed, count)
      const used = await meter.take()
      if (window > 0) windows.push(used)
    }
    const name = `change that ${count} subscribers of one class see, ${rate} changes/s`
    figures.push(...processorFigures(name, 'delivery', changes * count, windows))
  }
  return figures
}

interface Arrivals {
  /** When each marker was last received. */
  readonly atMs: ReadonlyMap<string, number>
  /** @param times - how often each marker is expected */
  waitFor(markers: ReadonlyMap<string, number>, times?: number): Promise<void>
}

/** Waits for the first event, since all later ones are delivered from then on, and starts counting. */
async function watchArrivals(followers: Followers, pool: pg.Pool, owner: string): Promise<Arrivals> {
  const atMs = new Map<string, number>()
  const counts = new Map<string, number>()
  followers.onEvent = (marker, at) => {
    atMs.set(marker, at)
    counts.set(marker, (counts.get(marker) ?? 0) + 1)
  }
  await waitFor('the first event', async () => {
    await pool.query(INSERT, [owner, 0, MARKER + randomUUID()])
    return counts.size > 0
  })
  return {
    atMs,
    waitFor: (markers, times = 1) =>
      waitFor(`${markers.size} events`, async () =>
        [...markers.keys()].every((one) => (counts.get(one) ?? 0) >= times),
      ),
  }
}

/** @returns the markers that were written, each with the time at which its commit was acknowledged */
async function writeAt(
  pool: pg.Pool,
  rate: number,
  count: number,
  rowOf: (number: number) => Written,
): Promise<{ readonly committed: ReadonlyMap<string, number> }> {
  const committed = new Map<string, number>()
  const writes: Promise<void>[] = []
  const began = performance.now()
  for (let number = 0; number < count; number++) {
    const wait = began + (number * 1_000) / rate - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    const marker = MARKER + randomUUID()
    const { owner, room } = rowOf(number)
    writes.push(pool.query(INSERT, [owner, room, marker]).then(() => void committed.set(marker, performance.now())))
  }
  await Promise.all(writes)
  return { committed }
}

async function waitFor(what: string, isThere: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await isThere())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
