import { CLASS_FORMS, LINK_FORMS, PERSON_FORMS, ROW_FORMS } from './policy-forms.ts'
import { GUARDS, POLICY_USERS } from './policy-schema.ts'
import type { Random } from './random.ts'
import type { RandomTable } from './random-tables.ts'

/** A person as Postgres sees them. */
export interface RandomPerson {
  readonly role: string
  readonly claims: Readonly<Record<string, unknown>>
}

/** Three people with random claims, and one of them in the role `anon` and in a role of their own. */
export function randomPeople(random: Random, ownRole: string): readonly RandomPerson[] {
  const claims = (): Readonly<Record<string, unknown>> => ({
    team: random.pick(['red', 'Red', 'blue', null]),
    teams: random.pick(['red,blue', '', null]),
    code: random.pick(['c1', null]),
    n: random.pick(['1', '02', null]),
    flag: random.pick(['true', 'f', null]),
    status: random.pick(['open', null]),
    user_metadata: random.pick([{ team: 'blue' }, { team: 'red' }, {}]),
    app_metadata: random.pick([{ tier: 'pro' }, { tier: 'free', teams: ['red', 'blue'] }, {}]),
  })
  const person = (role: string, sub: string): RandomPerson => ({ role, claims: { role, sub, ...claims() } })
  return [
    ...POLICY_USERS.map((sub) => person('authenticated', sub)),
    person('anon', random.pick(POLICY_USERS)),
    person(ownRole, random.pick(POLICY_USERS)),
  ]
}

/** A condition on a table with the columns of `ITEM_COLUMNS`: forms, combined. */
function randomCondition(random: Random, depth = 0): string {
  const leaf = (): string => {
    const weight = random.below(13)
    return random.pick(weight < 2 ? ROW_FORMS : weight < 4 ? PERSON_FORMS : weight < 10 ? LINK_FORMS : CLASS_FORMS)
  }
  if (depth === 2) return leaf()
  const next = (): string => randomCondition(random, depth + 1)
  switch (random.below(depth === 0 ? 14 : 12)) {
    case 0:
    case 1:
    case 12:
      return `(${next()}) and (${next()})`
    case 2:
    case 3:
    case 13:
      return `(${next()}) or (${next()})`
    case 4:
      return `not (${next()})`
    case 5:
      return random.chance(0.5) ? `(${next()}) is true` : `coalesce((${next()}), false)`
    case 6:
      return `case when ${random.pick(ROW_FORMS)} then (${next()}) else (${next()}) end`
    default:
      return leaf()
  }
}

/** Columns that {@link randomClockCondition} reads beside those of `ITEM_COLUMNS`, and a table through which rows are shared for a time. */
export const CLOCK_COLUMNS: Readonly<Record<string, string>> = {
  y_at: 'timestamptz',
  y_until: 'timestamptz',
  y_day: 'date',
}
export const CLOCK_SCHEMA = `
  create table public.stays (id int primary key, list_id int, user_id uuid, at timestamptz, until timestamptz);
  alter table public.stays enable row level security;
  create policy own on public.stays for select using (user_id = auth.uid());
  create function public.is_open(t timestamptz) returns boolean language sql stable as $$ select t > now() $$;
  create function public.may_stay(l int) returns boolean language plpgsql stable security definer as $$ begin
    return exists (select 1 from public.stays s where s.list_id = l and s.user_id = auth.uid() and now() between s.at and s.until); end $$;
  grant select on public.stays to anon, authenticated;
`

