import { delay } from '@holdfast/foundation'
import { createRandom, type Random, runsOf, seedOf } from '@holdfast/test-support'
import { expect, test } from 'vitest'
import type { StreamClient } from './stream-client.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

/*
 * Invariant: rows that one transaction wrote to two tables are at a checkpoint together or not at all, unless the device is told that one of the tables is not
 * complete; and every commit arrives within a bound. Tables come to sync, get columns and other policies, and the server ends without warning, one after another.
 * `HOLDFAST_PAIR_HISTORIES` sets how many histories, `HOLDFAST_PAIR_SEED` the first seed, `HOLDFAST_PAIR_STEPS` the length of each.
 */

const COUNT = runsOf(1, { variable: 'HOLDFAST_PAIR_HISTORIES' })
const STEPS = Number(process.env['HOLDFAST_PAIR_STEPS'] ?? 12)
const FIRST = seedOf('HOLDFAST_PAIR_SEED')

/** Milliseconds within which each commit has to be on each device, also one that comes right after a kill. */
const ARRIVAL_MS = 20_000

const SIDES = ['left', 'right'] as const

/** Policies that show the same rows, and are compiled to other buckets. */
const SAME = [
  'owner_id = (select auth.uid())',
  'owner_id = auth.uid() and n >= 0',
  '(select auth.uid()) = owner_id and n is not null',
]

class Pairs {
  readonly world: World
  readonly devices: readonly StreamClient[]
  readonly told: string[] = []
  readonly #random: Random
  #generations = 0
  #written = 0
  #columns = 0

  constructor(world: World, random: Random, devices: readonly StreamClient[]) {
    this.world = world
    this.#random = random
    this.devices = devices
  }

  async step(): Promise<void> {
    const random = this.#random
    await random.pick([
      () => this.#create(),
      () => this.#changePolicy(),
      () => this.#changePolicy(),
      () => this.#run(`alter table public.${this.#some()} add column extra_${++this.#columns} text default 'x'`),
      () => this.#kill(),
      () => this.#kill(),
      async () => {
        await this.#changePolicy()
        await this.#kill()
      },
    ])()
    for (let i = random.below(3); i >= 0; i--) await this.write()
    await delay(random.below(300))
  }

  /** A row in both tables of each pair, in one transaction. */
  async write(): Promise<void> {
    const n = ++this.#written
    const inserts = Array.from({ length: this.#generations }, (_, generation) =>
      SIDES.flatMap((side) =>
        [ALICE, BOB].map(
          (owner) => `insert into public.${side}_${generation} (pair, owner_id, n) values (${n}, '${owner}', ${n})`,
        ),
      ),
    ).flat()
    await this.#run(inserts.join(';'))
  }

  async create(): Promise<void> {
    await this.#create()
  }

  isWhole(device: StreamClient): boolean {
    return SIDES.every((side) => this.#pairs(device.state, `${side}_${this.#generations - 1}`).has(this.#written))
  }

  breaches(device: StreamClient): string[] {
    const found = [...device.faults]
    for (const [index, { state, problems }] of device.completed.entries()) {
      for (let generation = 0; generation < this.#generations; generation++) {
        const [left, right] = SIDES.map((side) => `${side}_${generation}`) as [string, string]
        if (problems.includes(left) || problems.includes(right)) continue
        const [one, other] = [this.#pairs(state, left), this.#pairs(state, right)]
        const torn = [...[...one].filter((pair) => !other.has(pair)), ...[...other].filter((pair) => !one.has(pair))]
        if (torn.length > 0)
          found.push(
            `checkpoint ${index} of ${device.completed.length}: ${left} has ${one.size}, ${right} ${other.size}; torn: ${torn.join()}`,
          )
      }
    }
    return found
  }

  #pairs(state: StreamClient['state'], table: string): ReadonlySet<number> {
    return new Set(
      [...state]
        .filter(([key]) => key.startsWith(`${table}/`))
        .map(([, json]) => (JSON.parse(json) as { pair: number }).pair),
    )
  }

  #some(): string {
    return `${this.#random.pick(SIDES)}_${this.#random.below(this.#generations)}`
  }

  async #create(): Promise<void> {
    const generation = this.#generations++
    await this.#run(
      SIDES.map(
        (
          side,
        ) => `create table public.${side}_${generation} (id uuid primary key default gen_random_uuid(), pair int, owner_id uuid, n int);
          alter table public.${side}_${generation} enable row level security;
          grant select on public.${side}_${generation} to authenticated;
          create policy own on public.${side}_${generation} for select to authenticated using (${SAME[0]})`,
      ).join(';'),
    )
    await this.write()
  }

  async #changePolicy(): Promise<void> {
    const table = this.#some()
    const using = this.#random.pick(SAME)
    await this.#run(
      this.#random.chance(0.5)
        ? `alter policy own on public.${table} using (${using})`
        : `drop policy own on public.${table}; create policy own on public.${table} for select to authenticated using (${using})`,
    )
  }

  /** All connections of the server end, and another one begins. */
  async #kill(): Promise<void> {
    this.told.push('-- kill')
    await this.world.rows(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name like 'holdfast%'`)
    await this.world.restart()
  }

  async #run(text: string): Promise<void> {
    this.told.push(text)
    await this.world.run(text)
  }
}

function keepConnected(devices: readonly StreamClient[]): Disposable {
  const timer = setInterval(() => {
    for (const device of devices) if (!device.isOpen) device.connect()
  }, 100)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

const seeds = Array.from({ length: COUNT }, (_, index) => FIRST + index)

test.each(seeds)(
  'pairs arrive whole and in time while the schema changes and servers end, seed %i',
  { timeout: 120_000 + STEPS * 20_000 },
  async (seed) => {
    const random = createRandom(seed)
    await using world = await openWorld()
    const devices = [world.device(ALICE), world.device(BOB, { format: 'bson' })]
    const pairs = new Pairs(world, random, devices)
    using _connected = keepConnected(devices)
    await pairs.create()
    for (let step = 0; step < STEPS; step++) {
      await pairs.step()
      if (!random.chance(0.3)) continue
      for (const device of devices)
        await device.until(() => pairs.isWhole(device), `the last commit (seed ${seed}, step ${step})`, ARRIVAL_MS)
    }
    for (const device of devices) await device.until(() => pairs.isWhole(device), `the end (seed ${seed})`, ARRIVAL_MS)
    for (const device of devices) expect(pairs.breaches(device), `seed ${seed}`).toEqual([])
  },
)
