import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createPool, runAs, sharePool, sql, type Pool } from '@holdfast/postgres'
import {
  createChangeTap,
  createSlot,
  dropSlot,
  ensurePublication,
  openReplicationStream,
  type ReplicationStream,
} from '@holdfast/replication'
import { createRandom, openTestDatabase, seedOf, type Random, type TestDatabase } from '@holdfast/test-support'
import { ChangeFeed } from '../../src/changes/change-feed.ts'
import { parseWanted, type Subscriber } from '../../src/changes/subscription.ts'
import { realtimeMigrations } from '../../src/index.ts'

/*
 * Pins that each subscriber is told of an INSERT or UPDATE exactly if Postgres lets them select the row behind its commit, with the columns that they may
 * select; while policies, rights and memberships change. Of a DELETE everybody is told who may select the key.
 */

const HISTORIES = Number(process.env['HOLDFAST_CHANGES_HISTORIES'] ?? 2)
const STEPS = 20

const SCHEMA = `
  create schema if not exists auth;
  grant usage on schema auth to public;
  create or replace function auth.uid() returns uuid language sql stable
    as $$ select (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid $$;
  create or replace function auth.jwt() returns jsonb language sql stable
    as $$ select nullif(current_setting('request.jwt.claims', true), '')::jsonb $$;
  grant execute on function auth.uid(), auth.jwt() to public;
  create table public.members (team int, person uuid, primary key (team, person));
  create table public."Docs" (id int primary key, "Owner" uuid, team int, level int, body text, tags text[], people uuid[]);
  create table public.groups (team int primary key, name text);
  insert into public.groups values (1, 'a'), (3, 'b');
  alter table public."Docs" enable row level security;
  alter table public.members enable row level security;
  create policy own on public.members for select using (person = (select auth.uid()));
  grant select on public.members, public.groups, public."Docs" to anon, authenticated, service_role;
  create function public.is_member(one int) returns boolean language plpgsql stable security definer
    as $$ begin return exists (select from public.members m where m.team = one and m.person = auth.uid()); end $$;
  create function public.is_shown(doc public."Docs") returns boolean language sql stable as $$ select doc.level > 1 $$;
  alter publication supabase_realtime add table public."Docs";
`

const CONDITIONS = [
  'true',
  '"Owner" = auth.uid()',
  '"Owner" = (select auth.uid())',
  'team in (select m.team from public.members m where m.person = (select auth.uid()))',
  'exists (select from public.members m where m.team = "Docs".team and m.person = auth.uid())',
  `level <= coalesce((auth.jwt() ->> 'level')::int, 0)`,
  `(auth.jwt() -> 'teams') ? team::text`,
  '"Owner" = auth.uid() or level = 3',
  `("Owner" = (select auth.uid()) or team in (select m.team from public.members m where m.person = auth.uid())) and level > 0`,
  'auth.uid() = any (people)',
  'exists (select 1 from public.groups g join public.members m using (team) where g.team = "Docs".team and m.person = auth.uid())',
  `team in (select g.team from public.groups g where g.team in (select m.team from public.members m where m.person = auth.uid()))`,
  `(auth.jwt() ->> 'level')::int = level`,
  `(auth.jwt() ->> 'level') = '2' and body is null`,
  `(auth.jwt() ->> 'level') = '1' or "Owner"::text = (auth.jwt() ->> 'sub')`,
  'public.is_member(team)',
  'public.is_shown("Docs".*)',
  `body is distinct from 'hidden'`,
  `'x' = any (tags)`,
  '10 / level > 3',
  `current_user = 'authenticated'`,
]

const ALICE = 'aaaaaaaa-0000-4000-8000-000000000001'
const BOB = 'bbbbbbbb-0000-4000-8000-000000000002'

const PEOPLE = [
  { role: 'service_role', claims: { role: 'service_role' } },
  { role: 'anon', claims: { role: 'anon', exp: 1 } },
  { role: 'anon', claims: { role: 'anon', exp: 2 } },
  { role: 'authenticated', claims: { role: 'authenticated', sub: ALICE, level: 1, teams: ['1'], session_id: 'a' } },
  { role: 'authenticated', claims: { role: 'authenticated', sub: ALICE, level: 1, teams: ['1'], session_id: 'b' } },
  { role: 'authenticated', claims: { role: 'authenticated', sub: BOB, level: 2, teams: ['1', '2'] } },
  { role: 'authenticated', claims: { role: 'authenticated', sub: '{CCCCCCCC-0000-4000-8000-000000000003}' } },
] as const

/** What everybody subscribes to beside all changes, and what Postgres is asked for it. */
const FILTERS = [
  ['level=eq.1', 'level = 1'],
  ['team=in.(1,3)', 'team in (1, 3)'],
  ['body=eq.hidden', `body = 'hidden'`],
  [`Owner=eq.${ALICE.toUpperCase()}`, `"Owner" = '${ALICE}'`],
  ['team=eq.2,level=gt.0', 'team = 2 and level > 0'],
  ['level=neq.1', 'level <> 1'],
  ['id=eq.007', 'id = 7'],
] as const

