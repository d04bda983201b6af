import { POLICY_USERS } from './policy-schema.ts'

/**
 * A table beside those that policies are tried on, whose own policy fails: for some rows, for some people, or always. All other tables are followed as they
 * would be without it.
 */
export const BAD_TABLE = 'broken'

/** Numbers of rows that functions fail for begin here. */
const BAD = 3

/** The table, and functions that raise, loop, call themselves without end, or compare what cannot be compared. */
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
create function public.bad_loop(n int) returns boolean language plpgsql immutable as $$ begin
  while n >= ${BAD} loop
    perform 1;
  end loop;
  return n > 0;
end $$;
create function public.bad_loop_on(n int) returns boolean language plpgsql immutable as $$ begin
  while n >= ${BAD} loop
    begin perform pg_sleep(10); exception when query_canceled then null; end;
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
`

/** Conditions on the table. None fails or not by the order in which Postgres happens to evaluate its parts. */
export const BAD_FORMS: readonly string[] = [
  // over the row alone
  'bad_raise(n)',
  'bad_code(n)',
  'bad_recursion(n)',
  'bad_loop(n)',
  'bad_loop_on(n)',
  'bad_type(label)',
  '6 / n > 1',
  'label::int > 0',
  // over the person alone
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

/** Statements that give the table another policy. */
export function badPolicy(form: string): readonly string[] {
  return [
    `drop policy if exists bad on public.${BAD_TABLE}`,
    `create policy bad on public.${BAD_TABLE} for select using (${form})`,
  ]
}
