import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createPool, isConnectionLoss } from '@holdfast/postgres'
import { isStatementFailure } from '../src/buckets/policy-failures.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

/*
 * Pins that a Postgres that speaks another language (`lc_messages`) changes nothing about which errors are those of a policy and which are lost
 * connections. The Postgres of the tests has no translations, so that a proxy translates the severity of its errors, as German catalogs have it.
 */

const GERMAN: Readonly<Record<string, string>> = { ERROR: 'FEHLER', FATAL: 'FATAL', PANIC: 'PANIK', NOTICE: 'HINWEIS' }

const SCHEMA = `
  create table public.papers (id text primary key, title text, owner_id uuid);
  create table public.notes (id text primary key);
  create function public.is_fine(title text) returns boolean language plpgsql immutable as $$
  begin
    if title = 'bad' then raise exception 'x' using errcode = '57P01'; end if;
    return true;
  end $$;
  create function public.person() returns uuid language plpgsql stable as $$
  begin
    if auth.uid() = '${BOB}' then raise exception 'x' using errcode = '08006'; end if;
    return auth.uid();
  end $$;
  alter table public.papers enable row level security;
  create policy fine on public.papers for select using (public.is_fine(title) and owner_id = (select public.person()));
  alter table public.notes enable row level security;
  create policy everybody on public.notes for select using (true);
`

interface Proxy {
  readonly server: Server
  readonly sockets: Set<Socket>
  /** Of errors that went through. */
  readonly translated: string[]
  through(url: string): string
}

/** What Postgres sends: the error's field `S` in German, in chunks of `size` bytes. */
function translate(proxy: Proxy, chunk: Buffer, waiting: Buffer): { readonly out: Buffer; readonly rest: Buffer } {
  let rest = Buffer.concat([waiting, chunk])
  const out: Buffer[] = []
  while (rest.length >= 5) {
    const end = 1 + rest.readUInt32BE(1)
    if (rest.length < end) break
    const message = rest.subarray(0, end)
    rest = rest.subarray(end)
    if (message[0] !== 0x45 && message[0] !== 0x4e) {
      out.push(message)
      continue
    }
    const fields = message.toString('utf8', 5).split('\0')
    const body = fields.map((field) => {
      const word = field.startsWith('S') ? GERMAN[field.slice(1)] : undefined
      if (word !== undefined) proxy.translated.push(word)
      return word === undefined ? field : `S${word}`
    })
    const text = Buffer.from(body.join('\0'))
    const header = Buffer.alloc(5)
    header[0] = message[0]
    header.writeUInt32BE(4 + text.length, 1)
    out.push(header, text)
  }
  return { out: Buffer.concat(out), rest }
}

let proxy: Proxy
let target = 0

beforeAll(async () => {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const database = connect(target, '127.0.0.1')
    let waiting = Buffer.alloc(0)
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
    }
    client.on('data', (chunk: Buffer) => database.write(chunk))
    database.on('data', (chunk: Buffer) => {
      const { out, rest } = translate(proxy, chunk, waiting)
      waiting = Buffer.from(rest)
      // In pieces, so that messages begin and end anywhere in a chunk.
      for (let at = 0; at < out.length; at += 7) client.write(out.subarray(at, at + 7))
    })
    client.setNoDelay(true)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  proxy = {
    server,
    sockets,
    translated: [],
    through(text) {
      const url = new URL(text)
      target = Number(url.port)
      url.port = String((server.address() as AddressInfo).port)
      return url.href
    },
  }
})

afterAll(async () => {
  for (const socket of proxy.sockets) socket.destroy()
  await new Promise((resolve) => proxy.server.close(resolve))
})

let world: World

afterEach(() => world[Symbol.asyncDispose]())

test('a policy that raises the code of a lost connection costs its row or its person, in any language', async () => {
  world = await openWorld({ schema: SCHEMA, through: (url) => proxy.through(url) })
  const alice = world.device(ALICE)
  const bob = world.device(BOB)
  alice.connect()
  bob.connect()
  await Promise.all([alice.next(), bob.next()])
  await world.run(
    `insert into papers values ('1', 'good', '${ALICE}'), ('2', 'bad', '${ALICE}'), ('3', 'good', '${BOB}')`,
  )
  await world.run(`insert into notes values ('n')`)
  for (const device of [alice, bob]) await device.until(() => device.state.has('notes/n'), 'the note')
  await alice.until(() => alice.state.has('papers/1'), 'the good paper')
  expect([...alice.state.keys()].toSorted()).toEqual(['notes/n', 'papers/1'])
  expect([...bob.state.keys()]).toEqual(['notes/n'])
  expect(alice.faults).toEqual([])
  expect(world.service.status()).toMatchObject({ ready: true, problem: undefined })
  expect(proxy.translated).toContain('FEHLER')
})

test('a connection that Postgres ends is lost, in any language', async () => {
  world = await openWorld()
  await using pool = createPool({
    url: proxy.through(world.db.evaluatorUrl),
    applicationName: 'translated',
    connectionsMax: 1,
  })
  const query = (text: string): Promise<unknown> =>
    pool.withClient((client) => client.query(text)).catch((error: unknown) => error)
  expect(isStatementFailure(await query('select 1 / 0'))).toBe(true)
  expect(isStatementFailure(await query(`do $$ begin raise exception 'x' using errcode = '57P01'; end $$`))).toBe(true)
  const sleeping = query('select pg_sleep(600)')
  await expect
    .poll(() =>
      world.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'translated' and query like '%pg_sleep%'`,
      ),
    )
    .toHaveLength(1)
  const ended = await sleeping
  expect(isConnectionLoss(ended)).toBe(true)
  expect(isStatementFailure(ended)).toBe(false)
})
