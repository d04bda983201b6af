import fc from 'fast-check'
import type { Operation, UploadWorld } from './upload-world.ts'

/** Tables whose rows depend on each other and on the transaction: merging statements or transactions would change the outcome. */
export const DEPENDENT_SCHEMA = `
  create table public.counted (id text primary key, label text);
  alter table public.counted enable row level security;
  create function public.counted_rows() returns bigint language sql stable security definer set search_path = ''
    as 'select count(*) from public.counted';
  create policy readable on public.counted for select using (true);
  create policy "three at most" on public.counted for insert with check (public.counted_rows() < 3);
  create policy changed on public.counted for update using (label is distinct from 'final');
  create policy deleted on public.counted for delete using (true);

  create table public.tree (id text primary key, parent text references public.tree (id), label text);
  create table public.waiting (id text primary key, parent text references public.waiting (id) deferrable initially deferred, label text);

  create table public.numbered (id text primary key, label text, n bigint, unique (label));
  create function public.number_row() returns trigger language plpgsql as $$
    begin new.n := (select count(*) from public.numbered); return new; end $$;
  create trigger numbering before insert or update on public.numbered for each row execute function public.number_row();
  create table public.journal (position bigint generated always as identity, what text);
  create function public.note_statement() returns trigger language plpgsql security definer as $$
    begin insert into public.journal (what) values (tg_op || (select count(*) from public.numbered)); return null; end $$;
  create trigger journal after insert or update or delete on public.numbered for each statement execute function public.note_statement();

  create table public.late (id text primary key deferrable, label text);
  create table public.guarded (id text primary key, label text);
  select sync.guard_columns('public.guarded', '{label}');
  create table public.dropbox (id text primary key, label text);
  create table public.scoped (id text primary key, label text, nth int, seen int, xact xid8);
  create function public.scope_row() returns trigger language plpgsql as $$
    begin
      new.nth := coalesce(nullif(current_setting('app.nth', true), '')::int, 0) + 1;
      perform set_config('app.nth', new.nth::text, true);
      create temp table if not exists seen_in_transaction (id text) on commit drop;
      insert into seen_in_transaction values (new.id);
      new.seen := (select count(*) from seen_in_transaction);
      new.xact := pg_current_xact_id();
      return new;
    end $$;
  create trigger scoping before insert or update on public.scoped for each row execute function public.scope_row();
  grant select, insert, update, delete on public.counted, public.tree, public.waiting, public.numbered, public.late, public.guarded, public.scoped to authenticated;
  revoke all on public.dropbox from authenticated;
  grant insert on public.dropbox to authenticated;
`

export const DEPENDENT_TABLES = [
  'counted',
  'tree',
  'waiting',
  'numbered',
  'late',
  'guarded',
  'dropbox',
  'scoped',
] as const
const LABELS = ['a', 'b', 'final', null]

const id = fc.constantFrom('1', '2', '3', '4', '5')

/** Likely to succeed; with a few that fail in every way. */
export function operationOn(type: string): fc.Arbitrary<Operation> {
  const label = fc.constantFrom(...LABELS)
  const data =
    type === 'tree' || type === 'waiting'
      ? fc.record({ label, parent: fc.option(id, { freq: 3 }) }, { requiredKeys: ['label'] })
      : fc.record({ label })
  const unknown = fc.record({ label, nope: fc.constant(1) })
  const old = fc.option(fc.record({ label }), { nil: undefined, freq: 2 })
  return fc.oneof(
    { weight: 40, arbitrary: fc.record({ op: fc.constant('PUT' as const), type: fc.constant(type), id, data }) },
    { weight: 20, arbitrary: fc.record({ op: fc.constant('PATCH' as const), type: fc.constant(type), id, data, old }) },
    { weight: 15, arbitrary: fc.record({ op: fc.constant('DELETE' as const), type: fc.constant(type), id }) },
    {
      weight: 1,
      arbitrary: fc.record({ op: fc.constant('PATCH' as const), type: fc.constant(type), id, data: unknown }),
    },
  ) as fc.Arbitrary<Operation>
}

export async function emptyTables({ database }: UploadWorld): Promise<void> {
  const all = [...DEPENDENT_TABLES, 'journal'].map((table) => `public.${table}`).join(', ')
  await database.pool.withClient((client) => client.query(`truncate sync.uploads, ${all} restart identity`))
}

/** Returns all rows. */
export function dependentRows({ database }: UploadWorld): Promise<unknown> {
  const all = [...DEPENDENT_TABLES, 'journal'].map(
    (table) => `'${table}', (select json_agg(t order by to_json(t)::text) from ${comparable(table)} t)`,
  )
  return database.pool.withClient(
    async (client) => (await client.query(`select json_build_object(${all.join(', ')}) as rows`)).rows as unknown,
  )
}

/** Renders a table without what differs between equal histories: transaction ids, and numbers of a sequence that a rolled-back attempt used. */
function comparable(table: string): string {
  switch (table) {
    case 'scoped':
      return '(select id, label, nth, seen, dense_rank() over (order by xact) as xact from public.scoped)'
    case 'journal':
      return '(select row_number() over (order by position) as position, what from public.journal)'
    default:
      return `public.${table}`
  }
}
