import { expect, test } from 'vitest'
import { ALICE, BOB, openWorld } from './sync-world.ts'

/* Functions in PL/pgSQL that are declared immutable, as people do for speed, and read tables or the person all the same. */

test('hide and show what Postgres does, also negated, as the rows that they read change', async () => {
  await using world = await openWorld({
    schema: `
      create table public.blocks (blocker uuid, blocked uuid, primary key (blocker, blocked));
      create function public.hides_from_me(who uuid) returns boolean language plpgsql immutable security definer set search_path = '' as
        $$ begin return exists (select 1 from public.blocks b where b.blocker = who and b.blocked = auth.uid()); end $$;
      create function public.me() returns uuid language sql as $$ select auth.uid() $$;
      create function public.is_mine(who uuid) returns boolean language plpgsql immutable as $$ begin return who = public.me(); end $$;
      create function public.is_short(value text) returns boolean language plpgsql immutable as $$ begin return length(value) < 6; end $$;
      create table public.posts (id int primary key, author uuid, title text);
      create table public.drafts (id int primary key, author uuid);
      create table public.titles (id int primary key, title text);
      alter table public.posts enable row level security;
      alter table public.drafts enable row level security;
      alter table public.titles enable row level security;
      create policy seen on public.posts for select using (not public.hides_from_me(author));
      create policy own on public.drafts for select using (public.is_mine(author));
      create policy short on public.titles for select using (public.is_short(title));
      insert into public.posts values (1, '${ALICE}', 'of alice'), (2, '${BOB}', 'of bob');
      insert into public.drafts values (1, '${ALICE}'), (2, '${BOB}');
      insert into public.titles values (1, 'short'), (2, 'too long');
      insert into public.blocks values ('${ALICE}', '${BOB}');
    `,
  })
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  const expectEqual = async (posts: { readonly alice: string[]; readonly bob: string[] }): Promise<void> => {
    for (const [device, user, ids] of [
      [alice, ALICE, posts.alice],
      [bob, BOB, posts.bob],
    ] as const) {
      const expected = JSON.stringify([...(await world.visible(user, ['posts', 'drafts', 'titles']))].toSorted())
      await device
        .until(() => JSON.stringify([...device.state].toSorted()) === expected, 'the rows of Postgres', 10_000)
        .catch(() => expect(JSON.stringify([...device.state].toSorted())).toBe(expected))
      expect(device.ids('posts')).toEqual(ids)
      expect(device.ids('titles')).toEqual(['1'])
      expect(device.faults).toEqual([])
    }
  }
  alice.connect()
  bob.connect()
  await expectEqual({ alice: ['1', '2'], bob: ['2'] })
  expect(bob.received.filter((row) => row.includes('of alice'))).toEqual([])
  await world.run(`update public.blocks set blocker = '${BOB}', blocked = '${ALICE}'`)
  await expectEqual({ alice: ['1'], bob: ['1', '2'] })
  await world.run(`delete from public.blocks; update public.drafts set author = '${BOB}' where id = 1`)
  await expectEqual({ alice: ['1', '2'], bob: ['1', '2'] })
  expect(bob.ids('drafts')).toEqual(['1', '2'])
})

/* What they read cannot be known, or is no data: their tables stay on the server. */
test.each([
  [
    'runs text that it makes itself',
    `returns boolean language plpgsql immutable security definer set search_path = '' as $$ declare found_it boolean;
       begin execute 'select exists (select from public.blocks where blocker = $1 and blocked = auth.uid())' into found_it using who; return found_it; end $$`,
    /runs text that it makes itself/,
  ],
  [
    'reads the claims by a name that it makes itself',
    `returns boolean language plpgsql immutable as $$
       begin return who = (current_setting('request' || '.jwt.claims', true)::jsonb ->> 'sub')::uuid; end $$`,
    /reads a setting of the session/,
  ],
  [
    'is left to chance',
    `returns boolean language plpgsql immutable as $$ begin return random() < 0.5; end $$`,
    /random\(\) is volatile/,
  ],
])('one that %s brings nobody rows', async (_, definition, reason) => {
  const refused: string[] = []
  await using world = await openWorld({
    schema: `
      create table public.blocks (blocker uuid, blocked uuid, primary key (blocker, blocked));
      create function public.hides_from_me(who uuid) ${definition};
      create table public.posts (id int primary key, author uuid);
      create table public.notes (id int primary key);
      alter table public.posts enable row level security;
      alter table public.notes enable row level security;
      create policy seen on public.posts for select using (not public.hides_from_me(author));
      create policy all_of_them on public.notes for select using (true);
      insert into public.posts values (1, '${ALICE}'), (2, '${BOB}');
      insert into public.blocks values ('${ALICE}', '${BOB}'), ('${BOB}', '${ALICE}');
    `,
    logger: { log: (_level, _message, fields) => refused.push(String(fields?.['reason'])) },
  })
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  for (const device of [alice, bob]) device.connect()
  await world.run(`update public.posts set id = id + 10; insert into public.notes values (1)`)
  for (const device of [alice, bob]) {
    await device.until(() => device.ids('notes').length === 1, 'the note')
    expect(device.received.filter((row) => row.startsWith('posts/'))).toEqual([])
  }
  expect(refused).toContainEqual(expect.stringMatching(reason))
})

test('one behind an operator or a cast is followed, or its table stays on the server', async () => {
  await using world = await openWorld({
    schema: `
      create table public.blocks (blocker uuid, blocked uuid, primary key (blocker, blocked));
      create function public.has_not_blocked_me(who uuid, _ int) returns boolean language plpgsql immutable security definer set search_path = '' as
        $$ begin return not exists (select from public.blocks b where b.blocker = who and b.blocked = auth.uid()); end $$;
      create operator public.=== (leftarg = uuid, rightarg = int, function = public.has_not_blocked_me);
      create type public.whose as enum ('mine', 'theirs');
      create function public.whose_is(who uuid) returns public.whose language plpgsql immutable as
        $$ begin return case when who = auth.uid() then 'mine' else 'theirs' end; end $$;
      create cast (uuid as public.whose) with function public.whose_is(uuid);
      create table public.posts (id int primary key, author uuid);
      create table public.drafts (id int primary key, author uuid);
      alter table public.posts enable row level security;
      alter table public.drafts enable row level security;
      create policy seen on public.posts for select using (author operator(public.===) 1);
      create policy not_mine on public.drafts for select using (author::public.whose = 'theirs');
      insert into public.posts values (1, '${ALICE}'), (2, '${BOB}');
      insert into public.drafts values (1, '${ALICE}'), (2, '${BOB}');
      insert into public.blocks values ('${ALICE}', '${BOB}');
    `,
  })
  const bob = world.device(BOB)
  bob.connect()
  await bob.until(() => bob.ids('posts').join() === '2', 'the post of a user who blocks nobody')
  await world.run(`delete from public.blocks`)
  await bob.until(() => bob.ids('posts').join() === '1,2', 'the other post')
  expect(bob.received.filter((row) => row.startsWith('drafts/'))).toEqual([])
  expect(world.service.plan()?.refused.map(({ name }) => name)).toContain('drafts')
})
