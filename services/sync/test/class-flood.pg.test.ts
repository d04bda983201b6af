import { expect, test } from 'vitest'
import type { SyncStatus } from '../src/inspect/status.ts'
import { ALICE, BOB, LISTS_SCHEMA, openWorld, type World } from './sync-world.ts'

/*
 * Rows with many different values cost those who see them these rows, and no other user anything: earlier rows go on, also after a restart, is
 * taken away when Postgres takes it away, and the rest comes when there is room.
 */

const SCHEMA = `${LISTS_SCHEMA}
  drop policy own on public.items;
  drop policy shared on public.items;
  create table public.limits (user_id uuid primary key, most int not null);
  alter table public.limits enable row level security;
  create policy own on public.limits using (user_id = auth.uid());
  insert into public.limits values ('${ALICE}', 1000000), ('${BOB}', 20);
  create function public.my_limit() returns int language plpgsql stable as $$ begin return (select most from public.limits where user_id = auth.uid()); end $$;
  create policy cheap on public.items using (n <= my_limit());
`
const MAX = 8

async function statusOf(world: World): Promise<SyncStatus> {
  const token = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url')
  const response = await fetch(`${world.url}/sync/v1/status`, { headers: { authorization: `Bearer ${token}` } })
  return (await response.json()) as SyncStatus
}

const items = (state: ReadonlyMap<string, string> | undefined): string =>
  [...(state ?? [])]
    .filter(([key]) => key.startsWith('items/'))
    .map(([, json]) => (JSON.parse(json) as { title: string }).title)
    .toSorted()
    .join()

test('a flood of values takes nothing from anybody, and is told', async () => {
  await using world = await openWorld({ schema: SCHEMA, classesMax: MAX, classRecountMs: 1_000 })
  await world.run(`insert into public.items (title, n) values ('a', 10), ('b', 20), ('c', 30)`)
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  const shows = async (ofAlice: string, ofBob: string): Promise<void> => {
    await alice.until(() => items(alice.completed.at(-1)?.state) === ofAlice, `Alice: ${ofAlice}`)
    await bob.until(() => items(bob.completed.at(-1)?.state) === ofBob, `Bob: ${ofBob}`)
  }
  alice.connect()
  bob.connect()
  await shows('a,b,c', 'a,b')

  // In one transaction, and in many: the first values take the room that there is.
  await world.run(`insert into public.items (title, n) select 'flood', 100 + n from generate_series(1, 500) n`)
  await world.run(`insert into public.items (title, n) values ('late', 15)`)
  await world.run(`update public.items set title = 'b, changed' where title = 'b'`)
  await bob.until(() => items(bob.completed.at(-1)?.state) === 'a,b, changed', 'the change')
  await alice.until(() => items(alice.completed.at(-1)?.state).startsWith('a,b, changed,c,flood'), 'the change')
  const told = JSON.stringify(bob.lines.findLast(({ checkpoint }) => checkpoint)?.checkpoint?.streams)
  expect(told).toContain('the newest rows of public.items are not synced by policy \\"cheap\\"')
  const [full] = (await statusOf(world)).leftOutClasses
  expect(full).toMatchObject({ table: 'public.items', policy: 'cheap', max: MAX })
  expect(full?.leftOut).toBeGreaterThan(400)
  expect(world.service.plan()?.refused.map(({ name }) => name)).not.toContain('items')

  // What Postgres takes away leaves at once.
  await world.run(`update public.limits set most = 10 where user_id = '${BOB}'`)
  await bob.until(() => items(bob.completed.at(-1)?.state) === 'a', 'less')
  await world.run(`update public.limits set most = 20 where user_id = '${BOB}'`)
  await bob.until(() => items(bob.completed.at(-1)?.state) === 'a,b, changed', 'as before')

  // A restart changes nothing about it.
  await world.restart()
  for (const device of [alice, bob]) device.disconnect()
  const again = world.device(BOB)
  again.connect()
  await again.until(() => items(again.completed.at(-1)?.state) === 'a,b, changed', 'after a restart')

  await world.run(`delete from public.items where title = 'flood'; comment on table public.items is 'compiled again'`)
  await again.until(() => items(again.completed.at(-1)?.state) === 'a,b, changed,late', 'all that Postgres shows')
  expect((await statusOf(world)).leftOutClasses).toEqual([])
  const visible = await world.visible(BOB, ['items'])
  expect(again.faults).toEqual([])
  expect([...visible.keys()].every((key) => again.completed.at(-1)?.state.has(key))).toBe(true)
})

test('values that no row has any more make room without a migration', async () => {
  await using world = await openWorld({ schema: SCHEMA, classesMax: MAX })
  const device = world.device(ALICE)
  device.connect()
  await device.until(() => device.completed.length > 0)
  for (let round = 0; round < 2; round++) {
    await world.run(`delete from public.items`)
    await world.run(
      `insert into public.items (title, n) select 'round ${round}', ${round * 100} + n from generate_series(1, ${MAX}) n`,
    )
    const wanted = Array.from({ length: MAX }, () => `round ${round}`).join()
    await device.until(() => items(device.completed.at(-1)?.state) === wanted, wanted)
  }
})

test('a table that has too many from the beginning is refused, with its reason', async () => {
  await using world = await openWorld({
    schema: `${SCHEMA} insert into public.items (title, n) select 'item', n from generate_series(1, ${MAX + 1}) n`,
    classesMax: MAX,
  })
  expect(world.service.plan()?.refused.find((table) => table.name === 'items')).toMatchObject({
    policy: 'cheap',
    reason: expect.stringMatching(/more than 8 access classes \(different values of n\)/) as string,
  })
})
