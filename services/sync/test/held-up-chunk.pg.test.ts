import { expect, test } from 'vitest'
import { createPool } from '@holdfast/postgres'
import { ALICE, BOB, LISTS_SCHEMA, openWorld, type World } from './sync-world.ts'

/*
 * A user's transaction has a table locked that is being read for the first time: no other user waits for it, nothing that others change waits for
 * it, and the transaction itself is in no deadlock with the reading.
 */

const ROWS = 20_000
const CHUNK_ROWS = 2_000

const DOCS = `
  alter table public.docs alter column body set storage external;
  insert into public.docs
    select n, '${ALICE}', 'read', case when n = ${ROWS / 2} then repeat('x', 4000) end from generate_series(1, ${ROWS}) n;
`

const SCHEMA = `${LISTS_SCHEMA}
  create table public.docs (id int primary key, owner_id uuid, title text, body text);
  ${DOCS}
`

interface Lock extends AsyncDisposable {
  /** Runs a statement in the transaction. */
  run(text: string): Promise<void>
}

/** A transaction of a user that has the storage of the one long text of a table locked, until it is disposed of. */
async function lockLongText(world: World, table = 'public.docs'): Promise<Lock> {
  const [toast] = await world.rows<{ index: string }>(`
    select i.indexrelid::regclass::text as index
      from pg_class c join pg_index i on i.indrelid = c.reltoastrelid where c.oid = '${table}'::regclass`)
  const pool = createPool({ url: world.db.url, applicationName: 'test lock', connectionsMax: 1 })
  const [locked, ended] = [Promise.withResolvers<(text: string) => Promise<void>>(), Promise.withResolvers<void>()]
  const held = pool.transaction(async (tx) => {
    const run = async (text: string): Promise<void> => void (await tx.client.query(text))
    await run(`reindex index ${toast?.index}`)
    locked.resolve(run)
    await ended.promise
  })
  held.catch(locked.reject)
  const run = await locked.promise
  return {
    run,
    async [Symbol.asyncDispose]() {
      ended.resolve()
      await held
      await pool[Symbol.asyncDispose]()
    },
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  await expect.poll(isTrue, { timeout: 60_000, interval: 5 }).toBe(true)
}

/** A person reads the table, and waits. */
async function untilReadingWaits(world: World): Promise<void> {
  await until(
    async () =>
      (
        await world.rows(`select from pg_locks l join pg_stat_activity a using (pid)
          where not l.granted and a.datname = current_database() and a.application_name = 'holdfast snapshot'`)
      ).length > 0,
  )
}

/** The policy by which `docs` begins to be read, until the reading waits in the middle. */
async function beginToRead(world: World): Promise<void> {
  await world.run(`alter table public.docs enable row level security;
    create policy own on public.docs for select using (owner_id = (select auth.uid()))`)
  await untilReadingWaits(world)
}

const isFilled = async (world: World): Promise<boolean> => (await world.rows(`select from sync.fills`)).length === 0

/** All rows of the table reach their owner. */
async function expectAll(world: World): Promise<void> {
  await until(() => isFilled(world))
  const alice = world.device(ALICE)
  alice.connect()
  const visible = await world.visible(ALICE, ['docs'])
  expect(visible.size).toBe(ROWS)
  await alice.until(() => alice.ids('docs').length === ROWS, 'all rows of the table')
  expect([...visible].filter(([key, row]) => alice.state.get(key) !== row)).toEqual([])
  expect(alice.faults).toEqual([])
}

test('rows of other tables reach devices while a table is locked that is being read', async () => {
  await using world = await openWorld({ schema: SCHEMA, fillChunkRows: CHUNK_ROWS })
  const bob = world.device(BOB)
  bob.connect()
  {
    await using _lock = await lockLongText(world)
    await beginToRead(world)
    // More than one database is on this server, and their roles' settings change.
    await world.run(`alter role authenticated in database postgres set application_name = 'other'`)
    await world.run(`alter role authenticated in database postgres reset application_name`)
    for (let round = 1; round <= 3; round++) {
      await untilReadingWaits(world)
      await world.run(`insert into public.items (owner_id, title) values ('${BOB}', 'round ${round}')`)
      await bob.until(() => bob.ids('items').length === round, 'a row of another table')
    }
    expect(await isFilled(world)).toBe(false)
  }
  await expectAll(world)
  expect(bob.faults).toEqual([])
})

test('the service stops while a table is locked that is being read, and goes on after the next start', async () => {
  await using world = await openWorld({ schema: SCHEMA, fillChunkRows: CHUNK_ROWS })
  {
    await using _lock = await lockLongText(world)
    await beginToRead(world)
    await world.stop()
    expect(await isFilled(world)).toBe(false)
  }
  await world.restart()
  await expectAll(world)
})

test('a transaction that locks partitions before their table is in no deadlock with the reading of it', async () => {
  await using world = await openWorld({
    fillChunkRows: CHUNK_ROWS,
    schema: `${LISTS_SCHEMA}
      create table public.docs (id int primary key, owner_id uuid, title text, body text) partition by range (id);
      create table public.docs_1 partition of public.docs for values from (0) to (${ROWS / 4});
      create table public.docs_2 partition of public.docs for values from (${ROWS / 4}) to (${2 * ROWS});
      alter table public.docs_2 alter column body set storage external;
      ${DOCS}`,
  })
  {
    await using lock = await lockLongText(world, 'public.docs_2')
    await beginToRead(world)
    // It waits for the reading, which waits for it.
    await lock.run(`lock table public.docs in access exclusive mode`)
  }
  await expectAll(world)
})
