import { expect, test } from 'vitest'
import { delay } from '@holdfast/foundation'
import { createPool } from '@holdfast/postgres'
import { ALICE, BOB, LISTS_SCHEMA, openWorld, type World } from './sync-world.test-support.ts'

const ROWS = 100_000
const RETRIES = process.env['HOLDFAST_NIGHT'] === undefined ? 1 : 0
/** Every so many rows there is one whose text lies elsewhere, so that reading it can be held up. */
const LONG = 5_000

const SCHEMA = `${LISTS_SCHEMA}
  create table public.docs (id int primary key, owner_id uuid, title text, body text);
  alter table public.docs alter column body set storage external;
  insert into public.docs
    select n, '${ALICE}', 'as read', case when n % ${LONG} = 0 then repeat('x', 4000) end from generate_series(1, ${ROWS}) n;
`

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
 * A chunk's rows are those of the moment at which its reading began. The reading is held up in the middle, by a lock on what it needs for a long text,
 * while rows that it has already seen change, go, move to somebody else, and change in nothing that devices have.
 */
// Beside other tests Bob's checkpoint sometimes does not come while the chunk is held up; alone it does. Why is not known yet, so an ordinary run tries once more, and a night does not.
test('what changes while its chunk is read is as the change left it', { timeout: 90_000, retry: RETRIES }, async () => {
  await using world = await openWorld({ schema: SCHEMA })
  await using other = createPool({ url: world.db.url, applicationName: 'test lock', connectionsMax: 1 })
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  bob.connect()
  await world.run(`alter table public.docs enable row level security;
    create policy own on public.docs for select using (owner_id = (select auth.uid()))`)
  await until(async () => (await readTo(world)) > 0)

  const [toast] = await world.rows<{ index: string; oid: number }>(`
    select i.indexrelid::regclass::text as index, i.indexrelid::int as oid
      from pg_class c join pg_index i on i.indrelid = c.reltoastrelid where c.oid = 'public.docs'::regclass`)
  const release = Promise.withResolvers<void>()
  const held = other.transaction(async (tx) => {
    await tx.client.query(`reindex index ${toast?.index}`)
    await release.promise
  })
  try {
    await until(async () => {
      const waiting = await world.rows(`select from pg_locks where relation = ${toast?.oid} and not granted`)
      return waiting.length > 0
    })
    const from = await readTo(world)
    expect(from).toBeLessThan(ROWS - 2 * LONG)
    // Of the first rows of the chunk, which were read before the first long one.
    await world.run(`update public.docs set title = 'changed' where id between ${from + 10} and ${from + 19};
      delete from public.docs where id between ${from + 20} and ${from + 29};
      update public.docs set owner_id = '${BOB}' where id between ${from + 30} and ${from + 39};
      update public.docs set id = id + 1000000 where id between ${from + 40} and ${from + 49};
      update public.docs set title = title where id between ${from + 50} and ${from + 59}`)
    await world.run(`insert into public.items (owner_id, title) values ('${BOB}', 'after')`)
    await bob.until(() => bob.ids('items').length === 1, 'the changes have passed')
    await delay(20)
    expect(await readTo(world)).toBe(from)
  } finally {
    release.resolve()
    await held
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
