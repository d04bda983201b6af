import { createPool, sql } from '@holdfast/postgres'
import { expect, test } from 'vitest'
import { dropSlots } from './drop-slots.ts'
import { ALICE, BOB, openWorld } from './sync-world.ts'

/*
 * Postgres makes a slot once transactions have ended that were open, which can take hours. The stream begins there: no policy or table that came while the slot was
 * waited for is in it, and each has to be in force all the same.
 */

const NOTES = `
  create table public.notes (id uuid primary key default gen_random_uuid(), owner_id uuid, title text);
  alter table public.notes enable row level security;
  create policy own on public.notes for select using (owner_id = (select auth.uid()));
  insert into public.notes (owner_id, title) values ('${ALICE}', 'new');
`

test.each([
  ['small tables, which are read at once', {}],
  ['large tables, which are read in pieces', { snapshotBytesMax: 0 }],
])('what changes while the slot is waited for is in force: %s', async (_, options) => {
  await using world = await openWorld(options)
  await world.run(`insert into public.items (owner_id, title, n)
    select owner::uuid, 'item', n from unnest(array['${ALICE}', '${BOB}']) owner, generate_series(0, 3) n`)
  const alice = world.device(ALICE)
  alice.connect()
  await alice.until(() => alice.state.size === 4, 'all of the rows')

  await world.stop()
  await dropSlots(world)
  let restarting: Promise<void> | undefined
  await world.db.pool.transaction(async (forgotten) => {
    await forgotten.execute(sql`select pg_current_xact_id()`)
    restarting = world.restart()
    await expect
      .poll(() =>
        world.rows(`select wait_event from pg_stat_activity
          where application_name like 'holdfast slot %' and datname = current_database() and wait_event_type = 'Lock'`),
      )
      .toHaveLength(1)
    await world.run(`alter policy own on public.items using (owner_id = (select auth.uid()) and n > 1); ${NOTES}`)
  })
  await restarting
  await world.run(
    `insert into public.items (owner_id, title, n) values ('${ALICE}', 'hidden', 0), ('${ALICE}', 'shown', 5)`,
  )

  const visible = await world.visible(ALICE, ['items', 'notes'])
  expect(visible.size).toBe(4)
  alice.connect()
  await alice.until(
    () => [...alice.state.values()].some((row) => row.includes('shown')) && alice.state.size === 4,
    'what is shown',
  )
  expect(alice.state).toEqual(visible)
  expect(alice.received.filter((row) => row.includes('hidden'))).toEqual([])
  expect(alice.faults).toEqual([])
})

test('a slot does not wait for a transaction that a stopped server has left open', async () => {
  await using world = await openWorld()
  await world.stop()
  await dropSlots(world)
  await using left = createPool({ url: world.db.url, applicationName: 'holdfast compiler', connectionsMax: 1 })
  const ended = Promise.withResolvers<unknown>()
  await left.withClient(async (client) => {
    client.once('error', ended.resolve)
    await client.query('begin; select pg_current_xact_id()')
    await world.restart()
    expect(String(await ended.promise)).toContain('terminating connection due to administrator command')
  })
  expect(world.service.status()).toMatchObject({ ready: true })
})
