/**
 * Invariants: of two servers on one database one reads the changes. When it dies, or hangs, the other takes over within seconds; whatever the first still
 * wants to write when it goes on does not get into the log; nothing that was committed is missing. Channels are where the changes are read: their broadcasts
 * come in order, none twice, and without a gap while a client is joined.
 */
import { createHmac } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openHoldfast, openRawStream, type Holdfast, type ServerProcess } from '@holdfast/test-support'
import { pause, recoveryMsMax } from './world.ts'

let holdfast: Holdfast
let other: ServerProcess

beforeAll(async () => {
  holdfast = await openHoldfast()
  await holdfast.admin.withClient((client) =>
    client.query(`create table public.notes (id uuid primary key default gen_random_uuid(), amount integer not null default 0);
      alter table public.notes enable row level security;
      create policy everybody on public.notes for select to authenticated using (true)`),
  )
  other = await holdfast.another()
}, 300_000)

afterAll(async () => {
  await other?.kill('SIGKILL')
  await holdfast?.[Symbol.asyncDispose]()
})

async function syncOf(url: string): Promise<string> {
  const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(1_000) })
  return ((await response.json()) as { sync: string }).sync
}

interface Servers {
  readonly server: string
  readonly servers: readonly { readonly name: string; readonly role: string }[]
}

async function serversOf(url: string): Promise<Servers> {
  const response = await fetch(`${url}/sync/v1/status`, {
    headers: { authorization: `Bearer ${holdfast.serviceRoleKey}` },
  })
  return (await response.json()) as Servers
}

/** @returns how long it took, in milliseconds */
async function untilSync(url: string, state: string): Promise<number> {
  const began = Date.now()
  await expect.poll(() => syncOf(url).catch(String), { timeout: 60_000, interval: 50 }).toBe(state)
  return Date.now() - began
}

/** The number of the last broadcast that was committed. */
let broadcasts = 0

/** Writes notes, and sends numbered broadcasts, for as long as `body` takes. */
async function whileWriting(body: () => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const writing = (async () => {
    while (!stop.signal.aborted) {
      await holdfast.admin.withClient((client) =>
        client.query(`insert into public.notes default values;
          update public.notes set amount = amount + 1 where id in (select id from public.notes order by random() limit 3);
          select realtime.send('{"number": ${broadcasts + 1}}', 'counted', 'room', false)`),
      )
      broadcasts++
      await pause(5)
    }
  })()
  try {
    await body()
  } finally {
    stop.abort()
    await writing
  }
}

/** A token as another issuer with the same secret would make it. */
function token(): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = {
    sub: crypto.randomUUID(),
    role: 'authenticated',
    aud: 'authenticated',
    exp: Math.floor(Date.now() / 1_000) + 3_600,
  }
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${text}.${createHmac('sha256', holdfast.jwtSecret).update(text).digest('base64url')}`
}

/** A new device on one of the servers has what Postgres has, and the log agrees with itself. */
async function expectWhole(url: string): Promise<void> {
  await using device = await openRawStream({
    url,
    token: token(),
    clientId: crypto.randomUUID(),
  })
  await device.settle()
  const newest = new Map(device.rows.filter(({ table }) => table === 'notes').map(({ id, data: row }) => [id, row]))
  await holdfast.admin.withClient(async (client) => {
    const { rows } = await client.query<{ id: string; amount: number }>(
      `select id, amount from public.notes order by id`,
    )
    const shown = [...newest].map(([id, row]) => ({ id, amount: (JSON.parse(row) as { amount: number }).amount }))
    expect(shown.toSorted((one, two) => (one.id < two.id ? -1 : 1))).toEqual(rows)
    const wrong = await client.query(`
      select b.name from sync.buckets b
        left join (select bucket_id, sum(checksum::bigint)::bigint & 4294967295 as checksum, count(*) as count from sync.ops group by 1) o
          on o.bucket_id = b.id
       where coalesce(o.checksum, 0) <> b.checksum or coalesce(o.count, 0) <> b.count`)
    expect(wrong.rows).toEqual([])
  })
}

/** Joins a channel on one of the servers with the public client, which tries again and again. */
function joinChannel(url: string): {
  readonly states: readonly string[]
  readonly events: readonly string[]
  /** Of the broadcasts that it got. */
  readonly numbers: readonly number[]
} {
  const states: string[] = []
  const events: string[] = []
  const numbers: number[] = []
  const client = createClient(url, holdfast.anonKey)
  client
    .channel('room')
    .on('broadcast', { event: '*' }, ({ event, payload }) => {
      if (event === 'counted') numbers.push((payload as { number: number }).number)
      else events.push(event)
    })
    .subscribe((state) => void states.push(state))
  onTestFinished(() => client.realtime.disconnect().then(() => undefined))
  return { states, events, numbers }
}

test('a server that hangs is replaced, and follows when it goes on', async () => {
  expect(await syncOf(other.ready.base)).toBe('standby')
  const [reader, standby] = [await serversOf(holdfast.url), await serversOf(other.ready.base)]
  expect(reader.servers).toEqual(standby.servers)
  expect(reader.servers.map(({ name, role }) => [name, role])).toEqual([
    [reader.server, 'reader'],
    [standby.server, 'standby'],
  ])
  const channel = joinChannel(other.ready.base)
  const before = joinChannel(holdfast.url)
  await expect.poll(() => channel.states).toContain('CHANNEL_ERROR')
  expect(channel.states).not.toContain('SUBSCRIBED')
  await expect.poll(() => before.states).toContain('SUBSCRIBED')
  await whileWriting(async () => {
    await expect.poll(() => before.numbers.length).toBeGreaterThan(20)
    process.kill(holdfast.pid(), 'SIGSTOP')
    try {
      const tookMs = await untilSync(other.ready.base, 'ready')
      console.log(`taken over from one that hangs after ${tookMs} ms`)
      expect(tookMs).toBeLessThan(recoveryMsMax() + 2_000) // four seconds of silence, and what the new one reads first
    } finally {
      process.kill(holdfast.pid(), 'SIGCONT')
    }
    await untilSync(holdfast.url, 'standby')
    // The client tries again every ten seconds at most.
    await expect.poll(() => channel.states).toContain('SUBSCRIBED')
    await expect.poll(() => channel.numbers.length).toBeGreaterThan(20)
  })
  expect(await syncOf(other.ready.base)).toBe('ready')
  await expectWhole(other.ready.base)
  await expect.poll(() => channel.numbers.at(-1)).toBe(broadcasts)
  for (const { numbers } of [before, channel])
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index))
  await expect.poll(() => before.states).toContain('CHANNEL_ERROR')
  await holdfast.admin.withClient((client) => client.query(`select realtime.send('{}', 'taken over', 'room', false)`))
  await expect.poll(() => channel.events).toEqual(['taken over'])
})

test('a server that dies is replaced', async () => {
  await whileWriting(async () => {
    await other.kill('SIGKILL')
    const tookMs = await untilSync(holdfast.url, 'ready')
    console.log(`taken over from one that died after ${tookMs} ms`)
    expect(tookMs).toBeLessThan(recoveryMsMax())
  })
  await expectWhole(holdfast.url)
})
