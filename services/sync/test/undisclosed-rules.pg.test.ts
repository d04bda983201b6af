import { WRITE_RULES_PATH } from '@holdfast/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ALICE, openWorld, type World } from './sync-world.ts'

/*
 * Write rules tell a device nothing that its user cannot ask the API for. Every form in which a policy can mention a value, in a schema that the API exposes and
 * in one that it does not, with and without the right to use it: no value of what cannot be asked for is in the answer.
 */

interface Form {
  /** What the policy needs. `S` is the schema, `N` the number of the case, `'V'` the secret. */
  readonly made?: string
  readonly check: string
  /** What is granted, or not. */
  readonly of: 'function' | 'table'
  readonly args?: string
  /** More of the table. */
  readonly also?: string
  /** `false`: devices are not even told where all of it may be asked for. */
  readonly isTold?: false
}

const TABLE = `create table S.t_N (c text); insert into S.t_N values ('V');`
const FORMS: Readonly<Record<string, Form>> = {
  'a set of a definer function': {
    made: `${TABLE} create function S.f_N() returns setof text language sql stable security definer as $$ select c from S.t_N $$;`,
    check: 'code in (select S.f_N())',
    of: 'function',
  },
  'a set of a PL/pgSQL function': {
    made: `${TABLE} create function S.f_N() returns setof text language plpgsql stable security definer as $$ begin return query select c from S.t_N; end $$;`,
    check: 'code in (select S.f_N())',
    of: 'function',
  },
  'a set of a function in FROM': {
    made: `create function S.f_N() returns setof text language sql stable security definer as $$ select 'V'::text $$;`,
    check: 'code in (select x from S.f_N() x)',
    of: 'function',
  },
  'a value of a function': {
    made: `create function S.f_N() returns text language sql stable as $$ select 'V'::text $$;`,
    check: 'code = S.f_N()',
    of: 'function',
  },
  'a constant of an immutable function': {
    made: `create function S.f_N() returns text language plpgsql immutable as $$ begin return 'V'; end $$;`,
    check: 'code = S.f_N()',
    of: 'function',
  },
  'an array of a function': {
    made: `create function S.f_N() returns text[] language sql stable security definer as $$ select array['V'] $$;`,
    check: 'code = any (S.f_N())',
    of: 'function',
  },
  'a value for an argument without a name': {
    made: `create function S.f_N(int) returns text language sql stable security definer as $$ select 'V'::text $$;`,
    check: 'code = S.f_N(7)',
    of: 'function',
    args: 'int',
    isTold: false,
  },
  'a constant in the body of a function of the row': {
    made: `create function S.f_N(given text) returns boolean language sql stable as $$ select given = 'V' $$;`,
    check: 'S.f_N(code)',
    of: 'function',
    args: 'text',
  },
  'a constant in the body of a function of the row that returns a set': {
    made: `create function S.f_N(given text) returns setof text language sql stable as $$ select x from unnest(array['V']) x where x <> given $$;`,
    check: 'code in (select S.f_N(code))',
    of: 'function',
    args: 'text',
    isTold: false,
  },
  'a function within a function of the row': {
    made: `create function S.f_N() returns text language sql stable security definer as $$ select 'V'::text $$;
      create function public.outer_N(given text) returns boolean language sql stable as $$ select given = S.f_N() $$;`,
    check: 'public.outer_N(code)',
    of: 'function',
  },
  'a table': { made: TABLE, check: 'code in (select c from S.t_N)', of: 'table' },
  'a table within a function of the row': {
    made: `${TABLE} create function public.outer_N(given text) returns boolean language sql stable as $$ select given in (select c from S.t_N) $$;`,
    check: 'public.outer_N(code)',
    of: 'table',
  },
  'a view': {
    made: `create table public.of_N (c text); insert into public.of_N values ('V'); create view S.t_N as select c from public.of_N;`,
    check: 'code = (select max(c) from S.t_N)',
    of: 'table',
  },
  'a view with the rights of its reader': {
    made: `create view S.t_N with (security_invoker) as select 'V'::text as c;`,
    check: 'code in (select c from S.t_N)',
    of: 'table',
  },
  'a default': {
    made: `create function S.f_N() returns text language sql stable security definer as $$ select 'V'::text $$;`,
    check: 'true',
    also: 'alter table public.r_N alter code set default S.f_N()',
    of: 'function',
  },
  'a constraint': {
    made: `create function S.f_N(given text) returns boolean language sql immutable as $$ select given <> 'V' $$;`,
    check: 'true',
    also: 'alter table public.r_N add check (S.f_N(code))',
    of: 'function',
    args: 'text',
  },
  'an operator': {
    made: `create function S.f_N(a text, b text) returns text language plpgsql immutable as $$ begin return 'V'; end $$;
      create operator public.### (function = S.f_N, leftarg = text, rightarg = text);`,
    check: `code = ('a'::text operator(public.###) 'b'::text)`,
    of: 'function',
    args: 'text, text',
  },
  'a cast': {
    made: `create type public.from_N as enum ('a'); create function S.f_N(given public.from_N) returns text language plpgsql immutable as $$ begin return 'V'; end $$;
      create cast (public.from_N as text) with function S.f_N(public.from_N);`,
    check: `code = (('a'::public.from_N)::text)`,
    of: 'function',
    args: 'public.from_N',
    isTold: false,
  },
}