const CLOCK_FORMS: readonly string[] = [
  'y_at <= now()',
  'y_until > current_timestamp',
  `now() - y_at < interval '1 second'`,
  `y_at + interval '1 day' > now() + interval '23 hours 59 minutes 59 seconds'`,
  '(select now()) between y_at and y_until',
  'y_day <= current_date',
  'is_open(y_until)',
  'owner_id = auth.uid() and y_until > now()',
  'y_at > now() or owner_id = auth.uid()',
  'exists (select 1 from stays s where s.list_id = items.list_id and s.user_id = auth.uid() and s.until > now())',
  'list_id in (select s.list_id from stays s where s.user_id = auth.uid() and s.at <= now())',
  'not exists (select 1 from stays s where s.list_id = items.list_id and s.user_id = auth.uid() and s.until <= now())',
  'may_stay(list_id)',
]

/** A condition that reads the clock, with another one beside it. */
export function randomClockCondition(random: Random): string {
  const [clock, other] = [random.pick(CLOCK_FORMS), random.pick([CLOCK_FORMS, ROW_FORMS, LINK_FORMS])]
  switch (random.below(6)) {
    case 0:
      return `(${clock}) and (${random.pick(other)})`
    case 1:
      return `(${clock}) or (${random.pick(other)})`
    case 2:
      return `not (${clock})`
    case 3:
      return `case when ${random.pick(ROW_FORMS)} then (${clock}) else (${random.pick(other)}) end`
    default:
      return clock
  }
}

const PERMISSIVE = ['p0', 'p1', 'p2'] as const
const RESTRICTIVE = 'r0'

/** One policy under a name of the table, in place of the one that was there. */
function policyStatements(random: Random, table: string, name: string, ownRole: string): readonly string[] {
  const roles = random.pick([
    'public',
    'public',
    'authenticated',
    'anon',
    'authenticated, anon',
    `${ownRole}, authenticated`,
  ])
  const using = randomCondition(random).replaceAll('items.', `${table}.`)
  const kind = name === RESTRICTIVE ? 'restrictive' : 'permissive'
  return [
    `drop policy if exists ${name} on public.${table}`,
    `create policy ${name} on public.${table} as ${kind} for ${random.pick(['select', 'all'])} to ${roles} using (${using})`,
  ]
}

/** Policies of all tables. */
export function randomPolicies(random: Random, tables: readonly RandomTable[], ownRole: string): readonly string[] {
  return [
    ...tables.flatMap(({ name }) => [
      ...PERMISSIVE.slice(0, 1 + random.below(PERMISSIVE.length)).flatMap((policy) =>
        policyStatements(random, name, policy, ownRole),
      ),
      ...(random.chance(0.4) ? policyStatements(random, name, RESTRICTIVE, ownRole) : []),
      ...grantStatements(random, name, ownRole),
    ]),
    ...Object.keys(GUARDS).flatMap((table) => guardStatements(random, table)),
  ]
}

function guardStatements(random: Random, table: string): readonly string[] {
  const using = random.pick(GUARDS[table] ?? [undefined])
  return [
    `drop policy if exists guard on public.${table}`,
    `alter table public.${table} ${using === undefined ? 'disable' : 'enable'} row level security`,
    ...(using === undefined ? [] : [`create policy guard on public.${table} for select using (${using})`]),
  ]
}

/** What a role may select of a table: everything, nothing, or its key and some columns. */
function grantStatements(random: Random, table: string, ownRole: string): readonly string[] {
  const role = random.pick([ownRole, ownRole, 'authenticated'])
  const columns = `do $$ declare
      names text;
    begin
      select string_agg(quote_ident(a.attname), ', ') into names from pg_attribute a
       where a.attrelid = 'public.${table}'::regclass and a.attnum > 0 and not a.attisdropped
         and (a.attname in ('id', 'part', 'no', 'on', 'label') or hashtext(a.attname || '${random.below(1_000)}') % 2 = 0);
      execute format('grant select (%s) on public.${table} to ${role}', names);
    end $$`
  const revoke = `revoke select on public.${table} from ${role}`
  const all = `grant select on public.${table} to ${role}`
  return random.pick([[revoke, columns], [all], [all], [revoke, columns]])
}

