import { afterEach, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { ALICE, openWorld, type World } from './sync-world.ts'

/*
 * A migration runs statement by statement, faster than policies are compiled. What one compilation has seen is not compiled again when the change stream
 * delivers it, so devices wait for a compilation or two, not for one per statement. Stopping does not wait for one at all.
 */

const TABLES = 20

/** Milliseconds that a device may take on a busy machine. */
const PATIENCE_MS = 60_000

let world: World
let compilations = 0
let gate: { readonly begun: PromiseWithResolvers<void>; readonly open: PromiseWithResolvers<void> } | undefined

afterEach(() => world[Symbol.asyncDispose]())

async function beforeCompile(): Promise<void> {
  compilations++
  gate?.begun.resolve()
  await gate?.open.promise
}

function closeGate(): NonNullable<typeof gate> {
  gate = { begun: Promise.withResolvers<void>(), open: Promise.withResolvers<void>() }
  return gate
}

test('a migration of many statements is compiled once for what came meanwhile, and all of it reaches devices', async () => {
  world = await openWorld({ beforeCompile })
  const alice = world.device(ALICE)
  alice.connect()
  await alice.next()
  const before = compilations
  const { begun, open } = closeGate()
  await world.run('create table public.first (id int primary key)')
  await begun.promise
  for (let n = 0; n < TABLES; n++) {
    await world.run(`create table public.made_${n} (id int primary key, owner_id uuid not null)`)
    await world.run(`alter table public.made_${n} enable row level security`)
    await world.run(`create policy mine on public.made_${n} for select to authenticated using (owner_id = auth.uid())`)
    await world.run(`grant select on public.made_${n} to authenticated`)
    await world.run(`insert into public.made_${n} values (${n}, '${ALICE}')`)
  }
  await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'written during the migration')`)
  gate = undefined
  open.resolve()
  await alice.until(
    () => [...alice.state.keys()].filter((key) => key.startsWith('made_')).length === TABLES,
    'all new tables',
  )
  await alice.until(
    () => [...alice.state.values()].some((row) => row.includes('during the migration')),
    'the other row',
  )
  expect(alice.faults).toEqual([])
  // One began before the other statements, one has seen them all.
  expect(compilations - before).toBeLessThanOrEqual(3)

  await world.run('drop policy mine on public.made_3')
  await alice.until(
    () => ![...alice.state.keys()].some((key) => key.startsWith('made_3/')),
    'the revoked rows to leave',
  )
  await world.run(`update public.made_4 set owner_id = gen_random_uuid()`)
  await alice.until(
    () => ![...alice.state.keys()].some((key) => key.startsWith('made_4/')),
    'the given row to leave',
    PATIENCE_MS,
  )
  expect(alice.faults).toEqual([])
})

test('rewritten rows of a statement that was seen before are read again', async () => {
  world = await openWorld({ beforeCompile })
  await world.run(`insert into items (owner_id, title, n) values ('${ALICE}', 'kept', 4)`)
  const alice = world.device(ALICE)
  alice.connect()
  await alice.next()
  const { begun, open } = closeGate()
  await world.run('create table public.first (id int primary key)')
  await begun.promise
  await world.run('alter table items alter column n type bigint using n * 10')
  gate = undefined
  open.resolve()
  await alice.until(
    () => [...alice.state.values()].some((row) => /"n":40\b/.test(row)),
    'the rewritten value',
    PATIENCE_MS,
  )
  expect(alice.faults).toEqual([])
})

test('stopping ends a compilation that has not come to its end', async () => {
  world = await openWorld({ beforeCompile })
  const { begun, open } = closeGate()
  await world.run('create table public.first (id int primary key)')
  await begun.promise
  const stopped = world.stop()
  gate = undefined
  open.resolve()
  await stopped
  expect(await world.db.pool.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
})