const PLACES = [
  { schema: 'public', isGranted: true },
  { schema: 'public', isGranted: false },
  { schema: 'private', isGranted: true },
  { schema: 'private', isGranted: false },
  { schema: 'closed', isGranted: true },
] as const

const CASES = Object.entries(FORMS).flatMap(([what, form]) => PLACES.map((place) => ({ what, form, ...place })))
const secretOf = (index: number): string => `secret-${index}-of`

function sqlOf({ form, schema, isGranted }: (typeof CASES)[number], index: number): string {
  const object = form.of === 'function' ? `function S.f_N(${form.args ?? ''})` : 'table S.t_N'
  const right = form.of === 'function' ? 'execute' : 'select'
  return `${form.made ?? ''} revoke all on ${object} from public, authenticated;
    ${isGranted ? `grant ${right} on ${object} to authenticated;` : ''}
    create table public.r_N (id int primary key, code text); ${form.also ?? 'select'};
    alter table public.r_N enable row level security; grant select, insert on public.r_N to authenticated;
    create policy seen on public.r_N for select to authenticated using (true);
    create policy added on public.r_N for insert to authenticated with check (${form.check});`
    .replaceAll('###', `@${index.toString(2).replaceAll('0', '#').replaceAll('1', '&')}`)
    .replaceAll(/\bS\./g, `${schema}.`)
    .replaceAll(/_N\b/g, `_${index}`)
    .replaceAll(`'V'`, `'${secretOf(index)}'`)
}

let world: World
let told: string

beforeAll(async () => {
  world = await openWorld({
    schema: `create schema private; create schema closed; grant usage on schema private to authenticated;
      alter default privileges revoke all on tables from authenticated; ${CASES.map(sqlOf).join('\n')}`,
  })
  const headers = { authorization: `Bearer ${world.token(ALICE)}` }
  const response = await fetch(`${world.url}${WRITE_RULES_PATH}`, { headers })
  expect(response.status).toBe(200)
  told = await response.text()
}, 60_000)

afterAll(() => world?.[Symbol.asyncDispose]())

test('no value of what the user cannot ask the API for is told', () => {
  const leaked = CASES.filter(
    ({ schema, isGranted, form }, index) =>
      (schema !== 'public' || !isGranted || form.isTold === false) && told.includes(secretOf(index)),
  )
  expect(leaked.map(({ what, schema, isGranted }) => ({ what, schema, isGranted }))).toEqual([])
})

test('what the user can ask the API for is told', () => {
  const kept = CASES.filter(
    ({ schema, isGranted, form }, index) =>
      schema === 'public' && isGranted && form.isTold !== false && !told.includes(secretOf(index)),
  )
  expect(kept.map(({ what }) => what)).toEqual([])
})
