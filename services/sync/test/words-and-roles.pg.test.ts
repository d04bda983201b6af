import { expect, test } from 'vitest'
import { ALICE, LISTS_SCHEMA, openWorld } from './sync-world.ts'

/* Changes that leave no change of a row and no event of DDL: words of enums, and roles. */

test('a word of an enum that is renamed is renamed on devices, also after a restart, and rows that have none are not sent again', async () => {
  await using world = await openWorld({
    schema: `${LISTS_SCHEMA}
      create type public.state as enum ('open', 'done');
      create domain public.own_state as public.state;
      create table public.tasks (id int primary key, owner_id uuid, state public.own_state, before public.state[]);
      alter table public.tasks enable row level security;
      create policy own on public.tasks for select using (owner_id = (select auth.uid()) and state::public.state <> 'done');
      insert into public.tasks values (1, '${ALICE}', 'open', '{done}'), (2, '${ALICE}', 'done', null);
      insert into public.items (owner_id, title) values ('${ALICE}', 'no word in it');
    `,
  })
  const device = world.device(ALICE, {})
  device.connect()
  await device.until(() => device.ids('tasks').length === 1)
  await world.run(`alter type public.state rename value 'open' to 'to do'`)
  await device.until(() => JSON.stringify(device.rows('tasks')).includes('to do'))
  expect(device.rows('tasks')).toEqual([{ id: 1, owner_id: ALICE, state: 'to do', before: '["done"]' }])
  await world.run(`alter type public.state rename value 'done' to 'finished'`)
  await device.until(() => JSON.stringify(device.rows('tasks')).includes('finished'))
  expect(device.rows('tasks')).toEqual([{ id: 1, owner_id: ALICE, state: 'to do', before: '["finished"]' }])
  expect(device.received.filter((row) => row.startsWith('items/'))).toHaveLength(1)
  const sent = device.received.length
  await world.run(
    `alter type public.state add value 'later'; insert into public.items (owner_id, title) values ('${ALICE}', 'after')`,
  )
  await device.until(() => device.ids('items').length === 2)
  expect(device.received).toHaveLength(sent + 1)

  await world.stop()
  await world.run(`alter type public.state rename value 'to do' to 'begun'`)
  await world.restart()
  device.connect()
  await device.until(() => JSON.stringify(device.rows('tasks')).includes('begun'))
  expect(device.ids('tasks')).toEqual(['1'])
  expect(device.faults).toEqual([])
})

test('a role that is granted to another, or taken from it, brings and takes rows while devices are connected', async () => {
  await using world = await openWorld()
  const role = `readers_${process.pid}`
  await world.run(`create role ${role}; create table public.papers (id int primary key, t text); alter table papers enable row level security;
    create policy for_readers on papers for select to ${role} using (true); insert into papers values (1, 'one')`)
  try {
    const device = world.device(ALICE, {})
    device.connect()
    await device.next()
    expect(device.ids('papers')).toEqual([])
    await world.run(`grant ${role} to authenticated with inherit true`)
    await device.until(() => device.ids('papers').length === 1)
    await world.run(`revoke ${role} from authenticated`)
    await device.until(() => device.ids('papers').length === 0)
    expect(device.faults).toEqual([])
  } finally {
    await world.run(`drop table papers; drop role ${role}`)
  }
})
