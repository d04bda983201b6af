/**
 * Invariants: of two servers on one database one reads the changes. When it dies, or hangs, the other takes over within seconds; whatever the first still
 * wants to write when it goes on does not get into the log; nothing that was committed is missing. Both serve devices and channels: broadcasts reach the clients of both, in
 * order, none twice; those of the database without a gap while no server fails. The presence of a server that dies leaves within five seconds.
 */
import { createHmac } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openHoldfast, openRawStream, type Holdfast, type ServerProcess } from '@holdfast/test-support'
import { joinChannel as joinOn, type JoinedChannel } from './joined-channel.ts'
import { onThisMachine, pause, recoveryMsMax } from './world.ts'

/** Its server is killed at once, which leaves its Postgres to the two others. */
let holdfast: Holdfast
let one: ServerProcess
let other: ServerProcess

beforeAll(async () => {
  holdfast = await openHoldfast()
  await holdfast.admin.withClient((client) =>
    client.query(`create table public.notes (id uuid primary key default gen_random_uuid(), amount integer not null default 0);
      alter table public.notes enable row level security;
      create policy everybody on public.notes for select to anon, authenticated using (amount < 1000);
      alter publication supabase_realtime add table public.notes`),
  )
  await holdfast.kill9()
  one = await holdfast.another()
  await untilRole(one.ready.base, 'reader')
  other = await holdfast.another()
}, 300_000)

afterAll(async () => {
  await one?.kill('SIGKILL')
  await other?.kill('SIGKILL')
  await holdfast?.[Symbol.asyncDispose]()
})

