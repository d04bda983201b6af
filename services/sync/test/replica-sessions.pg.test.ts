import { expect, test } from 'vitest'
import { ALICE, BOB, openWorld } from './sync-world.ts'

/* Dumps and restores set `session_replication_role = replica`, under which event triggers do not fire unless they are told to. */

const replica = (text: string): string =>
  `set session_replication_role = replica; ${text}; reset session_replication_role`

test('changes of the schema in a session that is a replica reach devices as any others', async () => {
  await using world = await openWorld({
    schema: `
      create table public.notes (id int primary key, owner_id uuid, n int);
      create function public.is_shown(n int) returns boolean language sql stable as $$ select n > 1 $$;
      create table public.things (id int primary key, n int);
      alter table public.notes enable row level security;
      alter table public.things enable row level security;
      create policy own on public.notes for select using (owner_id = auth.uid());
      create policy shown on public.things for select using (public.is_shown(n));
      insert into public.notes values (1, '${ALICE}', 1), (2, '${BOB}', 2);
      insert into public.things values (1, 1), (2, 2);
    `,
  })
  const device = world.device(ALICE)
  device.connect()
  const holds = async (notes: string[], things: string[]): Promise<void> => {
    const isSo = (): boolean =>
      JSON.stringify([device.ids('notes'), device.ids('things')]) === JSON.stringify([notes, things])
    await device
      .until(isSo, 'the rows of Postgres', 15_000)
      .catch(() => expect([device.ids('notes'), device.ids('things')]).toEqual([notes, things]))
    expect(device.faults).toEqual([])
  }
  await holds(['1'], ['2'])
  await world.run(
    replica(
      `drop policy own on public.notes; create policy other on public.notes for select using (owner_id <> auth.uid())`,
    ),
  )
  await holds(['2'], ['2'])
  await world.run(
    replica(
      `create or replace function public.is_shown(n int) returns boolean language sql stable as $$ select n = 1 $$`,
    ),
  )
  await holds(['2'], ['1'])
  await world.run(replica(`alter table public.notes alter n type text using 'n' || n`))
  await device.until(
    () => device.rows('notes').some((row) => JSON.stringify(row).includes('n2')),
    'the values rewritten',
  )
  await world.run(replica(`drop policy shown on public.things`))
  await holds(['2'], [])
})

test('partitions that are attached, truncated or dropped in a session that is a replica bring and take their rows', async () => {
  await using world = await openWorld({
    schema: `
      create table public.readings (id int, owner_id uuid, month int, primary key (id, month)) partition by list (month);
      create table public.readings_1 partition of public.readings for values in (1);
      create table public.readings_2 partition of public.readings for values in (2);
      alter table public.readings enable row level security;
      create policy own on public.readings for select using (owner_id = auth.uid());
      insert into public.readings values (1, '${ALICE}', 1), (2, '${ALICE}', 2), (3, '${BOB}', 2);
    `,
  })
  const device = world.device(ALICE)
  device.connect()
  const holds = async (ids: string[]): Promise<void> => {
    const held = (): string[] => device.rows('readings').map((row) => String((row as { id_: number }).id_))
    await device.until(() => held().join() === ids.join(), 'the rows', 15_000).catch(() => expect(held()).toEqual(ids))
    expect(device.faults).toEqual([])
  }
  await holds(['1', '2'])
  await world.run(
    replica(`create table public.readings_3 (id int not null, owner_id uuid, month int not null, primary key (id, month));
      insert into public.readings_3 values (4, '${ALICE}', 3);
      alter table public.readings attach partition public.readings_3 for values in (3)`),
  )
  await holds(['1', '2', '4'])
  await world.run(replica(`truncate public.readings_2`))
  await holds(['1', '4'])
  await world.run(replica(`alter table public.readings detach partition public.readings_1`))
  await holds(['4'])
  await world.run(replica(`truncate public.readings_3`))
  await holds([])
})
