import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createPool, type Pool } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { findAudiences } from '../../src/changes/audience.ts'
import { rowLiteral } from '../../src/changes/prepare-changes.ts'
import { SubscriptionIndex } from '../../src/changes/subscription-index.ts'
import { parseWanted } from '../../src/changes/subscription.ts'
import { readTableInfo } from '../../src/changes/table-info.ts'
import { realtimeMigrations } from '../../src/index.ts'

/*
 * Pins that a change is evaluated only for subscribers linked to the row by the policies. The property test verifies that no permitted subscriber is omitted.
 */

const ALICE = 'aaaaaaaa-0000-4000-8000-000000000001'
const BOB = 'bbbbbbbb-0000-4000-8000-000000000002'
const CAROL = 'cccccccc-0000-4000-8000-000000000003'
const PEOPLE = [ALICE, BOB, CAROL]
const STRANGERS = 60

const SCHEMA = `
  create schema if not exists auth;
  create or replace function auth.uid() returns uuid language sql stable
    as $$ select (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid $$;
  create or replace function auth.jwt() returns jsonb language sql stable
    as $$ select nullif(current_setting('request.jwt.claims', true), '')::jsonb $$;
  create table public.members (team int, person uuid, primary key (team, person));
  insert into public.members values (1, '${ALICE}'), (1, '${BOB}'), (2, '${BOB}');
  create table public.groups (team int primary key, parent int);
  insert into public.groups values (7, 2);
  create domain public.short as text check (length(value) < 9);
  create table public.docs (id int primary key, owner uuid, team int, shown boolean, people uuid[], code public.short, tenant text);
  alter table public.docs enable row level security;
  grant select on public.docs to authenticated;
  alter publication supabase_realtime add table public.docs;
`

const ROW = ['1', ALICE, '1', 'f', `{${BOB},${CAROL}}`, ALICE.slice(0, 8), 'North'] as const
const IN_TEAM = 'team in (select m.team from public.members m where m.person = (select auth.uid()))'

let db: TestDatabase
let evaluatorPool: Pool
let readerPool: Pool

beforeAll(async () => {
  db = await openTestDatabase({ migrations: [realtimeMigrations] })
  await db.pool.withClient((client) => client.query(SCHEMA))
  readerPool = createPool({ url: db.readerUrl, applicationName: 'test reader', connectionsMax: 2, isReadOnly: true })
  evaluatorPool = createPool({
    url: db.evaluatorUrl,
    applicationName: 'test evaluator',
    connectionsMax: 2,
    isReadOnly: true,
  })
})

afterAll(async () => {
  await readerPool?.[Symbol.asyncDispose]()
  await evaluatorPool?.[Symbol.asyncDispose]()
  await db?.[Symbol.asyncDispose]()
})

/** Returns the users evaluated for a row; `undefined` for all. */
async function askedAbout(
  condition: string,
  values: readonly string[],
  restrictive?: string,
): Promise<readonly unknown[] | undefined> {
  await db.pool.withClient((client) =>
    client.query(`
      drop policy if exists one on public.docs;
      drop policy if exists two on public.docs;
      create policy one on public.docs for select using (${condition});
      ${restrictive === undefined ? '' : `create policy two on public.docs as restrictive for select using (${restrictive});`}`),
  )
  const table = { schema: 'public', name: 'docs' }
  const info = await readTableInfo(db.pool, table, ['authenticated'], async () => false)
  if (!info) throw new Error('the table is published')
  const index = new SubscriptionIndex(info, [])
  const claims = [
    ...PEOPLE.map((sub, number) => ({
      sub,
      tenant: number === 2 ? 'North' : 'South',
      kind: ['reader', 'writer'][number],
    })),
    ...Array.from({ length: STRANGERS }, () => ({ sub: crypto.randomUUID(), tenant: 'South' })),
  ]
  for (const one of claims) {
    const identity = { role: 'authenticated', claims: one }
    const subscriber = { topic: 'x', identity: () => identity, deliver: () => undefined, cut: () => undefined }
    index.add({ ...parseWanted({ schema: 'public', table: 'docs' }, 1), subscriber })
  }
  const role = index.roles.get('authenticated')
  if (!role) throw new Error('the role is known')
  const cells = values.map((value, position) => {
    if (position === 0 || position === 2) return value
    if (position === 3) return String(value === 't')
    return JSON.stringify(position === 4 ? value.slice(1, -1).split(',') : value)
  })
  const context = { readerPool, evaluatorPool, logger: silentLogger }
  const [audience] = await findAudiences(context, info, role, [{ cells, values, literal: rowLiteral(values) }])
  if (role.unlinkedUntilMs > 0) throw new Error('a query for the people of a row failed')
  return audience && [...audience].map((one) => one.claims['sub']).toSorted()
}