/** So many others that not all of them are asked about each change. None of them has a row. */
const STRANGERS = 60

interface Told {
  readonly type: string
  readonly record?: Readonly<Record<string, unknown>>
  readonly old_record?: Readonly<Record<string, unknown>>
  readonly ids: readonly number[]
}

let db: TestDatabase
let stream: ReplicationStream
let feed: ChangeFeed
let evaluatorPool: Pool
let readerPool: Pool
let following: Promise<void>
const told: Told[][] = PEOPLE.map(() => [])
const toldStrangers: Told[][] = []

beforeAll(async () => {
  db = await openTestDatabase({ migrations: [realtimeMigrations] })
  await run(SCHEMA)
  const tables = ['members', 'Docs'].map((name) => ({ schema: 'public', name }))
  await ensurePublication(db.pool, { name: 'changes', tables })
  await (await createSlot({ url: db.url, name: db.name }))[Symbol.asyncDispose]()
  stream = await openReplicationStream({ url: db.url, slot: db.name, publication: 'changes', logger: silentLogger })
  const tap = createChangeTap(silentLogger)
  const share = sharePool(db.requestPool, { connectionsMax: 4, shares: { all: { reserved: 1, max: 4 } } }).share('all')
  readerPool = createPool({ url: db.readerUrl, applicationName: 'test reader', connectionsMax: 2, isReadOnly: true })
  evaluatorPool = createPool({
    url: db.evaluatorUrl,
    applicationName: 'test evaluator',
    connectionsMax: 2,
    isReadOnly: true,
  })
  feed = new ChangeFeed(
    {
      pool: db.pool,
      readerPool,
      evaluatorPool,
      share,
      opened: () => undefined,
      hasFullIdentity: async () => false,
      logger: silentLogger,
    },
    tap,
  )
  PEOPLE.forEach((identity, index) => follow(identity, told[index] as Told[]))
  for (let number = 0; number < STRANGERS; number++) {
    const own: Told[] = []
    toldStrangers.push(own)
    follow({ role: 'authenticated', claims: { role: 'authenticated', sub: crypto.randomUUID() } }, own)
  }
  following = (async () => {
    for await (const batch of stream.batches) tap.deliver(batch)
  })()
})

afterAll(async () => {
  await feed?.stop()
  await stream?.[Symbol.asyncDispose]()
  await following
  await readerPool?.[Symbol.asyncDispose]()
  await evaluatorPool?.[Symbol.asyncDispose]()
  if (db) await dropSlot(db.pool, db.name)
  await db?.[Symbol.asyncDispose]()
})

/** Subscribes to all changes, and to those of each filter. */
function follow(identity: ReturnType<Subscriber['identity']>, own: Told[]): void {
  const subscriber: Subscriber = {
    topic: 'realtime:x',
    identity: () => identity,
    deliver: (fanOut) => {
      const message = JSON.parse(fanOut.frame('2.0.0')?.data.toString('utf8') ?? '') as readonly unknown[]
      const { ids, data } = message[4] as { ids: readonly number[]; data: Omit<Told, 'ids'> }
      own.push({ ...data, ids })
    },
    cut: (reason) => {
      throw new Error(reason)
    },
  }
  for (const [number, filter] of [undefined, ...FILTERS.map(([text]) => text)].entries())
    feed.add({ ...parseWanted({ event: '*', schema: 'public', table: 'Docs', filter }, number), subscriber })
}

const run = (text: string): Promise<unknown> => db.pool.withClient((client) => client.query(text))

interface Row {
  readonly kind: 'INSERT' | 'UPDATE' | 'DELETE'
  readonly id: number
}

