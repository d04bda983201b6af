import { expect, test } from 'vitest'
import { ALICE, BOB, openWorld } from './sync-world.ts'

/*
 * What one table, function or type does, or has become, is that table's matter: changes of the others reach devices, tables that are made later begin to sync, also after
 * a restart, and nothing has to be repaired.
 */

const NOTES = `
  create table public.notes (id uuid primary key default gen_random_uuid(), owner_id uuid);
  alter table public.notes enable row level security;
  create policy own on public.notes for select using (owner_id = (select auth.uid()));
`
const ODD = `alter table public.odd enable row level security;`

interface Neighbour {
  readonly what: string
  readonly schema: string
  /** What makes it bad while the server runs. */
  readonly turn: string
}

const NEIGHBOURS: readonly Neighbour[] = [
  {
    what: 'rows that a new check of their domain refuses',
    schema: `create domain public.small as int; create table public.odd (id int primary key, n public.small, label text); ${ODD}
      create policy p on public.odd for select using (n > 1 and label <> 'x'); insert into public.odd values (1, 5, 'a'), (2, 2, 'a');`,
    turn: `alter domain public.small add constraint tiny check (value < 3) not valid; update public.odd set label = label || 'b'`,
  },
  {
    what: 'a check of a domain that calls a function which raises',
    schema: `create function public.fits(n int) returns boolean language plpgsql immutable as $$ begin return true; end $$;
      create domain public.fitting as int check (public.fits(value));
      create table public.odd (id int primary key, n public.fitting, label text); ${ODD}
      create policy p on public.odd for select using (n > 1 and label <> 'x'); insert into public.odd values (1, 5, 'a');`,
    turn: `create or replace function public.fits(n int) returns boolean language plpgsql immutable as $$ begin raise exception 'no'; end $$;
      update public.odd set label = label || 'b'`,
  },
  {
    what: 'a function whose table was dropped',
    schema: `create table public.aid (id int primary key, user_id uuid);
      create function public.helps(n int) returns boolean language plpgsql stable security definer set search_path = public as
        $$ begin return exists (select from aid a where a.id = n and a.user_id = auth.uid()); end $$;
      create table public.odd (id int primary key, n int); ${ODD} create policy p on public.odd for select using (public.helps(n)); insert into public.odd values (1, 1);`,
    turn: `drop table public.aid; insert into public.odd values (2, 2)`,
  },
  {
    what: 'a function whose path leads nowhere',
    schema: `create function public.lost(n int) returns boolean language plpgsql stable set search_path = '' as
        $$ begin return exists (select from notes where owner_id = auth.uid()); end $$;
      create table public.odd (id int primary key, n int); ${ODD} create policy p on public.odd for select using (n = 1);`,
    turn: `insert into public.odd values (1, 1); create policy q on public.odd for select using (public.lost(n))`,
  },
  {
    what: 'policies that lead back to each other',
    schema: `create table public.odd (id int primary key, n int); create table public.even (id int primary key, n int);
      ${ODD} alter table public.even enable row level security; create policy p on public.odd for select using (n = 1);`,
    turn: `create policy q on public.odd for select using (exists (select from public.even e where e.n = odd.n));
      create policy q on public.even for select using (exists (select from public.odd o where o.n = even.n)); insert into public.odd values (1, 1), (2, 2)`,
  },
  {
    what: 'a column that a function no longer finds',
    schema: `create table public.odd (id int primary key, n int, user_id uuid); ${ODD}
      create function public.found(i int) returns boolean language plpgsql stable security definer set search_path = public as
        $$ begin return exists (select from odd o where o.id = i and o.user_id = auth.uid()); end $$;
      create policy p on public.odd for select using (public.found(id)); insert into public.odd values (1, 1);`,
    turn: `alter table public.odd rename column user_id to owner_id; insert into public.odd values (2, 2)`,
  },
  {
    what: 'a collation that was dropped',
    schema: `create collation public.sorted from "C"; create table public.odd (id int primary key, label text collate public.sorted, n int); ${ODD}
      create policy p on public.odd for select using (label < 'm' collate public.sorted); insert into public.odd values (1, 'a', 1);`,
    turn: `drop collation public.sorted cascade; insert into public.odd values (2, 2)`,
  },
  {
    what: 'an enum that gets words in the transaction that uses it',
    schema: `create table public.odd (id int primary key, n int); ${ODD} create policy p on public.odd for select using (n = 1);`,
    turn: `create type public.mood as enum ('good'); alter type public.mood add value 'bad'; alter table public.odd add column mood public.mood;
      create policy q on public.odd for select using (mood = 'bad'); insert into public.odd values (1, 1, 'bad')`,
  },
  {
    what: 'a row filter that ends its own connection',
    schema: `create function public.ends(n int) returns boolean language plpgsql immutable as
        $$ begin if n = 3 then perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(1); end if; return true; end $$;
      create table public.odd (id int primary key, n int); ${ODD} create policy p on public.odd for select using (public.ends(n)); insert into public.odd values (1, 1);`,
    turn: `insert into public.odd select n, n from generate_series(2, 5) n`,
  },
  {
    what: 'a row filter that cancels itself',
    schema: `create function public.cancels(n int) returns boolean language plpgsql immutable as
        $$ begin if n = 3 then perform pg_cancel_backend(pg_backend_pid()); perform pg_sleep(1); end if; return true; end $$;
      create table public.odd (id int primary key, n int); ${ODD} create policy p on public.odd for select using (public.cancels(n)); insert into public.odd values (1, 1);`,
    turn: `insert into public.odd select n, n from generate_series(2, 5) n`,
  },
  {
    what: 'a function that ends the connection of one person',
    schema: `create function public.ends() returns uuid language plpgsql stable as
        $$ begin if auth.uid() = '${BOB}' then perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(1); end if; return auth.uid(); end $$;
      create table public.odd (id int primary key, owner_id uuid); ${ODD} create policy p on public.odd for select using (owner_id = public.ends()); insert into public.odd values (1, '${ALICE}');`,
    turn: `insert into public.odd values (2, '${BOB}')`,
  },
]

test.each(NEIGHBOURS)('$what: no other user waits for it', async ({ schema, turn }) => {
  await using world = await openWorld({ schema: NOTES + schema })
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  alice.connect()
  bob.connect()
  await alice.until(() => alice.completed.length > 0)
  await world.run(turn)
  await world.run(`insert into public.notes (owner_id) values ('${ALICE}')`)
  await alice.until(() => alice.ids('notes').length === 1, 'a change')
  await world.run(`create table public.later (id uuid primary key default gen_random_uuid(), owner_id uuid); alter table public.later enable row level security;
    create policy own on public.later for select using (owner_id = (select auth.uid())); insert into public.later (owner_id) values ('${ALICE}')`)
  await alice.until(() => alice.ids('later').length === 1, 'a later table')
  expect(world.service.status().problem).toBeUndefined()

  await world.restart()
  const again = world.device(ALICE)
  again.connect()
  await world.run(`insert into public.notes (owner_id) values ('${ALICE}')`)
  await again.until(() => again.ids('notes').length === 2 && again.ids('later').length === 1, 'both after a restart')
  expect(world.service.status().problem).toBeUndefined()
})