/** The server's role, or why it does not serve devices. */
async function roleOf(url: string): Promise<string> {
  const headers = { apikey: holdfast.serviceRoleKey }
  const response = await fetch(`${url}/health`, { headers, signal: AbortSignal.timeout(1_000) })
  const { sync, sync_role: role } = (await response.json()) as { sync: string; sync_role: string }
  return sync === 'ready' ? role : sync
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
async function untilRole(url: string, role: 'reader' | 'follower'): Promise<number> {
  const began = Date.now()
  const isReached = async (): Promise<boolean> => (await roleOf(url).catch(String)) === role
  await vi.waitUntil(isReached, { timeout: 60_000, interval: 50 })
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

const joinChannel = (url: string, key: string): Promise<JoinedChannel> => joinOn(url, holdfast.anonKey, key)

/** Subscribes to changes of notes. */
async function followNotes(url: string): Promise<{
  readonly states: readonly string[]
  /** Types and ids of the changes that it got. */
  readonly changes: readonly string[]
}> {
  const states: string[] = []
  const changes: string[] = []
  const client = createClient(url, holdfast.anonKey)
  client
    .channel('notes')
    .on('postgres_changes', { event: '*', schema: 'public', table: 'notes' }, (change) => {
      changes.push(`${change.eventType} ${(change.new as { id: string }).id}`)
    })
    .on('system', {}, ({ extension, status }: { extension: string; status: string }) => {
      if (extension === 'postgres_changes') states.push(status)
    })
    .subscribe()
  onTestFinished(() => client.realtime.disconnect().then(() => undefined))
  await expect.poll(() => states, { timeout: 15_000 }).toContain('ok')
  return { states, changes }
}

async function insertNote(amount = 0): Promise<string> {
  return await holdfast.admin.withClient(async (client) => {
    const { rows } = await client.query<{ id: string }>('insert into public.notes (amount) values ($1) returning id', [
      amount,
    ])
    return rows[0]?.id ?? ''
  })
}

test('both servers tell the changes that their clients may see, in the same order', async () => {
  const clients = [await followNotes(one.ready.base), await followNotes(other.ready.base)]
  await insertNote(5_000) // hidden by the policy
  await whileWriting(() => pause(1_000))
  const last = await insertNote()
  for (const { changes } of clients)
    await expect.poll(() => changes.at(-1), { timeout: onThisMachine(10_000) }).toBe(`INSERT ${last}`)
  expect(clients[1]?.changes).toEqual(clients[0]?.changes)
  expect(clients[1]?.changes.length).toBeGreaterThan(50)
  await holdfast.admin.withClient((client) => client.query('delete from public.notes where amount >= 1000'))
})

test('both servers serve channels, and reach the clients of each other', async () => {
  const [ada, bob] = [await joinChannel(one.ready.base, 'ada'), await joinChannel(other.ready.base, 'bob')]
  for (const { present } of [ada, bob]) await expect.poll(present).toEqual(['ada', 'bob'])
  await ada.channel.send({ type: 'broadcast', event: 'of a client', payload: {} })
  await expect.poll(() => bob.events).toEqual(['of a client'])
  await bob.channel.httpSend('over HTTP', {})
  await expect.poll(() => ada.events).toEqual(['over HTTP'])
  await holdfast.admin.withClient((client) => client.query(`select realtime.send('{}', 'of SQL', 'room', false)`))
  await expect.poll(() => ada.events.at(-1)).toEqual('of SQL')
  await expect.poll(() => bob.events.at(-1)).toEqual('of SQL')
})

test('both servers serve devices with the same rows', async () => {
  await untilRole(other.ready.base, 'follower')
  await whileWriting(() => pause(500))
  for (const { ready } of [one, other]) await expectWhole(ready.base)
})

test('a server that hangs is replaced, and follows when it goes on', async () => {
  await untilRole(other.ready.base, 'follower')
  const [reader, follower] = [await serversOf(one.ready.base), await serversOf(other.ready.base)]
  expect(reader.servers).toEqual(follower.servers)
  expect(reader.servers.map(({ name, role }) => [name, role])).toEqual([
    [reader.server, 'reader'],
    [follower.server, 'follower'],
  ])
  const ada = await joinChannel(one.ready.base, 'ada')
  const bob = await joinChannel(other.ready.base, 'bob')
  for (const { present } of [ada, bob]) await expect.poll(present).toEqual(['ada', 'bob'])
  await whileWriting(async () => {
    await expect.poll(() => bob.numbers.length).toBeGreaterThan(20)
    process.kill(one.child.pid ?? 0, 'SIGSTOP')
    try {
      const tookMs = await untilRole(other.ready.base, 'reader')
      console.log(`taken over from one that hangs after ${tookMs} ms`)
      expect(tookMs).toBeLessThan(recoveryMsMax() + 2_000) // four seconds of silence, and what the new one reads first
      await expect.poll(bob.present, { timeout: onThisMachine(5_000) }).toEqual(['bob'])
    } finally {
      process.kill(one.child.pid ?? 0, 'SIGCONT')
    }
    await untilRole(one.ready.base, 'follower')
    for (const { present } of [ada, bob])
      await expect.poll(present, { timeout: onThisMachine(10_000) }).toEqual(['ada', 'bob'])
  })
  expect(await roleOf(other.ready.base)).toBe('reader')
  await expectWhole(other.ready.base)
  for (const { numbers } of [ada, bob]) {
    await expect.poll(() => numbers.at(-1)).toBe(broadcasts)
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
  }
  // Its server never hung, and what the other one had not passed on was read again.
  expect(bob.numbers).toEqual(bob.numbers.map((_, index) => (bob.numbers[0] ?? 0) + index))
})

test('a server that dies is replaced, and its clients are no longer present', async () => {
  const ada = await joinChannel(one.ready.base, 'ada')
  await joinChannel(other.ready.base, 'bob')
  await expect.poll(ada.present).toEqual(['ada', 'bob'])
  const { states, changes } = await followNotes(one.ready.base)
  await whileWriting(async () => {
    await other.kill('SIGKILL')
    const began = Date.now()
    await expect.poll(ada.present, { timeout: onThisMachine(10_000) }).toEqual(['ada'])
    expect(Date.now() - began).toBeLessThan(onThisMachine(5_000))
    await untilRole(one.ready.base, 'reader')
    const tookMs = Date.now() - began
    console.log(`taken over from one that died after ${tookMs} ms`)
    expect(tookMs).toBeLessThan(Math.max(recoveryMsMax(), 5_500))
  })
  // Its server reads the changes now; the client joins again by itself.
  await expect.poll(() => states.slice(1), { timeout: onThisMachine(20_000) }).toContain('ok')
  const last = await insertNote()
  await expect.poll(() => changes.at(-1)).toBe(`INSERT ${last}`)
  await expectWhole(one.ready.base)
})
