import { sql, type Transaction } from '@holdfast/postgres'
import type { Random } from '@holdfast/test-support'
import { LISTS_SCHEMA } from './sync-world.ts'

/** The tables of histories, with what changes of the schema turn to and fro. */
export const CHANGING_SCHEMA = `${LISTS_SCHEMA}
  create type public.word as enum ('red', 'green');
  alter table public.items add column word public.word not null default 'red', add column size integer not null default 1;
  create function public.is_shown(n integer) returns boolean language sql immutable as $$ select n % 7 = 0 $$;
  create policy by_function on public.items for select using (public.is_shown(n));
`

const SHARED = `for select using (list_id in (select m.list_id from public.list_members m where m.user_id = (select auth.uid())))`

/** Each kind of change that sync has to follow: what it is called, and statements of which one is picked. */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  'a column is added': [
    `alter table public.items add column if not exists extra text default 'x'`,
    `alter table public.items add column if not exists more integer`,
  ],
  'a column is dropped': [
    `alter table public.items drop column if exists extra`,
    `alter table public.items drop column if exists more`,
  ],
  'a column is renamed': [
    `do $$ begin
       if exists (select from pg_attribute where attrelid = 'public.items'::regclass and attname = 'title') then alter table public.items rename column title to caption;
       else alter table public.items rename column caption to title; end if; end $$`,
  ],
  'a column has another type': [
    `alter table public.items alter column size type bigint using size + 1`,
    `alter table public.items alter column size type integer`,
  ],
  'a table is new': [
    `create table if not exists public.notes (id uuid primary key default gen_random_uuid(), owner_id uuid, body text);
     alter table public.notes enable row level security; drop policy if exists own on public.notes;
     create policy own on public.notes for select using (owner_id = (select auth.uid()));
     insert into public.notes (owner_id, body) select owner_id, 'note' from public.items`,
  ],
  'a table is dropped': [`drop table if exists public.notes`],
  'a policy is changed': [
    `drop policy if exists own on public.items; create policy own on public.items for select using (owner_id = (select auth.uid()))`,
    `drop policy if exists own on public.items; create policy own on public.items for select using (owner_id = (select auth.uid()) and n < 50)`,
    `drop policy if exists own on public.items; create policy own on public.items for select using (owner_id = (select auth.uid()) or n = 3)`,
    `alter policy mine on public.list_members using (user_id = (select auth.uid()) and id::text < 'a')`,
    `alter policy mine on public.list_members using (user_id = (select auth.uid()))`,
  ],
  'a policy is added or dropped': [
    `drop policy if exists shared on public.items`,
    `drop policy if exists shared on public.items; create policy shared on public.items ${SHARED}`,
    `drop policy if exists even on public.items; create policy even on public.items as restrictive for select using (n % 2 = 0)`,
    `drop policy if exists even on public.items`,
  ],
  'a function is changed': [
    `create or replace function public.is_shown(n integer) returns boolean language sql immutable as 'select n % 7 = 0'`,
    `create or replace function public.is_shown(n integer) returns boolean language sql immutable as 'select n % 5 = 0'`,
  ],
  'grants are changed': [
    `revoke select on public.items from authenticated; grant select (id, owner_id, list_id, n) on public.items to authenticated`,
    `revoke select on public.items from authenticated; grant select (id, n) on public.items to authenticated`,
    `revoke select on public.items from authenticated`,
    `grant select on public.items to authenticated`,
  ],
  'row-level security is switched': [
    `alter table public.items disable row level security`,
    `alter table public.items enable row level security`,
    `alter table public.items enable row level security`,
  ],
  'a table is emptied': [`truncate public.items`, `truncate public.list_members`],
  'a word of an enum is renamed': [
    `do $$ begin
       if exists (select from pg_enum where enumlabel = 'red') then alter type public.word rename value 'red' to 'dark red';
       else alter type public.word rename value 'dark red' to 'red'; end if; end $$`,
  ],
}

/** Changes the schema in one of these ways. */
export async function changeSchema(tx: Transaction, random: Random): Promise<void> {
  const kind = random.pick(Object.keys(CHANGES))
  for (const statement of split(random.pick(CHANGES[kind] ?? []))) await tx.execute(sql.trusted(statement))
}

function split(text: string): readonly string[] {
  return text.startsWith('do ') || text.startsWith('create or replace') ? [text] : text.split(';')
}
