import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { UPLOAD_PATH } from '@holdfast/protocol'
import type { SyncStatus } from '../src/inspect/status.ts'
import { dropSlots } from './drop-slots.ts'
import { ALICE, BOB, CAROL, LISTS_SCHEMA, openWorld, type World } from './sync-world.ts'

/*
 * Whoever floods a table with different values pays for it alone: they are told, the operator sees who it was, and what others write afterwards reaches every
 * device. Which values are kept does not change with a restart, or when a migration has all rows read again.
 */

const SCHEMA = `${LISTS_SCHEMA}
  drop policy own on public.items;
  drop policy shared on public.items;
  create function public.my_limit() returns int language plpgsql stable as $$ begin return 1000000; end $$;
  create policy cheap on public.items using (n <= my_limit());
  grant insert, update on public.items to authenticated;
`
const MAX = 12
const SHARE = 4

const options = { schema: SCHEMA, classesMax: MAX, classesPerPersonMax: SHARE }

async function statusOf(world: World): Promise<SyncStatus> {
  const token = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url')
  const response = await fetch(`${world.url}/sync/v1/status`, { headers: { authorization: `Bearer ${token}` } })
  return (await response.json()) as SyncStatus
}

/** Sends rows with these values in one transaction, as a device does. */
async function upload(world: World, userId: string, title: string, values: readonly number[]): Promise<void> {
  const operations = values.map((n, index) => ({
    op_id: index + 1,
    op: 'PUT',
    type: 'items',
    id: randomUUID(),
    data: { title, n },
  }))
  const response = await fetch(`${world.url}${UPLOAD_PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.token(userId)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: randomUUID(), position: operations.length, operations }),
  })
  expect(await response.json()).toMatchObject({ status: 'applied' })
}

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index)

/** The values on a device. */
const valuesOn = (device: ReturnType<World['device']>): string =>
  [...(device.completed.at(-1)?.state ?? [])]
    .filter(([key]) => key.startsWith('items/'))
    .map(([, json]) => (JSON.parse(json) as { n: number }).n)
    .toSorted((one, other) => one - other)
    .join()

const toldOf = (device: ReturnType<World['device']>): string =>
  JSON.stringify(device.lines.findLast(({ checkpoint }) => checkpoint)?.checkpoint?.streams ?? [])

test('whoever floods a table is told, and everybody else goes on', async () => {
  await using world = await openWorld(options)
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  for (const device of [alice, bob]) device.connect()
  const show = async (values: readonly number[]): Promise<void> => {
    for (const device of [alice, bob])
      await device.until(() => valuesOn(device) === values.join(), `${values.join()}, has ${valuesOn(device)}`)
  }
  await upload(world, ALICE, 'before', [1])
  await upload(world, BOB, 'flood', range(100, 50))
  await upload(world, ALICE, 'after', [2, 3])
  await world.run(`insert into public.items (title, n) values ('by the project', 4)`)
  // A value that is there counts for no author.
  await upload(world, BOB, 'an old value', [2])
  await show([1, 2, 2, 3, 4, ...range(100, SHARE)])

  await bob.until(
    () => toldOf(bob).includes('rows of public.items that this account wrote are not synced'),
    'Bob is told',
  )
  await alice.until(() => toldOf(alice).includes('some rows of public.items are not synced'), 'Alice is told')
  expect(toldOf(alice)).not.toContain('this account')
  expect((await statusOf(world)).leftOutClasses).toEqual([
    {
      table: 'public.items',
      policy: 'cheap',
      max: MAX,
      leftOut: 50 - SHARE,
      authors: [{ author: BOB, leftOut: 50 - SHARE }],
    },
  ])

  // Neither a restart nor reading everything again gives Bob another share, or takes a value from anybody.
  await world.restart()
  await upload(world, BOB, 'flood', range(200, 10))
  await upload(world, ALICE, 'later', [5])
  const kept = [1, 2, 2, 3, 4, 5, ...range(100, SHARE)]
  const again = world.device(CAROL)
  again.connect()
  await again.until(() => valuesOn(again) === kept.join(), `after a restart: ${valuesOn(again)}`)
  await world.run(`alter table public.items add column note text`)
  await world.run(`update public.items set note = 'noted' where n = 1`)
  await again.until(
    () =>
      valuesOn(again) === kept.join() && [...(again.completed.at(-1)?.state.values() ?? [])].join().includes('noted'),
    `after a migration: ${valuesOn(again)}`,
    30_000,
  )
  expect((await statusOf(world)).leftOutClasses).toMatchObject([{ authors: [{ author: BOB }] }])

  // Rows that Bob deletes make room for his other rows, the oldest first.
  await world.run(`delete from public.items where n in (100, 101)`)
  const left = [1, 2, 2, 3, 4, 5, ...range(102, SHARE - 2)].join()
  // Waits until the log has the change before restarting, because the server looks for room right after the start and then only every half minute.
  await again.until(() => valuesOn(again).startsWith(left), `without what he deleted: ${valuesOn(again)}`)
  await world.run(`comment on table public.items is 'compiled again'`)
  await world.restart()
  const last = world.device(CAROL)
  last.connect()
  const next = [1, 2, 2, 3, 4, 5, ...range(102, SHARE)]
  await last.until(() => valuesOn(last) === next.join(), `after he deleted some: ${valuesOn(last)}`)
  for (const device of [alice, bob, again, last]) expect(device.faults).toEqual([])
})

test('classes that are kept when there are too many are kept when all rows are read again', async () => {
  await using world = await openWorld(options)
  const device = world.device(ALICE)
  device.connect()
  // The last ones come first in the order of the key, in which rows are read.
  await world.run(`
    insert into public.items (id, n)
    select (lpad((99 - n)::text, 8, '0') || '-0000-4000-8000-000000000000')::uuid, n from generate_series(1, 40) n order by n`)
  const kept = range(1, MAX).join()
  await device.until(() => valuesOn(device) === kept, 'the first')
  for (const change of [
    `alter table public.items add column note text`,
    `alter table public.items alter column title type varchar(80)`,
    `drop publication holdfast`,
  ]) {
    await world.run(change)
    await world.run(`update public.items set owner_id = gen_random_uuid() where n = 1`)
    const again = world.device(ALICE)
    again.connect()
    await again.until(() => valuesOn(again) === kept, `${change}: ${valuesOn(again)}`)
    again.disconnect()
  }
  await world.stop()
  await dropSlots(world)
  await world.restart()
  const again = world.device(ALICE)
  again.connect()
  await again.until(() => valuesOn(again) === kept, `without the slot: ${valuesOn(again)}`)
  expect(again.faults).toEqual([])
})

test('only the message that comes first names an author', async () => {
  await using world = await openWorld(options)
  const device = world.device(ALICE)
  device.connect()
  const forged = `select pg_logical_emit_message(true, 'holdfast:author', '${ALICE}')`
  await world.run(
    `begin; select pg_logical_emit_message(true, 'holdfast:author', '${BOB}'); ${forged};
     insert into public.items (n) select n from generate_series(1, ${SHARE + 2}) n; commit`,
  )
  await world.run(`begin; insert into public.items (n) values (50); ${forged};
     insert into public.items (n) select n from generate_series(51, 52) n; commit`)
  await device.until(() => valuesOn(device) === [...range(1, SHARE), 50, 51, 52].join(), 'the share of Bob')
  expect((await statusOf(world)).leftOutClasses).toMatchObject([{ authors: [{ author: BOB, leftOut: 2 }] }])
})
