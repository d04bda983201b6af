import { expect, test } from 'vitest'
import type { Logger } from '@holdfast/foundation'
import { createPool } from '@holdfast/postgres'
import { INCOMPLETE_PATH, type IncompleteAnswer } from '@holdfast/protocol'
import { holdCopies } from './held-copies.ts'
import type { StreamClient } from './stream-client.ts'
import { ALICE, BOB, LISTS_SCHEMA, openWorld, type World } from './sync-world.ts'

/*
 * Pins that no user and no other session holds checkpoints for longer than some seconds, across starts too, and what a device has of a table that is being read after a change of the schema, when a transaction writes to it and to another table: either no checkpoint
 * leaves, or the device is told that the table is not complete. Also after the server was started again in the middle.
 */

const DEVICE = '00000000-0000-4000-8000-00000000000d'

/** One row in each table, in one transaction. */
function pair(title: string): string {
  return `insert into public.items (owner_id, title) values ('${ALICE}', '${title}');
    insert into public.papers (owner_id, title) values ('${ALICE}', '${title}')`
}

const PAPERS = `
  create table public.papers (id uuid primary key default gen_random_uuid(), owner_id uuid, title text);
  alter table public.papers enable row level security;
  grant select on public.papers to authenticated;
  create policy own on public.papers for select to authenticated using (owner_id = (select auth.uid()));
`

async function incompleteTables(world: World): Promise<IncompleteAnswer> {
  const response = await fetch(`${world.url}${INCOMPLETE_PATH}?client_id=${DEVICE}`, {
    headers: { authorization: `Token ${world.token(ALICE)}` },
  })
  return (await response.json()) as IncompleteAnswer
}

function titles(device: StreamClient, table: string): readonly string[] {
  return device.rows(table).map((row) => (row as { title: string }).title)
}

test('a device is told of a new table that is being read, until its rows are there', async () => {
  await using copies = await holdCopies('papers', 0)
  await using world = await openWorld({ through: (url) => copies.through(url) })
  const alice = world.device(ALICE, { clientId: DEVICE })
  alice.connect()
  await alice.next()
  expect(alice.completed.at(-1)?.problems).not.toContain('papers')
  await world.run(PAPERS)
  await expect.poll(() => copies.hasHeld, { timeout: 30_000 }).toBe(true)
  await world.run(pair('together'))
  await alice.until(() => titles(alice, 'items').length === 1, 'the row of the other table')
  expect(titles(alice, 'papers')).toEqual([])
  expect(alice.completed.at(-1)?.problems).toContain('papers')
  expect(await incompleteTables(world)).toEqual({ known: true, tables: [{ table: 'papers', reason: 'being_read' }] })
  copies.release()
  await alice.until(() => titles(alice, 'papers').length === 1, 'the row of the new table')
  expect(alice.completed.at(-1)?.problems).not.toContain('papers')
  expect(await incompleteTables(world)).toEqual({ known: true, tables: [] })
  expect(alice.faults).toEqual([])
})

test('a table that devices have is waited for as long after a start as before it', async () => {
  await using copies = await holdCopies('papers')
  await using world = await openWorld({ schema: LISTS_SCHEMA + PAPERS, through: (url) => copies.through(url) })
  await world.run(pair('first'))
  const alice = world.device(ALICE, { clientId: DEVICE })
  alice.connect()
  await alice.until(() => alice.state.size === 2, 'the first pair')
  copies.hold()
  await world.run(`alter policy own on public.papers using (owner_id = (select auth.uid()) and title <> 'hidden')`)
  await expect.poll(() => copies.hasHeld, { timeout: 30_000 }).toBe(true)
  await world.stop()
  // The replaced definitions are gone, so nothing recorded says that devices have the table.
  await world.run(`delete from sync.ops where bucket_id in (
      select b.id from sync.buckets b join sync.definitions d on d.number = b.definition where d.dropped);
    delete from sync.buckets where definition in (select number from sync.definitions where dropped);
    delete from sync.definitions where dropped`)
  const restarted = world.restart()
  const releasing = setTimeout(() => copies.release(), 3_000)
  await restarted
  alice.connect()
  await alice.next()
  clearTimeout(releasing)
  copies.release()
  await world.run(pair('second'))
  await alice.until(() => alice.state.size === 4, 'both pairs', 30_000)
  // A policy was replaced by one that shows the same: no checkpoint has one half of a pair.
  for (const { state } of alice.completed) {
    const keys = [...state.keys()]
    const count = (table: string): number => keys.filter((key) => key.startsWith(`${table}/`)).length
    expect(count('items')).toBe(count('papers'))
  }
  expect(alice.faults).toEqual([])
})

