import { silentLogger } from '@holdfast/foundation'
import { createPool, quoteIdentifier, sharePool } from '@holdfast/postgres'
import { createChangeTap, createSlot, dropSlot, ensurePublication, openReplicationStream } from '@holdfast/replication'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { ChangeFeed } from '../../src/changes/change-feed.ts'
import { localChanges } from '../../src/changes/change-source.ts'
import { parseWanted, type Subscriber } from '../../src/changes/subscription.ts'
import { realtimeMigrations } from '../../src/index.ts'

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

export const CONDITIONS = [
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

export const ALICE = 'aaaaaaaa-0000-4000-8000-000000000001'
export const BOB = 'bbbbbbbb-0000-4000-8000-000000000002'

export const PEOPLE = [
  { role: 'service_role', claims: { role: 'service_role' } },
  { role: 'anon', claims: { role: 'anon', exp: 1 } },
  { role: 'anon', claims: { role: 'anon', exp: 2 } },
  { role: 'authenticated', claims: { role: 'authenticated', sub: ALICE, level: 1, teams: ['1'], session_id: 'a' } },
  { role: 'authenticated', claims: { role: 'authenticated', sub: ALICE, level: 1, teams: ['1'], session_id: 'b' } },
  { role: 'authenticated', claims: { role: 'authenticated', sub: BOB, level: 2, teams: ['1', '2'] } },
  { role: 'authenticated', claims: { role: 'authenticated', sub: '{CCCCCCCC-0000-4000-8000-000000000003}' } },
] as const

/** Filters subscribed to beside all changes, with the equivalent SQL. */
export const FILTERS = [
  ['level=eq.1', 'level = 1'],
  ['team=in.(1,3)', 'team in (1, 3)'],
  ['body=eq.hidden', `body = 'hidden'`],
  [`Owner=eq.${ALICE.toUpperCase()}`, `"Owner" = '${ALICE}'`],
  ['team=eq.2,level=gt.0', 'team = 2 and level > 0'],
  ['level=neq.1', 'level <> 1'],
  ['id=eq.007', 'id = 7'],
] as const

export interface Told {
  readonly type: string
  readonly record?: Readonly<Record<string, unknown>>
  readonly old_record?: Readonly<Record<string, unknown>>
  readonly ids: readonly number[]
}

/** A followed table of documents, with changes from a real slot. */
export interface ChangeWorld extends AsyncDisposable {
  readonly db: TestDatabase
  /** Runs SQL as superuser. */
  run(text: string): Promise<unknown>
  /** Subscribes to all changes of documents and to each filter. */
  follow(identity: ReturnType<Subscriber['identity']>, own: Told[]): void
  /** Publishes a table and subscribes each user to all its changes. */
  followTable(
    name: string,
    all: readonly (readonly [identity: ReturnType<Subscriber['identity']>, own: Told[]])[],
  ): Promise<void>
  /** Pauses the stream. */
  hold(): void
  /** Resumes the stream, delivering the held events. */
  release(): void
}

export async function openChangeWorld(): Promise<ChangeWorld> {
  const db = await openTestDatabase({ migrations: [realtimeMigrations] })
  const run = (text: string): Promise<unknown> => db.pool.withClient((client) => client.query(text))
  await run(SCHEMA)
  const tables = ['members', 'Docs'].map((name) => ({ schema: 'public', name }))
  const publish = () => ensurePublication(db.pool, { name: 'changes', tables })
  await publish()
  await (await createSlot({ url: db.url, name: db.name }))[Symbol.asyncDispose]()
  const stream = await openReplicationStream({
    url: db.url,
    slot: db.name,
    publication: 'changes',
    logger: silentLogger,
  })
  const tap = createChangeTap(silentLogger)
  const share = sharePool(db.requestPool, { connectionsMax: 4, shares: { all: { reserved: 1, max: 4 } } }).share('all')
  const open = (url: string, name: string) =>
    createPool({ url, applicationName: name, connectionsMax: 2, isReadOnly: true })
  const readerPool = open(db.readerUrl, 'test reader')
  const evaluatorPool = open(db.evaluatorUrl, 'test evaluator')
  const feed = new ChangeFeed(
    {
      pool: db.pool,
      readerPool,
      evaluatorPool,
      share,
      opened: () => undefined,
      hasFullIdentity: async () => false,
      areFollowed: async () => true,
      logger: silentLogger,
    },
    localChanges(tap),
  )
  let held: PromiseWithResolvers<void> | undefined
  const following = (async () => {
    for await (const batch of stream.batches) {
      await held?.promise
      tap.deliver(batch)
    }
  })()
  return {
    db,
    run,
    follow: (identity, own) => follow(feed, identity, own, 'Docs', [undefined, ...FILTERS.map(([text]) => text)]),
    async followTable(name, all) {
      await run(`alter publication supabase_realtime add table public.${quoteIdentifier(name)}`)
      tables.push({ schema: 'public', name })
      await publish()
      for (const [identity, own] of all) follow(feed, identity, own, name, [undefined])
    },
    hold: () => void (held ??= Promise.withResolvers()),
    release() {
      held?.resolve()
      held = undefined
    },
    async [Symbol.asyncDispose]() {
      held?.resolve()
      await feed.stop()
      await stream[Symbol.asyncDispose]()
      await following
      await readerPool[Symbol.asyncDispose]()
      await evaluatorPool[Symbol.asyncDispose]()
      await dropSlot(db.pool, db.name)
      await db[Symbol.asyncDispose]()
    },
  }
}

function follow(
  feed: ChangeFeed,
  identity: ReturnType<Subscriber['identity']>,
  own: Told[],
  table: string,
  filters: readonly (string | undefined)[],
): void {
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
  for (const [number, filter] of filters.entries())
    feed.add({ ...parseWanted({ event: '*', schema: 'public', table, filter }, number), subscriber })
}
