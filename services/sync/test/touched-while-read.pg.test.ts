import { expect, test } from 'vitest'
import { holdCopies } from './held-copies.ts'
import { ALICE, BOB, LISTS_SCHEMA, openWorld, type World } from './sync-world.ts'

const ROWS = 40_000

const SCHEMA = `${LISTS_SCHEMA}
  create table public.docs (id int primary key, owner_id uuid, title text, body text);
  insert into public.docs select n, '${ALICE}', 'as read', repeat('x', 60) from generate_series(1, ${ROWS}) n;
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
 * A chunk's rows are those of the moment at which its reading began. What Postgres has read is held up on its way to us, while rows change, go, move to a person
 * else, and change in nothing that devices have.
 */
test('what changes while its chunk is read is as the change left it', async () => {
  await using copies = await holdCopies('docs')
  await using world = await openWorld({ schema: SCHEMA, fillChunkRows: 4_000, through: (url) => copies.through(url) })
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  bob.connect()
  await world.run(`alter table public.docs enable row level security;
    create policy own on public.docs for select using (owner_id = (select auth.uid()))`)
  await until(async () => (await readTo(world)) > 0)
  copies.hold()
  try {
    await until(() => Promise.resolve(copies.hasHeld))
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
    copies.release()
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