/** A transaction: its statements, and what it does to documents, each of which it touches once. */
function makeStep(
  random: Random,
  ids: Set<number>,
  policies: string[],
  next: () => number,
): { text: string; rows: Row[] } {
  const statements: string[] = []
  const rows: Row[] = []
  const touched = new Set<number>()
  const person = (): string => random.pick([`'${ALICE}'`, `'${BOB}'`, 'null'])
  const values = (): string =>
    `${person()}, ${1 + random.below(3)}, ${random.below(4)}, ${random.pick([`'hidden'`, `'a"\\b'`, 'null'])}, ${random.pick([`'{x,"y z"}'`, `'{}'`, 'null'])}, ${random.pick([`'{${ALICE},${BOB}}'`, `'{${BOB}}'`, 'null'])}`
  const count = 1 + random.below(4)
  for (let at = 0; at < count; at++) {
    const free = [...ids].filter((id) => !touched.has(id))
    const kind = random.below(10)
    if (kind < 3 || (kind < 6 && free.length === 0)) {
      const id = next()
      statements.push(`insert into "Docs" values (${id}, ${values()})`)
      rows.push({ kind: 'INSERT', id })
      touched.add(id)
      ids.add(id)
    } else if (kind < 5) {
      const id = random.pick(free)
      statements.push(`update "Docs" set ("Owner", team, level, body, tags, people) = (${values()}) where id = ${id}`)
      rows.push({ kind: 'UPDATE', id })
      touched.add(id)
    } else if (kind === 5) {
      const id = random.pick(free)
      statements.push(`delete from "Docs" where id = ${id}`)
      rows.push({ kind: 'DELETE', id })
      touched.add(id)
      ids.delete(id)
    } else if (kind === 6) {
      statements.push(
        `insert into members values (${1 + random.below(3)}, '${random.pick([ALICE, BOB])}') on conflict do nothing`,
      )
    } else if (kind === 7) {
      statements.push(`delete from members where team = ${1 + random.below(3)}`)
    } else if (kind === 8 || policies.length === 0) {
      const name = `p${next()}`
      policies.push(name)
      const role = random.pick(['public', 'anon', 'authenticated', 'anon, authenticated'])
      const as = random.pick(['permissive', 'permissive', 'restrictive'])
      statements.push(
        `create policy ${name} on "Docs" as ${as} for select to ${role} using (${random.pick(CONDITIONS)})`,
      )
    } else {
      statements.push(
        random.pick([
          `drop policy ${policies.pop()} on "Docs"`,
          'alter table "Docs" disable row level security',
          'alter table "Docs" enable row level security',
          'revoke select on "Docs" from anon; grant select (id, team) on "Docs" to anon',
          'grant select on "Docs" to anon',
        ]),
      )
    }
  }
  return { text: ['begin', ...statements, 'commit'].join('; '), rows }
}

/** What a person may select of a document now; `undefined` when they see none. */
async function seenBy(identity: (typeof PEOPLE)[number], id: number): Promise<unknown> {
  try {
    return await runAs(db.requestPool, identity, async (tx) => {
      const [row] = await tx.query(sql`select id from "Docs" where id = ${id}::int`)
      return row
    })
  } catch {
    return undefined // a policy that fails shows nothing
  }
}

test.each(Array.from({ length: HISTORIES }, (_, index) => seedOf('HOLDFAST_CHANGES_SEED') + index))(
  'everybody is told of what Postgres lets them see (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    const ids = new Set<number>()
    const policies: string[] = []
    let last = 0
    for (const { polname } of await db.pool.query<{ polname: string }>(
      sql`select polname::text from pg_policy where polrelid = '"Docs"'::regclass`,
    ))
      await run(`drop policy ${polname} on "Docs"`)
    await run(`truncate "Docs", members; alter table "Docs" enable row level security; grant select on "Docs" to anon`)
    for (let step = 0; step < STEPS; step++) {
      const { text, rows } = makeStep(random, ids, policies, () => ++last)
      for (const own of [...told, ...toldStrangers]) own.length = 0
      await run(text)
      // The service key sees everything, and each change is sent to all at once.
      await expect.poll(() => told[0]?.length, { timeout: 20_000 }).toBe(rows.length)
      for (const [index, identity] of PEOPLE.entries()) {
        const expected: unknown[] = []
        for (const { kind, id } of rows) {
          if (kind === 'DELETE') expected.push(['DELETE', { id }])
          else if (await seenBy(identity, id))
            expected.push([kind, await recordOf(identity.role, id), await filtersPassed(id)])
        }
        const got = told[index]?.map(forComparison)
        expect({ step, text, index, got }).toEqual({ step, text, index, got: expected })
      }
      // What the last of the people sees, who has no row either.
      const seen = told.at(-1)?.map(forComparison)
      for (const own of toldStrangers)
        expect({ step, text, got: own.map(forComparison) }).toEqual({ step, text, got: seen })
    }
  },
  120_000,
)

/** Who is told of a DELETE by a filter over other columns than the key depends on the row that is gone: there only that it is told at all is compared. */
function forComparison({ type, record, old_record: old, ids }: Told): unknown {
  return type === 'DELETE' ? ['DELETE', { id: old?.['id'] }] : [type, record, ids]
}

/** 0 and the numbers of the filters that Postgres lets a document pass. */
async function filtersPassed(id: number): Promise<readonly number[]> {
  const tests = FILTERS.map(([, condition]) => `coalesce(${condition}, false)`)
  const [row] = (await db.pool.withClient(
    async (client) =>
      (await client.query(`select array[${tests.join(', ')}] as passed from "Docs" where id = ${id}`)).rows,
  )) as { passed: boolean[] }[]
  return [0, ...(row?.passed ?? []).flatMap((passes, index) => (passes ? [index + 1] : []))]
}

/** The columns that a role may select, as Postgres prints them. */
async function recordOf(role: string, id: number): Promise<unknown> {
  const [row] = await db.pool.query<{ record: unknown }>(sql`
    select (select jsonb_object_agg(key, value) from jsonb_each(to_jsonb(d))
             where has_column_privilege(${role}, '"Docs"', key, 'SELECT')) as record
      from "Docs" d where id = ${id}::int`)
  return row?.record
}