test.each([
  ['owner = auth.uid()', [ALICE]],
  ['auth.uid() = any (people)', [BOB, CAROL]],
  [IN_TEAM, [ALICE, BOB]],
  [`owner = auth.uid() or ${IN_TEAM}`, [ALICE, BOB]],
  [`owner = auth.uid() and ${IN_TEAM}`, [ALICE]],
  [
    'exists (select from public.members m where m.team = docs.team and m.person = auth.uid() and m.team > 5)',
    [ALICE, BOB],
  ],
  [
    'exists (select from public.groups g join public.members m on m.team = g.parent where g.team = docs.team + 6 and m.person = auth.uid())',
    [BOB],
  ],
  [`tenant = (auth.jwt() ->> 'tenant')`, [CAROL]],
  [`(auth.jwt() ->> 'kind') = 'writer'`, [BOB]],
  [`shown or owner = auth.uid()`, [ALICE]],
  ['false', []],
])('of the people of %s', async (condition, people) => {
  expect(await askedAbout(condition, ROW)).toEqual(people)
})

test('a restrictive policy leaves out all others, too', async () => {
  expect(await askedAbout('true', ROW, 'owner = auth.uid()')).toEqual([ALICE])
})

test('everybody is asked about a row that is for everybody, and where nothing can be looked up', async () => {
  expect(await askedAbout(`shown or owner = auth.uid()`, ROW.with(3, 't'))).toBeUndefined()
  expect(await askedAbout('owner <> auth.uid()', ROW)).toBeUndefined()
  expect(await askedAbout(`code = (auth.jwt() ->> 'sub')`, ROW)).toBeUndefined()
})

/** Every column type that a policy may compare as text, with values whose text differs from their JSON. */
const TEXT_FORMS: readonly (readonly [type: string, values: readonly string[]])[] = [
  ['bool', ['true', 'false']],
  ['int4', ['-5', '0', '17']],
  ['int8', ['9007199254740993']],
  ['numeric', ['1.10', '1e3', 'NaN']],
  ['float8', ['1.5', '1e300', 'Infinity']],
  ['text', ['', 'Ab', '007', 'true', 'a"b']],
  ['varchar(9)', ['x ', '1.10']],
  ['char(5)', ['ab']],
  ['uuid', [ALICE]],
  ['date', ['2026-03-01']],
  ['timestamptz', ['2026-03-01 12:00+02']],
  ['interval', ['1 day 02:03']],
  ['bytea', ['\\x00ff']],
  ['money', ['12.5']],
  ['json', ['{"a" : 1.0}']],
  ['jsonb', ['{"a" : 1.0}']],
  ['text[]', ['{a,"b c",NULL}']],
  ['bool[]', ['{t,f}']],
  ['public.mood', ['glad']],
  ['public.flag', ['true']],
]

test('whoever has the text form of a value in a claim is asked about its row, whatever its type', async () => {
  await db.pool.withClient((client) =>
    client.query(`
      create type public.mood as enum ('glad', 'sad');
      create domain public.flag as bool;
      create table public.forms (id int primary key, ${TEXT_FORMS.map(([type], at) => `c${at} ${type}`).join(', ')});
      alter table public.forms enable row level security;
      grant select on public.forms to authenticated;
      alter publication supabase_realtime add table public.forms;`),
  )
  for (const [at, [type, values]] of TEXT_FORMS.entries()) {
    for (const value of values) {
      const [audience, text] = await audienceOfForm(at, type, value)
      const isAsked = audience === undefined || [...audience].some((one) => one.claims['form'] === text)
      expect(isAsked, `${type} ${value}, which is the text ${text}`).toBe(true)
    }
  }
})

/** Returns the audience of a row under a policy comparing its text with a claim, and that text from Postgres. */
async function audienceOfForm(at: number, type: string, value: string) {
  const { rows } = await db.pool.withClient(async (client) => {
    await client.query(`drop policy if exists one on public.forms; truncate public.forms;
      create policy one on public.forms for select using (c${at}::text = (auth.jwt() ->> 'form'))`)
    await client.query(`insert into public.forms (id, c${at}) values (1, $1::text::${type})`, [value])
    return client.query<{ text: string; row: Record<string, string | null>; literal: string; cells: string[] }>(`
      select f.c${at}::text as text, f::text as literal,
             array(select value::text from json_each(to_json(f))) as cells
        from public.forms f`)
  })
  const [found] = rows
  if (!found) throw new Error('the row is there')
  const info = await readTableInfo(db.pool, { schema: 'public', name: 'forms' }, ['authenticated'], async () => false)
  if (!info) throw new Error('the table is published')
  const index = new SubscriptionIndex(info, [])
  const forms = [found.text, ...Array.from({ length: STRANGERS }, (_, number) => `other ${number}`)]
  for (const form of forms) {
    const identity = { role: 'authenticated', claims: { sub: crypto.randomUUID(), form } }
    const subscriber = { topic: 'x', identity: () => identity, deliver: () => undefined, cut: () => undefined }
    index.add({ ...parseWanted({ schema: 'public', table: 'forms' }, 1), subscriber })
  }
  const role = index.roles.get('authenticated')
  if (!role) throw new Error('the role is known')
  const values = info.columns.map((_, position) => (position === 0 ? '1' : null))
  const row = { cells: found.cells, values, literal: found.literal }
  const [audience] = await findAudiences({ readerPool, evaluatorPool, logger: silentLogger }, info, role, [row])
  return [audience, found.text] as const
}
