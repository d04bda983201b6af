import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createPool, type Pool } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { findAudiences } from '../../src/changes/audience.ts'
import { rowLiteral } from '../../src/changes/row-literal.ts'
import { SubscriptionIndex } from '../../src/changes/subscription-index.ts'
import { parseWanted } from '../../src/changes/subscription.ts'
import { readTableInfo } from '../../src/changes/table-info.ts'
import { realtimeMigrations } from '../../src/index.ts'

/*
 * Pins that of many people who have subscribed to a table, only those are asked about a row whom the policies tie to it. That none is left out whom the
 * policies let see it is the subject of the property test.
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

/** Who is asked about the row; `undefined`: everybody. */
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
