/**
 * The world that random policies are about: three people who may be members of organisations, own lists and be given rights to them, with functions and
 * views over that. Policies are tried on tables with the columns of {@link ITEM_COLUMNS}.
 */
export const POLICY_USERS = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`)

/** Columns that {@link ROW_FORMS} and the others read, with their types. */
export const ITEM_COLUMNS: Readonly<Record<string, string>> = {
  list_id: 'int',
  org_id: 'bigint',
  owner_id: 'uuid',
  editors: 'uuid[]',
  tags: 'text[]',
  team: 'varchar(10)',
  code: 'public.short',
  status: 'public.kind',
  n: 'smallint',
  is_public: 'boolean',
  day: 'date',
  price: 'numeric',
  extra: 'jsonb',
}

/** Claims as functions, where no accounts are installed that bring them. */
export const AUTH_FUNCTIONS = `
create or replace function auth.jwt() returns jsonb language sql stable as $$ select coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb $$;
create or replace function auth.uid() returns uuid language sql stable as $$ select (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid $$;
create or replace function auth.role() returns text language sql stable as $$ select nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role' $$;
`

/** Types and tables that policies read. */
const TABLES = `
create type public.kind as enum ('draft', 'open', 'closed');
create domain public.short as text check (length(value) < 20);
create table public.members (id int primary key, org_id int, user_id uuid, role text, unique (org_id, user_id));
create table public.lists (id int primary key, org_id int, owner_id uuid, kind public.kind, is_open boolean);
create table public.grants (id int primary key, list_id int, user_id uuid, level int, unique (list_id, user_id));
create table public.admins (id int primary key, user_id uuid unique);
create table public.days (id int primary key, day date);
create table public.shares (id int primary key, list_id int, user_id uuid) partition by hash (id);
create table public.shares_0 partition of public.shares for values with (modulus 2, remainder 0);
create table public.shares_1 partition of public.shares for values with (modulus 2, remainder 1);
`

/** Functions and views in SQL, some of them of the keeper. */
const sqlFunctions = (keeper: string): string => `
${roleUnlessThere(keeper)}
grant usage on schema public, auth to ${keeper};
grant select on public.members, public.lists, public.grants to ${keeper};

create function public.is_member(o bigint) returns boolean language sql as
  $$ select exists (select 1 from members where org_id = o and user_id = auth.uid()) $$;
create function public.is_member_definer(o bigint) returns boolean language sql stable security definer set search_path = '' as
  $$ select exists (select 1 from public.members m where m.org_id = $1 and m.user_id = (select auth.uid())) $$;
create function public.has_role(o bigint, wanted text) returns boolean language sql stable security definer as
  $$ select exists (select 1 from members where org_id = o and user_id = auth.uid() and role = wanted) $$;
create function public.is_member_named(org_id bigint) returns boolean language sql stable security definer as
  $$ select exists (select 1 from members where members.org_id = is_member_named.org_id and user_id = auth.uid()) $$;
create function public.role_in(o bigint) returns text language sql stable
  begin atomic select m.role from public.members m where m.org_id = o and m.user_id = auth.uid() limit 1; end;
create function public.role_in_strict(o bigint) returns text language sql stable strict security definer as
  $$ select role from members where org_id = o and user_id = auth.uid() $$;
create function public.may_see_list(l int) returns boolean language sql stable
  return exists (select from public.lists where lists.id = l and (lists.is_open or public.is_member(lists.org_id)));
create function public.may_see_list_definer(l int) returns boolean language sql stable security definer as
  $$ select exists (select from lists where lists.id = l and (lists.is_open or is_member(lists.org_id))) or exists (select from admins where user_id = auth.uid()) $$;
create function public.keeper_sees(l int) returns boolean language sql stable security definer as
  $$ select exists (select from lists join grants g on g.list_id = lists.id where lists.id = l and g.user_id = auth.uid()) $$;
alter function public.keeper_sees(int) owner to ${keeper};
create function public.my_orgs() returns setof int language sql stable security definer as
  $$ select org_id from members where user_id = auth.uid() $$;
create function public.my_org_array() returns int[] language sql stable as
  $$ select array(select org_id from members where user_id = auth.uid()) $$;
create function public.my_memberships() returns table (o int, r text) language sql stable as
  $$ select org_id, role from members where user_id = auth.uid() $$;
create function public.members_of(o bigint) returns setof uuid language sql stable as
  $$ select user_id from members where org_id = o $$;
create function public.my_first_list() returns int language sql stable as
  $$ select list_id from grants where user_id = auth.uid() and list_id = 1 $$;
create function public.is_auditor() returns boolean language sql stable security definer as
  $$ select exists (select from admins where user_id = auth.uid()) $$;
create function public.is_small(n int) returns boolean language sql immutable as $$ select n < 2 $$;
create view public.my_lists with (security_invoker = true) as select l.id, l.org_id from public.lists l where l.owner_id = auth.uid() or l.is_open;
create view public.granted as select g.list_id, g.user_id from public.grants g where g.level > 1;
`

/** Functions in PL/pgSQL. */
const PLPGSQL_FUNCTIONS = `
create function public.pl_member(o bigint) returns boolean language plpgsql stable as
  $$ begin return exists (select 1 from members where org_id = o and user_id = auth.uid()); end $$;
create function public.pl_is_admin(o bigint) returns boolean language plpgsql security definer set search_path = '' as $$
  declare
    m public.members%rowtype;
  begin
    select * into m from public.members where org_id = o and user_id = auth.uid();
    if not found then
      return false;
    end if;
    return m.role in ('admin', 'owner');
  end $$;
create function public.pl_level() returns int language plpgsql stable as $$
  declare
    uid uuid := auth.uid();
    top int;
  begin
    select max(level) into top from grants where user_id = uid;
    return coalesce(top, 0);
  end $$;
create function public.pl_loop(l int) returns boolean language plpgsql stable as $$
  declare
    g record;
  begin
    for g in select * from grants where list_id = l loop
      if g.user_id = auth.uid() and pl_level() > 1 then
        return true;
      end if;
    end loop;
    return false;
  end $$;
create function public.pl_says_immutable(l int) returns boolean language plpgsql immutable security definer as
  $$ begin return exists (select 1 from grants where list_id = l and user_id = auth.uid()); end $$;
create function public.pl_orgs() returns setof int language plpgsql stable security definer as
  $$ begin return query select m.org_id from members m where m.user_id = auth.uid(); end $$;
`

/** Functions with defaults, several statements, recursion, operators and schemas of their own. */
const furtherFunctions = (keeper: string): string => `
create function public.is_member_by(o bigint, who uuid default auth.uid(), wanted text default null) returns boolean
  language sql stable security definer set search_path = '' as
  $$ select exists (select from public.members m where m.org_id = o and m.user_id = who and (wanted is null or m.role = wanted)) $$;
create function public.pl_granted(l int, at_least int default 1, who uuid default auth.uid()) returns boolean language plpgsql stable as
  $$ begin return exists (select from grants g where g.list_id = l and g.user_id = who and g.level >= at_least); end $$;
create function public.pl_any() returns boolean language plpgsql stable as $$ begin return exists (select from admins where user_id = auth.uid()); end $$;
create function public.pl_any_of(l int) returns boolean language plpgsql stable as $$
  declare
    seen boolean;
  begin
    select true into seen from grants where list_id = l and user_id in (auth.uid(), null) limit 1;
    perform 1 from lists where id = l and is_open;
    return coalesce(seen, found and l between 1 and 2);
  end $$;
create function public.sql_any_of(l int) returns boolean language sql stable as
  $$ select true from grants where list_id = l and level > 1 limit 1 $$;
create function public.two_steps(o bigint) returns boolean language sql stable as
  $$ select count(*) from members; select exists (select from members where org_id = o and user_id = auth.uid()) $$;
create function public.climbs(l int, steps int) returns boolean language sql stable as $$ select true $$;
create or replace function public.climbs(l int, steps int) returns boolean language sql stable as $$
  select case when steps <= 0 then false else
    exists (select from lists where id = l and owner_id = auth.uid()) or climbs(l + 1, steps - 1) end $$;
create function public.as_owner(o bigint) returns boolean language sql stable security definer as
  $$ select exists (select from members where org_id = o and (role = current_user or user_id = auth.uid())) $$;
create function public.keeper_pair(a int, b int) returns boolean language sql stable security definer as
  $$ select exists (select from grants g where g.list_id = a and g.level = b) $$;
alter function public.keeper_pair(int, int) owner to ${keeper};
create function public.mixed_rights(l int) returns boolean language sql stable security definer as
  $$ select exists (select from lists where owner_id = auth.uid() and keeper_pair(id, l)) $$;
create function public.shares_org(a bigint, b bigint) returns boolean language sql stable as
  $$ select exists (select from members where org_id = a and org_id = b and user_id = auth.uid()) $$;
create operator public.=== (leftarg = bigint, rightarg = bigint, function = public.shares_org);
create function public.sets_zone(o bigint) returns boolean language sql stable set timezone = 'UTC' as $$ select o = 1 or auth.uid() is null $$;
create schema private;
create function private.leads(o bigint) returns boolean language sql stable security definer set search_path = '' as
  $$ select exists (select 1 from public.members m where m.org_id = o and m.user_id = auth.uid() and m.role = 'admin') $$;
create function private.pl_leads(o bigint) returns boolean language plpgsql stable security definer set search_path = '' as
  $$ begin return exists (select 1 from public.members m where m.org_id = o and m.user_id = auth.uid() and m.role = 'admin'); end $$;
create function private.is_admin() returns boolean language plpgsql stable security definer set search_path = '' as
  $$ begin return exists (select 1 from public.admins a where a.user_id = auth.uid()); end $$;
create function private.led() returns table (org int, level int) language plpgsql stable security definer set search_path = '' as
  $$ begin return query select m.org_id, 1 from public.members m where m.user_id = auth.uid() and m.role = 'admin'; end $$;
create function public.is_even(n int) returns boolean language plpgsql immutable as $$ begin return n % 2 = 0; end $$;
`

/** @param keeper - a role that owns functions without being a superuser. Roles belong to the whole cluster, so each world has its own. */
export const policySchema = (keeper: string): string =>
  [TABLES, sqlFunctions(keeper), PLPGSQL_FUNCTIONS, furtherFunctions(keeper)].join('')

/** Policies of the tables that others read: `undefined` for no row-level security. */
export const GUARDS: Readonly<Record<string, readonly (string | undefined)[]>> = {
  members: [undefined, 'user_id = auth.uid()', 'is_member_definer(org_id)', "user_id = auth.uid() or role = 'admin'"],
  lists: [
    undefined,
    'not pl_member(org_id)',
    'is_open or owner_id = auth.uid()',
    'org_id in (select org_id from members)',
    'is_member(org_id)',
  ],
  grants: [undefined, 'user_id = auth.uid()', 'level < 3 and exists (select from lists l where l.id = grants.list_id)'],
  admins: [undefined, 'user_id = auth.uid()', 'true', 'pl_member(1) or user_id = auth.uid()'],
  shares: [undefined, 'user_id = auth.uid()', 'not exists (select from admins a where a.user_id = shares.user_id)'],
  days: [undefined, 'auth.uid() is not null'],
}

/** Roles are those of a whole cluster: another database of it may have made this one. */
export function roleUnlessThere(name: string): string {
  return `do $$ begin create role ${name} nologin; exception when duplicate_object then null; end $$;`
}
