import { expect, test } from 'vitest'
import { createPool } from '@holdfast/postgres'
import type { SyncStatus } from '../src/inspect/status.ts'
import { holdCopies } from './held-copies.ts'
import { ALICE, BOB, LISTS_SCHEMA, openWorld, type World } from './sync-world.ts'

/*
 * Pins that while a user's transaction has a table locked against reading (ACCESS EXCLUSIVE), changes of the schema and of roles block no other table,
 * and the locked table keeps its policies as they were read before.
 */

const ROWS = 20_000

const SCHEMA = `${LISTS_SCHEMA}
  create table public.docs (id int primary key, owner_id uuid, title text, body text);
  create table public.notes (id int primary key, owner_id uuid, title text);
  grant select on public.docs, public.notes to authenticated;
  insert into public.docs select n, '${ALICE}', 'read', null from generate_series(1, ${ROWS}) n;
  insert into public.notes values (1, '${BOB}', 'plain');
`

/** A transaction of a user that has run a statement, until it is disposed of. */
async function holdLock(world: World, text: string): Promise<AsyncDisposable> {
  const pool = createPool({ url: world.db.url, applicationName: 'test lock', connectionsMax: 1 })
  const [locked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held = pool.transaction(async (tx) => {
    await tx.client.query(text)
    locked.resolve()
    await ended.promise
  })
  held.catch(locked.reject)
  await locked.promise
  return {
    async [Symbol.asyncDispose]() {
      ended.resolve()
      await held
      await pool[Symbol.asyncDispose]()
    },
  }
}

test('changes of the schema and of roles block no other table while a synced table is locked against reading', async () => {
  await using world = await openWorld({ schema: SCHEMA })
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  bob.connect()
  await world.run(`alter table public.docs enable row level security;
    create policy own on public.docs for select using (owner_id = (select auth.uid()))`)
  await expect.poll(() => isKnown(world), { timeout: 60_000 }).toBe(true)
  {
    await using _lock = await holdLock(world, `lock table public.docs in access exclusive mode`)
    await world.run(`insert into public.items (owner_id, title) values ('${BOB}', 'plain')`)
    await bob.until(() => bob.ids('items').length === 1, 'a row of another table')

    // What others may see changes, in both directions.
    await world.run(`alter table public.notes enable row level security;
      create policy own on public.notes for select using (owner_id = (select auth.uid()))`)
    await bob.until(() => bob.ids('notes').length === 1, 'the row of a new table')
    await world.run(
      `alter policy own on public.notes using (false); insert into public.notes values (2, '${BOB}', 'secret')`,
    )
    await bob.until(() => bob.ids('notes').length === 0, 'the row to leave')
    await world.run(`alter role authenticated in database ${world.db.name} set application_name = 'other'`)
    for (let round = 1; round <= 3; round++) {
      await world.run(`comment on table public.items is '${round}';
        insert into public.items (owner_id, title) values ('${BOB}', 'round ${round}')`)
      await bob.until(() => bob.ids('items').length === 1 + round, 'the row after a change of the schema')
    }
    expect(bob.received.filter((row) => row.includes('secret'))).toEqual([])
    expect((await statusOf(world)).log.locked).toEqual(['public.docs'])
    await world.run(`alter role authenticated in database ${world.db.name} reset application_name`)
  }
  alice.connect()
  const visible = await world.visible(ALICE, ['docs'])
  expect(visible.size).toBe(ROWS)
  await alice.until(() => alice.ids('docs').length === ROWS, 'all rows of the table')
  expect([...visible].filter(([key, row]) => alice.state.get(key) !== row)).toEqual([])
  expect([...alice.faults, ...bob.faults]).toEqual([])
})

test('tables that are locked when they are to be published delay neither other tables nor the start', async () => {
  await using world = await openWorld({ schema: LISTS_SCHEMA })
  const bob = world.device(BOB)
  await world.stop()
  const tables = Array.from({ length: 12 }, (_, n) => `public.held_${n}`)
  for (const table of [...tables, 'public.free'])
    await world.run(`create table ${table} (id int primary key, owner_id uuid);
      alter table ${table} enable row level security;
      create policy own on ${table} for select using (owner_id = (select auth.uid()));
      grant select on ${table} to authenticated;
      insert into ${table} values (1, '${BOB}')`)
  {
    await using _lock = await holdLock(world, `lock table ${tables.join(', ')} in row share mode`)
    await world.restart()
    bob.connect()
    await bob.until(() => bob.ids('free').length === 1, 'the row of the table that is not locked')
    await world.run(`create table public.late (id int primary key, owner_id uuid);
      alter table public.late enable row level security;
      create policy own on public.late for select using (owner_id = (select auth.uid()));
      grant select on public.late to authenticated;
      insert into public.late values (1, '${BOB}')`)
    await bob.until(() => bob.ids('late').length === 1, 'the row of a new table')
    expect(bob.ids('held_0')).toEqual([])
  }
  await bob.until(() => tables.every((_, n) => bob.ids(`held_${n}`).length === 1), 'the rows of the other tables')
  expect(bob.faults).toEqual([])
})

test('the first reading of all tables leaves out one that is locked, and serves the others', async () => {
  await using copies = await holdCopies('a_first')
  await using world = await openWorld({
    schema: `${SCHEMA} create table public.a_first (id int primary key, owner_id uuid);
      insert into public.a_first values (1, '${BOB}')`,
    through: (url) => copies.through(url),
  })
  for (const table of ['docs', 'a_first'])
    await world.run(`alter table public.${table} enable row level security;
      create policy own on public.${table} for select using (owner_id = (select auth.uid()))`)
  await expect.poll(() => isKnown(world), { timeout: 60_000 }).toBe(true)
  await world.stop()
  // Without its slot, everything is read again, table by table.
  await expect.poll(() => world.rows(DROP_SLOT), { timeout: 60_000 }).toHaveLength(1)
  copies.hold()
  const started = world.restart()
  await expect.poll(() => copies.hasHeld, { timeout: 60_000 }).toBe(true)
  {
    // The slot is there: to make one waits for every transaction that locks or writes.
    await using _lock = await holdLock(world, `lock table public.docs in access exclusive mode`)
    copies.release()
    await started
    const bob = world.device(BOB)
    bob.connect()
    await bob.until(() => bob.ids('a_first').length === 1, 'the row of another table')
    await world.run(`insert into public.items (owner_id, title) values ('${BOB}', 'plain')`)
    await bob.until(() => bob.ids('items').length === 1, 'a new row')
    expect(bob.faults).toEqual([])
  }
  const alice = world.device(ALICE)
  alice.connect()
  await alice.until(() => alice.ids('docs').length === ROWS, 'all rows of the table')
  expect(alice.faults).toEqual([])
})

const DROP_SLOT = `select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database() and not active`

async function statusOf(world: World): Promise<SyncStatus> {
  const key = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url')
  const response = await fetch(`${world.url}/sync/v1/status`, { headers: { authorization: `Bearer ${key}` } })
  return (await response.json()) as SyncStatus
}

/** Whether the policies of `docs` have been compiled. */
async function isKnown(world: World): Promise<boolean> {
  return (
    (
      await world.rows(
        `select from sync.definitions where split_part(shape, ':', 1) = 'public.docs'::regclass::oid::text`,
      )
    ).length > 0
  )
}
