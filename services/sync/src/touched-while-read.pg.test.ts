import net from 'node:net'
import { expect, test } from 'vitest'
import { ALICE, BOB, LISTS_SCHEMA, openWorld, type World } from './sync-world.test-support.ts'

const ROWS = 100_000

const SCHEMA = `${LISTS_SCHEMA}
  create table public.docs (id int primary key, owner_id uuid, title text, body text);
  insert into public.docs select n, '${ALICE}', 'as read', repeat('x', 60) from generate_series(1, ${ROWS}) n;
`

interface Gate extends AsyncDisposable {
  url(of: string): string
  /** From now on what is copied from `docs` stays on its way until {@link Gate.open}. */
  close(): void
  open(): void
  /** Rows are on their way. */
  readonly holds: boolean
}

/** A way to Postgres on which rows of `docs` can be held up, as Postgres reads them and not before. */
async function openGate(): Promise<Gate> {
  let target: URL | undefined
  let isClosed = false
  let holds = false
  const resume: (() => void)[] = []
  const sockets = new Set<net.Socket>()
  const server = net.createServer((client) => {
    const postgres = net.connect(Number(target?.port), target?.hostname ?? '')
    for (const socket of [client, postgres]) {
      sockets.add(socket)
      socket.on('error', () => undefined) // the other side is closed below
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        postgres.destroy()
      })
    }
    client.on('data', (data) => {
      const text = data.toString('latin1')
      if (isClosed && text.includes('copy (') && text.includes('docs')) {
        // Postgres has read some of the rows when its answer begins.
        postgres.unpipe(client)
        postgres.once('readable', () => (holds = true))
        resume.push(() => postgres.pipe(client))
      }
      postgres.write(data)
    })
    postgres.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url(of) {
      const url = new URL(of)
      target ??= new URL(of)
      url.hostname = '127.0.0.1'
      url.port = String((server.address() as net.AddressInfo).port)
      return url.href
    },
    close: () => (isClosed = true),
    open() {
      isClosed = false
      for (const one of resume.splice(0)) one()
    },
    get holds() {
      return holds
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  await expect.poll(isTrue, { timeout: 60_000, interval: 5 }).toBe(true)
}

/** Last row that has been read into the log. */
async function readTo(world: World): Promise<number> {
  const [row] = await world.rows<{ at: number }>(
    `select filled_to[1]::int as at from sync.fills where filled_to is not null`,
  )
  return row?.at ?? 0
}

/*
 * A chunk's rows are those of the moment at which its reading began. What Postgres has read is held up on its way to us, while rows change, go, move to somebody
 * else, and change in nothing that devices have.
 */
test('what changes while its chunk is read is as the change left it', { timeout: 90_000 }, async () => {
  await using gate = await openGate()
  await using world = await openWorld({ schema: SCHEMA, through: (url) => gate.url(url) })
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  bob.connect()
  await world.run(`alter table public.docs enable row level security;
    create policy own on public.docs for select using (owner_id = (select auth.uid()))`)
  await until(async () => (await readTo(world)) > 0)
  gate.close()
  try {
    await until(() => Promise.resolve(gate.holds))
    const from = await readTo(world)
    expect(from).toBeLessThan(ROWS - 1_000)
    // Of the first rows of the chunk.
    await world.run(`update public.docs set title = 'changed' where id between ${from + 10} and ${from + 19};
      delete from public.docs where id between ${from + 20} and ${from + 29};
      update public.docs set owner_id = '${BOB}' where id between ${from + 30} and ${from + 39};
      update public.docs set id = id + 1000000 where id between ${from + 40} and ${from + 49};
      update public.docs set title = title where id between ${from + 50} and ${from + 59}`)
    await world.run(`insert into public.items (owner_id, title) values ('${BOB}', 'after')`)
    await bob.until(() => bob.ids('items').length === 1, 'the changes have passed')
    expect(await readTo(world)).toBe(from)
  } finally {
    gate.open()
  }

  await until(async () => (await world.rows(`select from sync.fills`)).length === 0)
  alice.connect()
  await alice.until(() => alice.completed.length > 0, 'the first checkpoint')
  const tables = ['items', 'docs']
  for (const [device, person] of [
    [alice, ALICE],
    [bob, BOB],
  ] as const) {
    const visible = await world.visible(person, tables)
    await device.until(() => [...device.state.keys()].filter((key) => !key.startsWith('list')).length === visible.size)
    expect([...visible].filter(([key, row]) => device.state.get(key) !== row)).toEqual([])
    expect(device.faults).toEqual([])
  }
  expect(bob.ids('docs')).toHaveLength(10)
})
