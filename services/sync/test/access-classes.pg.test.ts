import { expect, test } from 'vitest'
import { ALICE, BOB, LISTS_SCHEMA, openWorld } from './sync-world.ts'

const ON_TITLES = `${LISTS_SCHEMA}
  drop policy own on public.items;
  drop policy shared on public.items;
  create function public.may_see(t text) returns boolean language plpgsql stable as $$ begin return t <> 'secret' or auth.uid() = '${ALICE}'; end $$;
  create policy by_title on public.items using (may_see(title));
`

test('a row of a class that there was none of comes to those who see it, and to no other user', async () => {
  await using world = await openWorld({ schema: ON_TITLES })
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  for (const device of [alice, bob]) {
    device.connect()
    await device.until(() => device.completed.length > 0, 'the first checkpoint')
  }
  await world.run(`insert into public.items (title) values ('secret'), ('open')`)
  await alice.until(() => alice.state.size === 2, 'both rows')
  await bob.until(() => bob.state.size === 1, 'the open row')
  expect([...bob.received].join()).not.toContain('secret')
  await world.run(`update public.items set title = 'secret' where title = 'open'`)
  await bob.until(() => bob.state.size === 0, 'nothing')
})

test('values that are too long for the name of a bucket are known after a restart', async () => {
  await using world = await openWorld({ schema: ON_TITLES })
  await world.run(`insert into public.items (title) values (repeat('long ', 500)), (null), ('a "quoted" [one]')`)
  await world.restart()
  const device = world.device(BOB)
  device.connect()
  await device.until(() => device.state.size === 2, 'both rows')
  expect(device.state).toEqual(await world.visible(BOB))
})

test('a function that is replaced shows at the next checkpoint what Postgres shows', async () => {
  await using world = await openWorld({ schema: ON_TITLES })
  await world.run(`insert into public.items (title) values ('secret'), ('open')`)
  const device = world.device(BOB)
  device.connect()
  await device.until(() => device.state.size === 1, 'the open row')
  await world.run(
    `create or replace function public.may_see(t text) returns boolean language plpgsql stable as $$ begin return t = 'secret'; end $$`,
  )
  const wanted = await world.visible(BOB)
  await device.until(() => [...device.state.keys()].join() === [...wanted.keys()].join(), 'the other row')
})

test('a function that starts to read the clock takes the table off devices, with its reason', async () => {
  await using world = await openWorld({ schema: ON_TITLES })
  await world.run(`insert into public.items (title) values ('open')`)
  const device = world.device(BOB)
  device.connect()
  await device.until(() => device.state.size === 1, 'the open row')
  await world.run(
    `create or replace function public.may_see(t text) returns boolean language plpgsql stable as $$ begin return now() > '2000-01-01'; end $$`,
  )
  await device.until(() => device.state.size === 0, 'nothing')
  expect(world.service.plan()?.refused.find((table) => table.name === 'items')).toMatchObject({
    policy: 'by_title',
    reason: expect.stringContaining('the clock') as string,
  })
})
