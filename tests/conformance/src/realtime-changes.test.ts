import type { RealtimeChannel, RealtimePostgresChangesPayload, SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { openClient, signUp, VERSIONS } from './realtime-world.ts'

let holdfast: Holdfast

type Change = RealtimePostgresChangesPayload<Record<string, unknown>>

const SCHEMA = `
  create type public.mood as enum ('calm', 'angry');
  create table public.posts (
    id bigint primary key, author uuid default auth.uid(), room text, body text, secret text default 'hidden',
    mood mood, tags text[], meta jsonb, price numeric, at timestamptz, raw bytea, done boolean);
  alter table public.posts enable row level security;
  create policy own on public.posts using (author = (select auth.uid())) with check (true);
  create table public.rooms (room text, person uuid, primary key (room, person));
  create policy shared on public.posts for select using (room in (select r.room from public.rooms r where r.person = auth.uid()));
  revoke all on public.posts from anon, authenticated;
  grant select (id, author, room, body, mood, tags, meta, price, at, raw, done), insert, update, delete on public.posts to authenticated;
  create table public.news (id int primary key, title text);
  grant all on public.news, public.rooms to anon, authenticated;
  create table public.whole (id int primary key, title text);
  alter table public.whole replica identity full;
  grant all on public.whole to anon;
  create table public.keyless (title text);
  grant all on public.keyless to anon;
  create table public.grades (id int primary key, remark text);
  grant all on public.grades to anon;
  create table public.later (id int primary key);
  grant all on public.later to anon;
  alter publication supabase_realtime add table public.posts, public.news, public.whole, public.keyless, public.grades;
`

const run = (text: string): Promise<unknown> => holdfast.admin.withClient((client) => client.query(text))

beforeAll(async () => {
  holdfast = await openHoldfast()
  await run(SCHEMA)
  // `rooms` is not published for clients, but read because a policy reads it.
  const names = ['posts', 'news', 'whole', 'keyless', 'grades', 'rooms']
  const find = sql`select from pg_publication_tables where pubname = 'holdfast' and tablename = any(${names}::text[])`
  await vi.waitFor(async () => expect(await holdfast.admin.query(find)).toHaveLength(names.length), { timeout: 60_000 })
})

afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]()
})

type Wanted = Readonly<{ event: string; schema: string; table?: string; filter?: string; select?: string[] }>

/** Subscribes, and waits for the server's confirmation or error. */
async function follow(
  client: SupabaseClient,
  ...wanted: readonly Wanted[]
): Promise<{ channel: RealtimeChannel; changes: Change[][]; told: string[] }> {
  const channel = client.channel(`changes-${crypto.randomUUID()}`)
  const changes: Change[][] = wanted.map(() => [])
  const told: string[] = []
  wanted.forEach((one, index) =>
    channel.on('postgres_changes', one as { event: '*'; schema: string }, (change) =>
      changes[index]?.push(change as Change),
    ),
  )
  await new Promise<void>((resolve) => {
    channel.on('system', {}, (message: { extension: string; status: string; message: string }) => {
      if (message.extension !== 'postgres_changes') return
      told.push(`${message.status}: ${message.message}`)
      resolve()
    })
    channel.subscribe()
  })
  return { channel, changes, told }
}

async function person(name: string): Promise<{ client: SupabaseClient; id: string }> {
  const client = openClient(holdfast)
  await signUp(client, name)
  const { data } = await client.auth.getUser()
  return { client, id: data.user?.id ?? '' }
}

const short = ({ eventType, new: next, old }: Change): unknown => [eventType, next, old]