/** Functions that conditions call, each with other bodies that it may get. */
const FUNCTIONS: readonly string[] = [
  `create or replace function public.is_small(n int) returns boolean language sql immutable as $$ select n < 3 $$`,
  `create or replace function public.is_small(n int) returns boolean language sql immutable as $$ select n < 2 $$`,
  `create or replace function public.is_even(n int) returns boolean language plpgsql immutable as $$ begin return n % 2 = 1; end $$`,
  `create or replace function public.is_even(n int) returns boolean language plpgsql immutable as $$ begin return n % 2 = 0; end $$`,
  `create or replace function public.pl_any() returns boolean language plpgsql stable as $$ begin return exists (select from days) and exists (select from admins where user_id = auth.uid()); end $$`,
  `create or replace function public.pl_any() returns boolean language plpgsql stable as $$ begin return exists (select from admins where user_id = auth.uid()); end $$`,
  `create or replace function public.is_member_definer(o bigint) returns boolean language sql stable security definer set search_path = '' as
     $$ select exists (select 1 from public.members m where m.org_id = $1 and m.user_id = (select auth.uid()) and m.role <> 'guest') $$`,
  `create or replace function public.is_member_definer(o bigint) returns boolean language sql stable security definer set search_path = '' as
     $$ select exists (select 1 from public.members m where m.org_id = $1 and m.user_id = (select auth.uid())) $$`,
  `create or replace function public.my_orgs() returns setof int language sql stable security definer as $$ select org_id from members where user_id = auth.uid() $$`,
  `create or replace function public.my_orgs() returns setof int language sql stable security definer as $$ select org_id from lists where owner_id = auth.uid() $$`,
  `create or replace view public.my_lists with (security_invoker = true) as select l.id, l.org_id from public.lists l where l.owner_id = auth.uid()`,
  `create or replace view public.my_lists with (security_invoker = true) as select l.id, l.org_id from public.lists l where l.owner_id = auth.uid() or l.is_open`,
]

/** One random change of the schema: statements of one transaction. Tables stay as they are described, but for columns that nothing reads. */
export function changeSchema(random: Random, tables: readonly RandomTable[], ownRole: string): readonly string[] {
  const { name, partitions } = random.pick(tables)
  const table = `public.${name}`
  if (partitions.length > 0 && random.chance(0.15)) {
    // Off, and on again with what it has: no row of it is in the stream.
    const { name: part, bounds } = random.pick(partitions)
    return [
      `do $$ begin
        if exists (select from pg_inherits where inhrelid = 'public.${part}'::regclass) then alter table ${table} detach partition public.${part};
        else alter table ${table} attach partition public.${part} ${bounds}; end if; end $$`,
    ]
  }
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2:
      return policyStatements(random, name, random.pick(PERMISSIVE), ownRole)
    case 3:
      return random.chance(0.6)
        ? policyStatements(random, name, RESTRICTIVE, ownRole)
        : [`drop policy if exists ${random.pick([RESTRICTIVE, 'p1', 'p2'])} on ${table}`]
    case 4:
    case 5:
      return guardStatements(random, random.pick(Object.keys(GUARDS)))
    case 6:
      return grantStatements(random, name, ownRole)
    case 7:
      return random.pick([
        [`alter table ${table} add column if not exists y_new text default 'new'`],
        [`alter table ${table} drop column if exists y_new`],
        [`alter table ${table} add column if not exists y_no int`],
        [`alter table ${table} drop column if exists y_no, add column y_no bigint default 5`],
      ])
    case 8:
    case 9:
      return [random.pick(FUNCTIONS)]
    case 10:
      return random.pick([
        [`alter table ${table} disable row level security`],
        [`alter table ${table} enable row level security`],
        [`alter table ${table} enable row level security`],
        [`truncate ${table}`],
      ])
    default:
      return [`alter table ${table} replica identity ${random.pick(['default', 'full', 'nothing'])}`]
  }
}