/** A session of another program in which a statement has run, until it is disposed of. */
async function openSession(world: World, text: string, applicationName = 'a test'): Promise<AsyncDisposable> {
  const pool = createPool({ url: world.db.url, applicationName, connectionsMax: 1 })
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held = pool.withClient(async (client) => {
    await client.query(text)
    begun.resolve()
    await ended.promise
    await client.query('rollback')
  })
  held.catch(begun.reject)
  await begun.promise
  return {
    async [Symbol.asyncDispose]() {
      ended.resolve()
      await held.catch(() => undefined) // the server may have ended the session
      await pool[Symbol.asyncDispose]()
    },
  }
}

test('tables whose changes were missed hold nothing but themselves for long when an open transaction has written to one of them', async () => {
  await using world = await openWorld({ schema: LISTS_SCHEMA + PAPERS })
  await world.run(pair('first'))
  const alice = world.device(ALICE, { clientId: DEVICE })
  alice.connect()
  await alice.until(() => alice.state.size === 2, 'the first pair')
  {
    await using _open = await openSession(
      world,
      `begin; insert into public.items (owner_id, title) values ('${BOB}', 'open')`,
    )
    await world.run(`set local session_replication_role = replica; drop publication holdfast`)
    await world.run(`insert into public.papers (owner_id, title) values ('${ALICE}', 'second')`)
    await alice.until(() => titles(alice, 'papers').length === 2, 'the row of another table', 20_000)
    expect(alice.completed.at(-1)?.problems).toContain('items')
  }
  await alice.until(() => titles(alice, 'items').length === 1, 'the rows of the table')
  await expect.poll(() => alice.completed.at(-1)?.problems).not.toContain('items')
  expect(alice.faults).toEqual([])
})

test('a start goes on with the time for waiting that servers before it have left', async () => {
  await using copies = await holdCopies('papers')
  await using world = await openWorld({ schema: LISTS_SCHEMA + PAPERS, through: (url) => copies.through(url) })
  copies.hold()
  await world.run(`alter policy own on public.papers using (owner_id = (select auth.uid()) and title <> 'hidden')`)
  await expect.poll(() => copies.hasHeld, { timeout: 30_000 }).toBe(true)
  const [noted] = await world.rows<{ hold_ms: number; left: number }>(
    `select hold_ms, hold_left_ms as left from sync.state`,
  )
  expect(noted?.hold_ms).toBeGreaterThan(8_000)
  expect(noted?.left).toBeGreaterThan(8_000)
  await world.rows(END_SERVER)
  await world.stop()
  // As if it had been killed ten seconds later.
  await world.rows(`update sync.state set hold_noted_at = clock_timestamp() - make_interval(secs => hold_ms / 1000)`)
  const began = performance.now()
  await world.restart()
  expect(performance.now() - began).toBeLessThan(9_800)
})

/** Ends all connections of the server, as a kill does. */
const END_SERVER = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and application_name like 'holdfast%'`

test('a session that a dead server left with the lock of the log is ended, and one of another program is named', async () => {
  const told: string[] = []
  const logger: Logger = { log: (_level, message, fields) => void told.push(`${message} ${JSON.stringify(fields)}`) }
  await using world = await openWorld({ logger })
  await world.stop()
  {
    await using _leftover = await openSession(world, `select pg_advisory_lock(18502, 3)`, 'holdfast sync dead')
    await world.restart()
  }
  await world.stop()
  let restarted: Promise<void>
  {
    await using _other = await openSession(world, `select pg_advisory_lock(18502, 3)`, 'a report')
    restarted = world.restart()
    await expect
      .poll(() => told.join('\n'), { timeout: 30_000 })
      .toMatch(/the operation log is locked.+process \d+ of role .+ \(a report\)/i)
  }
  await restarted
  expect(world.service.status()).toMatchObject({ ready: true, problem: undefined })
})
