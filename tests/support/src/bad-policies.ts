import { assumeSession, sql, type Transaction } from '@holdfast/postgres'
import { POLICY_USERS } from './policy-schema.ts'
import type { Random } from './random.ts'
import type { RandomPerson } from './random-policies.ts'

/**
 * A table next to the tested ones whose own policy fails: for some rows, some users, or always. `SELECT` of it raises an error; devices have at most the rows
 * Postgres shows individually. It must not affect the other tables on devices.
 */
export const BAD_TABLE = 'broken'

/** Functions fail for rows whose `n` is at least this. */
const BAD = 3
const IDS = 8

/** The table, and functions that raise, loop, recurse infinitely or compare incomparable values. */
export const BAD_SCHEMA = `
create table public.${BAD_TABLE} (id int primary key, owner_id uuid, list_id int, n int, label text);
alter table public.${BAD_TABLE} enable row level security;
grant select on public.${BAD_TABLE} to public;

create function public.bad_raise(n int) returns boolean language plpgsql immutable as
  $$ begin if n >= ${BAD} then raise exception 'no % here', n; end if; return n > 0; end $$;
create function public.bad_code(n int) returns boolean language plpgsql immutable as $$ begin
  case n when 3 then raise exception 'gone' using errcode = '57P01';
         when 4 then raise exception 'full' using errcode = '53100';
         when 5 then raise exception 'internal' using errcode = 'XX000';
         else return n > 0; end case;
end $$;
create function public.bad_recursion(n int) returns boolean language plpgsql immutable as
  $$ begin return case when n >= ${BAD} then public.bad_recursion(n + 1) else n > 0 end; end $$;
create function public.bad_type(label text) returns boolean language plpgsql immutable as
  $$ begin return label::public.kind = any (array['open', 'draft']::text[]); end $$;
-- It takes for ever, but not for those who look at what Postgres shows.
create function public.bad_looks(text, boolean) returns text language internal immutable as 'show_config_by_name_missing_ok';
create function public.bad_loop(n int) returns boolean language plpgsql immutable as $$ begin
  while n >= ${BAD} loop
    if public.bad_looks('test.looks', true) = 'on' then raise exception 'for ever'; end if;
  end loop;
  return n > 0;
end $$;
create function public.bad_loop_on(n int) returns boolean language plpgsql immutable as $$ begin
  while n >= ${BAD} loop
    if public.bad_looks('test.looks', true) = 'on' then raise exception 'for ever'; end if;
    begin loop perform 1; end loop; exception when query_canceled then null; end;
  end loop;
  return n > 0;
end $$;

create function public.bad_person() returns boolean language plpgsql stable as
  $$ begin if auth.uid() = '${POLICY_USERS[1]}' then raise exception 'not you'; end if; return true; end $$;
create function public.bad_level() returns int language plpgsql stable as
  $$ begin return (select 6 / (max(level) - 2) from grants where user_id = auth.uid()); end $$;
create function public.bad_climb(l int) returns boolean language plpgsql stable as
  $$ begin return exists (select from lists where id = l and owner_id = auth.uid()) or public.bad_climb(l + 1); end $$;
create function public.bad_kind(l int) returns boolean language plpgsql stable security definer set search_path = public as
  $$ begin return exists (select from lists where id = l and kind = any (array['open']::text[])); end $$;

-- Row by row, so that one that fails takes no other with it.
create function public.shown_of_bad() returns table (row_key text, row_json text) language plpgsql set enable_seqscan = off as $$ begin
  for number in 1..${IDS} loop
    begin
      return query
        select '${BAD_TABLE}/' || b.id, json_build_object('id', b.id, 'owner_id', b.owner_id, 'list_id', b.list_id, 'n', b.n, 'label', b.label)::text
          from public.${BAD_TABLE} b where b.id = number;
    exception when others then null;
    end;
  end loop;
end $$;
`

/** Conditions on the table. Whether they fail does not depend on Postgres's evaluation order. */
export const BAD_FORMS: readonly string[] = [
  // depend only on the row
  'bad_raise(n)',
  'bad_code(n)',
  'bad_recursion(n)',
  'bad_loop(n)',
  'bad_loop_on(n)',
  'bad_type(label)',
  '6 / n > 1',
  'label::int > 0',
  // depend only on the user
  'bad_person()',
  "(auth.jwt() ->> 'team')::int = 1",
  // both
  'owner_id = auth.uid() and bad_raise(n)',
  'owner_id = auth.uid() and bad_person()',
  'list_id = bad_level()',
  'n <= bad_level()',
  'n <= pl_level() and bad_code(n)',
  'bad_climb(list_id)',
  'bad_kind(list_id)',
]

/** Returns statements that replace the table's policy. */
export function badPolicy(form: string): readonly string[] {
  return [
    `drop policy if exists bad on public.${BAD_TABLE}`,
    `create policy bad on public.${BAD_TABLE} for select using (${form})`,
  ]
}

/** Returns a statement that changes a row for which functions fail, or one for which they may then fail. */
export function changeBadRow(random: Random): string {
  const id = 1 + random.below(IDS)
  if (random.chance(0.2)) return `delete from public.${BAD_TABLE} where id = ${id}`
  const values = [
    String(id),
    `'${random.pick(POLICY_USERS)}'`,
    String(1 + random.below(3)),
    String(random.below(6)),
    random.pick([`'1'`, `'x'`, `'open'`, 'null']),
  ]
  return `insert into public.${BAD_TABLE} values (${values.join(', ')})
    on conflict (id) do update set owner_id = excluded.owner_id, list_id = excluded.list_id, n = excluded.n, label = excluded.label`
}

/** Returns the rows a user sees when selecting them individually, by `table/id`, as the JSON on devices. */
export async function shownOfBad(
  tx: Transaction,
  { role, claims }: RandomPerson,
): Promise<ReadonlyMap<string, string>> {
  await tx.execute(sql`savepoint bad`)
  await tx.execute(sql`select set_config('test.looks', 'on', true)`)
  // Ends infinite recursion early.
  await tx.execute(sql`set local max_stack_depth = '100kB'`)
  await assumeSession(tx, { role, claims })
  const rows = await tx.query<{ key: string; json: string }>(
    sql`select row_key as key, row_json as json from public.shown_of_bad()`,
  )
  await tx.execute(sql`rollback to savepoint bad`)
  return new Map(rows.map(({ key, json }) => [key, JSON.stringify(JSON.parse(json))]))
}