describe.each(VERSIONS)('changes to a table without policies, protocol %s', (version) => {
  test('arrive with their values, in commit order', async () => {
    const client = openClient(holdfast, { version })
    const { changes, told } = await follow(
      client,
      { event: '*', schema: 'public', table: 'news' },
      { event: 'UPDATE', schema: 'public', table: 'news', filter: 'title=eq.second' },
      { event: '*', schema: 'public' },
    )
    expect(told).toEqual(['ok: Subscribed to PostgreSQL'])
    await run(`insert into news values (1, 'first'); update news set title = 'second'; delete from news`)
    await expect.poll(() => changes[0]?.length).toBe(3)
    expect(changes[0]?.map(short)).toEqual([
      ['INSERT', { id: 1, title: 'first' }, {}],
      ['UPDATE', { id: 1, title: 'second' }, { id: 1 }],
      ['DELETE', {}, { id: 1 }],
    ])
    expect(changes[0]?.[0]).toMatchObject({ schema: 'public', table: 'news', errors: null })
    expect(changes[0]?.[0]?.commit_timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(changes[1]?.map(short)).toEqual([['UPDATE', { id: 1, title: 'second' }, { id: 1 }]])
    expect(changes[2]).toHaveLength(3)
  })
})

describe('changes to a table with policies', () => {
  test('reach users who may see the row, with the columns that they may see', async () => {
    const [alice, bob] = [await person('alice'), await person('bob')]
    const posts = { event: '*', schema: 'public', table: 'posts' }
    const [hers, his, nobodys, all] = [
      await follow(alice.client, posts),
      await follow(bob.client, posts, { ...posts, event: 'INSERT', table: 'news' }),
      await follow(openClient(holdfast), posts),
      await follow(openClient(holdfast, { key: holdfast.serviceRoleKey }), { ...posts, select: ['body'] }),
    ]
    expect([hers.told, his.told, all.told]).toEqual([
      ['ok: Subscribed to PostgreSQL'],
      ['ok: Subscribed to PostgreSQL'],
      ['ok: Subscribed to PostgreSQL'],
    ])
    const { error } = await alice.client.from('posts').insert({
      id: 9_007_199_254_740_991,
      room: 'one',
      body: 'ä"\\, (x)',
      mood: 'calm',
      tags: ['a', 'b,c'],
      meta: { deep: [1, null] },
      price: 1.5,
      at: '2026-01-02T03:04:05.678Z',
      raw: '\\x00ff',
      done: false,
    })
    expect(error).toBeNull()
    await run(`update posts set body = 'changed'; delete from posts; insert into news values (7, 'end')`)
    await expect.poll(() => his.changes[1]?.length).toBe(1)
    await expect.poll(() => hers.changes[0]?.length).toBe(3)
    const row = {
      id: 9_007_199_254_740_991,
      author: alice.id,
      room: 'one',
      mood: 'calm',
      tags: ['a', 'b,c'],
      meta: { deep: [1, null] },
      price: 1.5,
      at: '2026-01-02T03:04:05.678+00:00',
      raw: '00ff',
      done: false,
    }
    expect(hers.changes[0]?.map(short)).toEqual([
      ['INSERT', { ...row, body: 'ä"\\, (x)' }, {}],
      ['UPDATE', { ...row, body: 'changed' }, { id: row.id }],
      ['DELETE', {}, { id: row.id }],
    ])
    // As on Supabase, the key of a deleted row reaches every user who may select it.
    await expect.poll(() => his.changes[0]?.map(short)).toEqual([['DELETE', {}, { id: row.id }]])
    expect(nobodys.changes[0]?.map(({ errors }) => errors)).toEqual(
      nobodys.changes[0]?.map(() => ['Error 401: Unauthorized']),
    )
    await expect.poll(() => all.changes[0]?.length).toBe(3)
    expect(all.changes[0]?.map(({ new: next }) => next)).toEqual([
      { id: row.id, body: 'ä"\\, (x)' },
      { id: row.id, body: 'changed' },
      {},
    ])
    await run(`delete from news`)
  })

  test('follow changes to memberships and policies', async () => {
    const bob = await person('bob')
    const { changes } = await follow(bob.client, { event: 'INSERT', schema: 'public', table: 'posts' })
    const ids = (): unknown[] => changes[0]?.map(({ new: next }) => (next as { id?: number }).id) ?? []
    const expected: number[] = []
    let mark = 100
    /** Runs a step and waits until all its changes are evaluated: a row of Bob's own follows them. */
    const step = async (text: string, ...seen: readonly number[]): Promise<void> => {
      await run(text)
      await run(`insert into posts (id, author) values (${++mark}, '${bob.id}')`)
      expected.push(...seen, mark)
      await expect.poll(ids).toEqual(expected)
    }
    const post = (id: number): string => `insert into posts (id, room) values (${id}, 'two');`
    await step(post(10))
    await step(`insert into rooms values ('two', '${bob.id}'); ${post(11)}`, 11)
    await step(`delete from rooms`)
    await step(post(12))
    await step(`create policy everything on posts for select using (true); ${post(13)}`, 13)
    await step(`drop policy everything on posts; ${post(14)}`)
    await run(`delete from posts`)
  })
})

describe('a filter', () => {
  const rows = `insert into news values (1, 'a,b'), (2, null), (3, 'Abc'), (4, 'x')`
  const filters: readonly (readonly [filter: string, ids: readonly number[]])[] = [
    ['id=eq.1', [1]],
    ['id=neq.1', [2, 3, 4]],
    ['id=lt.2', [1]],
    ['id=lte.2,title=not.is.null', [1]],
    ['id=gt.3', [4]],
    ['id=gte.3', [3, 4]],
    ['title=in.("a,b",x)', [1, 4]],
    ['title=not.in.("a,b",x)', [3]],
    ['title=eq."a,b"', [1]],
    ['title=is.null', [2]],
    ['title=like.A%', [3]],
    ['title=ilike.a%', [1, 3]],
    ['title=match.^[ax]', [1, 4]],
    ['title=imatch.^A', [1, 3]],
    ['title=isdistinct.x', [1, 2, 3]],
    ['title=not.isdistinct.x', [4]],
  ]

  test('matches as in Postgres, also for deleted rows', async () => {
    const table = { schema: 'public', table: 'news' }
    const { changes } = await follow(
      openClient(holdfast),
      ...filters.flatMap(([filter]) => [
        { ...table, event: 'INSERT', filter },
        { ...table, event: 'DELETE', filter },
      ]),
      { ...table, event: 'UPDATE' },
    )
    await run(`${rows}; delete from news; insert into news values (9, ''); update news set title = 'end'`)
    await expect.poll(() => changes.at(-1)?.length).toBe(1)
    const found = (own: readonly Change[] | undefined, part: 'new' | 'old'): unknown[] =>
      (own ?? []).map((change) => (change[part] as { id?: number }).id).filter((id) => id !== 9)
    filters.forEach(([filter, ids], index) => {
      expect([filter, found(changes[2 * index], 'new')]).toEqual([filter, ids])
      expect([filter, found(changes[2 * index + 1], 'old')]).toEqual([filter, ids])
    })
    await run(`delete from news`)
  })

  test.each([
    ['an unknown filter column', { table: 'news', filter: 'nope=eq.1' }, /invalid column for filter nope/],
    ['a value of the wrong type', { table: 'news', filter: 'id=eq.x' }, /invalid input syntax for type integer: "x"/],
    ['a malformed filter', { table: 'news', filter: 'id' }, /Error parsing `filter` params/],
    [
      'an invalid pattern',
      { table: 'news', filter: 'title=not.match.(' },
      /invalid regular expression: parentheses \(\) not balanced/,
    ],
    ['an unpublished table', { table: 'rooms' }, /Please check Realtime is enabled/],
    ['an unknown selected column', { table: 'news', select: ['nope'] }, /invalid column for filter nope/],
  ])('is refused with a message: %s', async (_title, wanted, message) => {
    const { told } = await follow(openClient(holdfast), { event: '*', schema: 'public', ...wanted })
    expect(told[0]).toMatch(/^error: /)
    expect(told[0]).toMatch(message)
  })

  test('stops matching a column whose privilege is revoked, and sends the reason', async () => {
    const grades = { event: '*', schema: 'public', table: 'grades' }
    const { changes, told } = await follow(openClient(holdfast), { ...grades, filter: 'remark=eq.low' })
    const others = await follow(openClient(holdfast), { ...grades, filter: 'id=gt.0' })
    await run(`insert into grades values (1, 'low')`)
    await expect.poll(() => changes[0]?.length).toBe(1)
    await run(
      `revoke select on grades from anon; grant select (id) on grades to anon; insert into grades values (2, 'low')`,
    )
    await expect.poll(() => told).toContainEqual(expect.stringMatching(/^error: .*invalid column for filter remark$/))
    await expect.poll(() => others.changes[0]?.length).toBe(2)
    expect(changes[0]).toHaveLength(1)
  })
})

describe('Postgres changes', () => {
  test('contain as much of the old row as the replica identity provides', async () => {
    const { changes } = await follow(
      openClient(holdfast),
      { event: '*', schema: 'public', table: 'whole' },
      { event: '*', schema: 'public', table: 'keyless' },
    )
    await run(`insert into whole values (1, 'a'); update whole set title = 'b'; delete from whole`)
    await run(`insert into keyless values ('x')`)
    await expect.poll(() => changes[1]?.length).toBe(1)
    await expect.poll(() => changes[0]?.length).toBe(3)
    expect(changes[0]?.map(({ old }) => old)).toEqual([{}, { id: 1, title: 'a' }, { id: 1, title: 'b' }])
    expect(changes[1]?.[0]?.errors).toEqual(['Error 400: Bad Request, no primary key'])
  })

  test('to a large row omit its long values', async () => {
    const { changes } = await follow(openClient(holdfast), { event: 'INSERT', schema: 'public', table: 'news' })
    await run(`insert into news values (1, repeat('x', 1200000)); delete from news`)
    await expect.poll(() => changes[0]?.map(({ errors }) => errors)).toEqual([['Error 413: Payload Too Large']])
    expect(changes[0]?.[0]?.new).toMatchObject({ id: 1 })
  })

  test('to a table start once it is published', async () => {
    const { changes, told } = await follow(openClient(holdfast), { event: '*', schema: 'public', table: 'later' })
    expect(told[0]).toMatch(/^error: /)
    await run(`alter publication supabase_realtime add table later`)
    await expect.poll(() => told.at(-1)).toBe('ok: Subscribed to PostgreSQL')
    let id = 0
    await expect
      .poll(
        async () => {
          await run(`insert into later values (${++id})`)
          return changes[0]?.length
        },
        { timeout: 60_000, interval: 200 },
      )
      .toBeGreaterThan(0)
  })

  test('to a newly published table arrive from the subscription message on', async () => {
    for (const name of ['fresh', 'newer', 'newest']) {
      await run(`create table ${name} (id int primary key); grant all on ${name} to anon;
        alter publication supabase_realtime add table ${name}`)
      const { changes, told } = await follow(
        openClient(holdfast),
        { event: '*', schema: 'public', table: name },
        { event: 'INSERT', schema: '*' },
      )
      expect(told).toEqual(['ok: Subscribed to PostgreSQL'])
      await run(`insert into ${name} values (1)`)
      await expect.poll(() => changes.map((own) => own.length)).toEqual([1, 1])
    }
  })

  test('can be awaited by subscribe', async () => {
    const client = openClient(holdfast)
    const statusOf = (table: string): Promise<string> =>
      new Promise((resolve) => {
        const config = { postgres_changes_options: { wait: true } }
        client
          .channel(`wait-${table}`, { config })
          .on('postgres_changes', { event: '*', schema: 'public', table }, () => undefined)
          .subscribe((status, error) => resolve(error ? `${status}: ${error.message}` : status))
      })
    expect(await statusOf('news')).toBe('SUBSCRIBED')
    expect(await statusOf('rooms')).toMatch(/CHANNEL_ERROR: RealtimeDisabledForConfiguration: /)
  })
})
