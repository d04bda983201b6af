import { afterEach, beforeEach, test } from 'vitest'
import { createPool, sql } from '@holdfast/postgres'
import { ALICE, openWorld, type World } from './sync-world.ts'

const SCHEMA = `
  create table public.readings (id int not null, owner_id uuid, month int not null, primary key (id, month)) partition by list (month);
  create table public.readings_1 partition of public.readings for values in (1);
  alter table public.readings enable row level security;
  create policy own on public.readings for select using (owner_id = (select auth.uid()));
  create table public.notes (id int primary key, owner_id uuid);
  create table public.spare (id int not null, owner_id uuid, month int not null, primary key (id, month));
  alter table public.notes enable row level security;
  create policy own on public.notes for select using (owner_id = (select auth.uid()));
`

let world: World

beforeEach(async () => {
  world = await openWorld({ schema: SCHEMA })
})

afterEach(() => world[Symbol.asyncDispose]())

test('a change of one table does not wait for partitions of another that a user has locked', async () => {
  const alice = world.device(ALICE)
  alice.connect()
  await alice.until(() => alice.completed.length > 0, 'the first sync')
  await using other = createPool({ url: world.db.url, applicationName: 'a user', connectionsMax: 1 })

  await other.transaction(async (tx) => {
    await tx.execute(sql`lock table public.readings_1 in access exclusive mode`)
    // As migrations do. It fails when it has to wait at all.
    await world.run(`
      set lock_timeout = '1s';
      alter table public.notes add column title text;
      create table public.more (id int primary key);
      drop table public.more;
      reset lock_timeout`)
  })
})

test('what a change of partitions means for devices is still told', async () => {
  const alice = world.device(ALICE)
  alice.connect()
  await alice.until(() => alice.completed.length > 0, 'the first sync')
  await world.run(`insert into public.spare values (1, '${ALICE}', 2)`)
  await world.run(`alter table public.readings attach partition public.spare for values in (2)`)
  await alice.until(() => alice.state.size === 1, 'the rows of the new partition')
  await world.run(`update public.spare set owner_id = null`)
  await alice.until(() => alice.state.size === 0, 'the row is gone')
  await world.run(`update public.spare set owner_id = '${ALICE}'`)
  await alice.until(() => alice.state.size === 1, 'the row is back')
  await world.run(`drop schema if exists nothing; drop table public.spare`)
  await alice.until(() => alice.state.size === 0, 'the rows of the dropped partition are gone')
})
