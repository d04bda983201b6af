import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { column, Schema, Table, type CommonPowerSyncDatabase } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openHoldfast, quietLogger, SAMPLE_PASSWORD, type Holdfast } from '@holdfast/test-support'

/*
 * Declared streams through the stream API of the unmodified SDK: subscriptions, parameters, priorities, TTL and defaults. A device shows the rows
 * that its user may select and one of its streams contains.
 */

const MINA = 'mina.kaya@northline.example'
const [ONE, TWO, HIDDEN] = ['1', '2', '3'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`) as [
  string,
  string,
  string,
]

const SCHEMA = `
  create table public.boards (id uuid primary key, is_hidden boolean not null);
  create table public.tickets (
    id uuid primary key default gen_random_uuid(), board_id uuid not null, title text not null, urgent boolean not null default false);
  create table public.news (id uuid primary key default gen_random_uuid(), title text not null);
  alter table public.boards enable row level security;
  alter table public.tickets enable row level security;
  alter table public.news enable row level security;
  create policy seen on public.boards for select to authenticated using (not is_hidden);
  create policy seen on public.tickets for select to authenticated using (board_id in (select b.id from public.boards b));
  create policy all_of_it on public.news for select to authenticated using (true);
  insert into public.boards values ('${ONE}', false), ('${TWO}', false), ('${HIDDEN}', true);
  insert into public.tickets (board_id, title) values ('${ONE}', 'one'), ('${TWO}', 'two'), ('${HIDDEN}', 'hidden');
  insert into public.tickets (board_id, title, urgent) values ('${TWO}', 'two, urgent', true);
  insert into public.tickets (board_id, title) select '${TWO}', 'many ' || repeat('x', 300) from generate_series(1, 20000);
  insert into public.news (title) values ('today');
  select sync.create_stream('board', $$ select * from tickets where board_id = subscription.parameter('board') and title not like 'many %' $$, priority => 1);
  select sync.create_stream('many', $$ select * from tickets where title like 'many %' $$);
  select sync.create_stream('urgent', $$ select * from tickets where urgent $$, priority => 0, auto_subscribe => true);
`

const schema = new Schema({
  tickets: new Table({ board_id: column.text, title: column.text, urgent: column.integer }),
  news: new Table({ title: column.text }),
})

let holdfast: Holdfast
const opened: { readonly database: CommonPowerSyncDatabase; readonly folder: string }[] = []

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  await holdfast.admin.withClient((client) => client.query(SCHEMA))
})

afterEach(async () => {
  for (const { database, folder } of opened.splice(0)) {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]()
})

interface Opened {
  readonly database: CommonPowerSyncDatabase
  connect(options?: { readonly includeDefaultStreams?: boolean }): Promise<void>
}

async function open(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-streams-'))
  const supabase = await holdfast.supabase({ email: MINA, password: SAMPLE_PASSWORD })
  const database = new PowerSyncDatabase({
    schema,
    database: { dbFilename: 'app.db', dbLocation: folder, implementation: { type: 'node:sqlite' }, readWorkerCount: 1 },
    logger: quietLogger,
  })
  opened.push({ database, folder })
  return {
    database,
    connect: (options = {}) =>
      database.connect(
        {
          async fetchCredentials() {
            const { data } = await supabase.auth.getSession()
            return data.session && { endpoint: holdfast.url, token: data.session.access_token }
          },
          uploadData: async () => undefined,
        },
        { retryDelayMs: 500, ...options },
      ),
  }
}

async function titles(database: CommonPowerSyncDatabase, table = 'tickets'): Promise<readonly string[]> {
  const rows = await database.getAll<{ title: string }>(
    `select title from ${table} where title not like 'many %' order by title`,
  )
  return rows.map(({ title }) => title)
}

const shows = (database: CommonPowerSyncDatabase, wanted: readonly string[]): Promise<void> =>
  vi.waitFor(async () => expect(await titles(database)).toEqual(wanted), { timeout: 60_000, interval: 20 })

describe('options.includeDefaultStreams', () => {
  test('true, the default, syncs auto-subscribed streams and tables without a stream', async () => {
    const { database, connect } = await open()
    await connect()
    await database.waitForFirstSync(AbortSignal.timeout(60_000))
    // Newly created tables may arrive with a checkpoint after the first.
    await shows(database, ['two, urgent'])
    expect(await titles(database, 'news')).toEqual(['today'])
    const known = database.currentStatus.syncStreams?.map(({ subscription }) => [
      subscription.name,
      subscription.isDefault,
      subscription.hasSynced,
    ])
    expect(known).toEqual([
      ['everything', true, true],
      ['urgent', true, true],
    ])
  })

  test('false syncs only subscribed streams', async () => {
    const { database, connect } = await open()
    await connect({ includeDefaultStreams: false })
    await database.waitForFirstSync(AbortSignal.timeout(60_000))
    expect(await titles(database)).toEqual([])
    expect(await titles(database, 'news')).toEqual([])
    const subscription = await database.syncStream('board', { board: ONE }).subscribe()
    await subscription.waitForFirstSync(AbortSignal.timeout(60_000))
    expect(await titles(database)).toEqual(['one'])
  })
})

describe('stream.subscribe', () => {
  test('syncs the rows at once and keeps them current, also with several sets of parameters', async () => {
    const { database, connect } = await open()
    await connect({ includeDefaultStreams: false })
    const one = await database.syncStream('board', { board: ONE }).subscribe()
    await one.waitForFirstSync(AbortSignal.timeout(60_000))
    const two = await database.syncStream('board', { board: TWO }).subscribe()
    await two.waitForFirstSync(AbortSignal.timeout(60_000))
    expect(await titles(database)).toEqual(['one', 'two', 'two, urgent'])
    await holdfast.admin.withClient((client) =>
      client.query(`insert into tickets (board_id, title) values ('${TWO}', 'new')`),
    )
    await shows(database, ['new', 'one', 'two', 'two, urgent'])
    await holdfast.admin.withClient((client) => client.query(`delete from tickets where title = 'new'`))
    await shows(database, ['one', 'two', 'two, urgent'])
  })

  test('shows no rows that the policies hide', async () => {
    const { database, connect } = await open()
    await connect({ includeDefaultStreams: false })
    const hidden = await database.syncStream('board', { board: HIDDEN }).subscribe()
    await hidden.waitForFirstSync(AbortSignal.timeout(60_000))
    expect(await titles(database)).toEqual([])
    await holdfast.admin.withClient((client) =>
      client.query(`update boards set is_hidden = false where id = '${HIDDEN}'`),
    )
    await shows(database, ['hidden'])
    await holdfast.admin.withClient((client) =>
      client.query(`update boards set is_hidden = true where id = '${HIDDEN}'`),
    )
    await shows(database, [])
  })

  test('ignores an unknown stream or a parameter of the wrong type, without affecting other subscriptions', async () => {
    const { database, connect } = await open()
    await connect({ includeDefaultStreams: false })
    await database.syncStream('board', { board: 'no uuid' }).subscribe()
    await database.syncStream('no such stream').subscribe()
    const one = await database.syncStream('board', { board: ONE }).subscribe()
    await one.waitForFirstSync(AbortSignal.timeout(60_000))
    expect(await titles(database)).toEqual(['one'])
  })
})

describe('stream.unsubscribeAll', () => {
  test('removes the rows, except those of another subscription', async () => {
    const { database, connect } = await open()
    await connect()
    const stream = database.syncStream('board', { board: TWO })
    // Not 0: the SDK core stores the expiry, and drops the subscription if a millisecond passes before it checks.
    const two = await stream.subscribe({ ttl: 3600 })
    await two.waitForFirstSync(AbortSignal.timeout(60_000))
    await shows(database, ['two', 'two, urgent'])
    two.unsubscribe()
    await stream.unsubscribeAll()
    // This row is also in the default stream.
    await shows(database, ['two, urgent'])
  })
})

describe('subscription.unsubscribe', () => {
  test('keeps the rows, current and across reconnects, until the TTL expires', async () => {
    const { database, connect } = await open()
    await connect({ includeDefaultStreams: false })
    const one = await database.syncStream('board', { board: ONE }).subscribe({ ttl: 3600 })
    await one.waitForFirstSync(AbortSignal.timeout(60_000))
    one.unsubscribe()
    await database.disconnect()
    await connect({ includeDefaultStreams: false })
    await vi.waitFor(() => expect(database.currentStatus.connected).toBe(true), { timeout: 60_000 })
    await holdfast.admin.withClient((client) =>
      client.query(`update tickets set title = 'one, changed' where title = 'one'`),
    )
    await shows(database, ['one, changed'])
    await holdfast.admin.withClient((client) =>
      client.query(`update tickets set title = 'one' where title = 'one, changed'`),
    )
    await shows(database, ['one'])
  })
})

describe('subscription.waitForFirstSync', () => {
  test('shows rows of a high-priority stream while another is still syncing', async () => {
    const { database, connect } = await open()
    const many = await database.syncStream('many').subscribe({ priority: 3 })
    await database.syncStream('board', { board: ONE }).subscribe({ priority: 1 })
    const seen: { readonly titles: readonly string[]; readonly isWhole: boolean }[] = []
    const early = database.waitForFirstSync({ priority: 1, signal: AbortSignal.timeout(60_000) }).then(async () => {
      seen.push({ isWhole: database.currentStatus.hasSynced ?? false, titles: await titles(database) })
    })
    await connect()
    await early
    expect(seen).toEqual([{ isWhole: false, titles: ['one', 'two, urgent'] }])
    await many.waitForFirstSync(AbortSignal.timeout(60_000))
    const row = await database.get<{ count: number }>(`select count(*) as count from tickets`)
    expect(row.count).toBe(20_002)
  })
})
