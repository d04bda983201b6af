import { createHmac } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

/*
 * Across server crashes and expired tokens, each subscriber to Postgres changes receives only its own rows, none twice, in commit order, and every
 * row committed while it is subscribed.
 */

const ROUNDS = Number(process.env['HOLDFAST_CHANGES_KILLS'] ?? 1)
const NAMES = ['alice', 'bob'] as const
type Name = (typeof NAMES)[number]

const IDS: Readonly<Record<Name, string>> = {
  alice: 'aaaaaaaa-0000-4000-8000-000000000001',
  bob: 'bbbbbbbb-0000-4000-8000-000000000002',
}

let holdfast: Holdfast

const run = (text: string): Promise<unknown> => holdfast.admin.withClient((client) => client.query(text))

beforeAll(async () => {
  holdfast = await openHoldfast()
  await run(`
    create table public.notes (id bigint primary key generated always as identity, owner uuid);
    alter table public.notes enable row level security;
    create policy own on public.notes for select using (owner = (select auth.uid()));
    grant select on public.notes to anon, authenticated;
    alter publication supabase_realtime add table public.notes;`)
  const find = sql`select from pg_publication_tables where pubname = 'holdfast' and tablename = 'notes'`
  await vi.waitFor(async () => expect(await holdfast.admin.query(find)).toHaveLength(1), { timeout: 60_000 })
})

afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]()
})

function mintToken(name: Name, seconds: number): string {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const nowS = Math.floor(Date.now() / 1_000)
  const claims = { sub: IDS[name], role: 'authenticated', aud: 'authenticated', iat: nowS, exp: nowS + seconds }
  const input = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${input}.${createHmac('sha256', holdfast.jwtSecret).update(input).digest('base64url')}`
}

interface Follower {
  readonly ids: number[]
  /** The server's messages on the channel. */
  readonly told: string[]
  readonly isSubscribed: () => boolean
}

/** Subscribes to the table with the unmodified client, which rejoins by itself. */
async function follow(name: Name, seconds: () => number): Promise<Follower> {
  const client = createClient(holdfast.url, holdfast.anonKey, {
    accessToken: async () => mintToken(name, seconds()),
  })
  onTestFinished(async () => {
    await client.removeAllChannels()
    await client.realtime.disconnect()
  })
  // Otherwise the channel is first joined without a user.
  await client.realtime.setAuth()
  const ids: number[] = []
  const told: string[] = []
  let isSubscribed = false
  client
    .channel('notes')
    .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'notes' }, ({ new: row }) =>
      ids.push(Number(row['id'])),
    )
    .on('system', {}, ({ message }: { message: string }) => {
      told.push(message)
      isSubscribed = message === 'Subscribed to PostgreSQL'
    })
    .subscribe((status) => {
      if (status !== 'SUBSCRIBED') isSubscribed = false
    })
  return { ids, told, isSubscribed: () => isSubscribed }
}

async function write(name: Name): Promise<number> {
  const [row] = await holdfast.admin.query<{ id: string }>(
    sql`insert into public.notes (owner) values (${IDS[name]}::uuid) returning id::text as id`,
  )
  return Number(row?.id)
}

test('subscribers receive their own rows across server crashes', { timeout: 180_000 + ROUNDS * 60_000 }, async () => {
  const followers = { alice: await follow('alice', () => 3_600), bob: await follow('bob', () => 3_600) }
  const owners = new Map<number, Name>()
  const whileSubscribed: Record<Name, number[]> = { alice: [], bob: [] }
  const writeTo = async (name: Name): Promise<number> => {
    const id = await write(name)
    owners.set(id, name)
    return id
  }
  const settle = async (): Promise<void> => {
    for (const name of NAMES) await expect.poll(followers[name].isSubscribed, { timeout: 60_000 }).toBe(true)
    for (const name of [...NAMES, ...NAMES]) whileSubscribed[name].push(await writeTo(name))
    for (const name of NAMES)
      await expect.poll(() => followers[name].ids).toEqual(expect.arrayContaining(whileSubscribed[name]))
  }
  await settle()
  for (let round = 0; round < ROUNDS; round++) {
    // The last of these may or may not be delivered before the crash.
    for (const name of NAMES) await writeTo(name)
    await holdfast.kill9()
    await expect.poll(() => NAMES.some((name) => followers[name].isSubscribed())).toBe(false)
    await holdfast.restart()
    for (const name of NAMES) await writeTo(name)
    await settle()
  }
  for (const name of NAMES) {
    const { ids } = followers[name]
    expect(ids.map((id) => owners.get(id))).toEqual(ids.map(() => name))
    expect(ids).toEqual([...new Set(ids)].toSorted((left, right) => left - right))
  }
})

test('an expired token ends the channel, and a new one restarts it', async () => {
  const seconds = { now: 8 }
  const bob = await follow('bob', () => seconds.now)
  await expect.poll(bob.isSubscribed).toBe(true)
  await expect.poll(() => bob.told).toContainEqual(expect.stringMatching(/^Token has expired/))
  const before = bob.ids.length
  const alice = await follow('alice', () => 3_600)
  await expect.poll(alice.isSubscribed).toBe(true)
  await write('bob')
  const last = await write('alice')
  await expect.poll(() => alice.ids).toEqual([last])
  expect(bob.ids).toHaveLength(before)
  seconds.now = 3_600
  const again = await follow('bob', () => seconds.now)
  await expect.poll(again.isSubscribed).toBe(true)
  const own = await write('bob')
  await expect.poll(() => again.ids).toEqual([own])
})
