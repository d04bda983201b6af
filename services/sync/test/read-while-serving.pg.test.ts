import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { holdCopies, type HeldCopies } from './held-copies.ts'
import type { StreamClient } from './stream-client.ts'
import { ALICE, BOB, LISTS_SCHEMA, openWorld, type World } from './sync-world.ts'

/*
 * Changes of the schema that need buckets of a large table, while a device is connected: everything else goes on, nothing is seen that is not allowed
 * any more, and in the end the device has what Postgres shows.
 */

const ROWS = 20_000
/** So few that the table is read in as many steps as one of a million rows. */
const CHUNK_ROWS = 300
/** Of every so many rows one is Alice's. */
const SHARE = 100
const WAIT_MS = 180_000

const SCHEMA = `${LISTS_SCHEMA}
  create table public.big (id int primary key, owner_id uuid, n int not null, note text not null)
    with (fillfactor = 10); -- large by its bytes, which say how long checkpoints wait for it
  alter table public.big enable row level security;
  create policy own on public.big for select using (owner_id = (select auth.uid()));
  insert into public.big
    select i, case when i % ${SHARE} = 0 then '${ALICE}'::uuid else '${BOB}'::uuid end, i, repeat('note ', 10) from generate_series(1, ${ROWS}) i;
  insert into public.items (owner_id, title) values ('${ALICE}', 'first');
  analyze public.big;
`

let world: World
let copies: HeldCopies

beforeEach(async () => {
  copies = await holdCopies('big')
  world = await openWorld({ schema: SCHEMA, fillChunkRows: CHUNK_ROWS, through: (url) => copies.through(url) })
})

afterEach(async () => {
  await world?.[Symbol.asyncDispose]()
  await copies[Symbol.asyncDispose]()
})

async function connected(): Promise<StreamClient> {
  const device = world.device(ALICE, { format: 'bson' })
  device.connect()
  await device.until(() => device.ids('big').length === ROWS / SHARE, 'the first rows', WAIT_MS)
  return device
}

async function expectEqual(device: StreamClient): Promise<void> {
  const shown = JSON.stringify([...(await world.visible(ALICE, ['items', 'big']))].toSorted())
  await device.until(() => JSON.stringify([...device.state].toSorted()) === shown, 'the rows of Postgres', WAIT_MS)
  expect(device.faults).toEqual([])
}

/** After a change of the schema that needs all rows: some are in the log, and no more come until `copies.release()`. */
async function untilHeldInTheMiddle(): Promise<void> {
  await expect.poll(() => copies.hasHeld, { interval: 5, timeout: WAIT_MS }).toBe(true)
  copies.releaseNext()
  const begun = (): Promise<readonly object[]> => world.rows(`select from sync.fills where filled_to is not null`)
  await expect.poll(begun, { interval: 5, timeout: WAIT_MS }).not.toEqual([])
}

const unfilled = async (): Promise<number> => (await world.rows(`select from sync.fills`)).length

describe('while a large table is read', () => {
  test('a narrowed policy takes rows at the next checkpoint, and other tables go on', async () => {
    const device = await connected()
    const before = device.completed.length
    copies.hold()
    await world.run(`alter policy own on big using (owner_id = (select auth.uid()) and n % 200 <> 0);
      update big set note = 'hidden' where n % 200 = 0; insert into items (owner_id, title) values ('${ALICE}', 'with the change')`)
    for (let i = 0; i < 5; i++) {
      await world.run(
        `insert into items (owner_id, title) values ('${ALICE}', 'after ${i}'); update big set note = 'hidden ${i}' where id between 1000 * ${i} and 1000 * ${i} + 900 and n % 200 = 0`,
      )
      await device.until(() => JSON.stringify(device.rows('items')).includes(`after ${i}`), 'other rows', WAIT_MS)
    }
    expect(await unfilled(), 'is it still being read?').toBeGreaterThan(0)
    copies.release()
    await expectEqual(device)
    expect(device.ids('big')).toHaveLength(ROWS / SHARE / 2)
    expect(device.received.join()).not.toContain('hidden')
    for (const { state } of device.completed.slice(before)) {
      const some = [...state.values()]
        .filter((json) => json.includes('"note"'))
        .map((json) => JSON.parse(json) as { n: number })
      // A state before the change has all rows; a state after it has none of those that the policy has taken away.
      expect(
        JSON.stringify([...state]).includes('with the change') ? some.filter(({ n }) => n % 200 === 0) : [],
      ).toEqual([])
    }
  })

  test('a widened policy brings rows later, and what there was stays at every checkpoint', async () => {
    const device = await connected()
    const before = device.completed.length
    await world.run(`create policy every_thousandth on big for select using (n % 1000 = 1)`)
    for (let i = 0; i < 3; i++) {
      await world.run(
        `insert into items (owner_id, title) values ('${ALICE}', 'after ${i}'); update big set note = 'changed ${i}' where id in (100, 1001, 15001)`,
      )
      await device.until(() => JSON.stringify(device.rows('items')).includes(`after ${i}`), 'other rows', WAIT_MS)
    }
    await expectEqual(device)
    expect(device.ids('big')).toHaveLength(ROWS / SHARE + ROWS / 1000)
    for (const { state } of device.completed.slice(before)) {
      expect([...state.keys()].filter((key) => key.startsWith('big/')).length).toBeGreaterThanOrEqual(ROWS / SHARE)
    }
  })

  test('an added column comes with its rows, which stay on the device until then', async () => {
    const device = await connected()
    const before = device.completed.length
    await world.run(`alter table big add column extra text not null default 'x'`)
    await world.run(
      `update big set extra = 'y', note = 'changed' where id = 100; insert into items (owner_id, title) values ('${ALICE}', 'after')`,
    )
    await device.until(() => JSON.stringify(device.rows('items')).includes('after'), 'other rows', WAIT_MS)
    await expectEqual(device)
    expect(device.rows('big')).toContainEqual(expect.objectContaining({ extra: 'y' }))
    for (const { state } of device.completed.slice(before))
      expect([...state.keys()].filter((key) => key.startsWith('big/'))).toHaveLength(ROWS / SHARE)
  })

  test('rows stay on a device when the server ends in the middle and comes back, again and again', async () => {
    const device = await connected()
    const before = device.completed.length
    copies.hold()
    await world.run(`alter table big add column extra text not null default 'x'`)
    await world.run(`alter table big add column more text not null default 'z'`)
    await untilHeldInTheMiddle()
    for (const round of [1, 2]) {
      await world.run(`update big set extra = 'y${round}' where id = 100;
        insert into items (owner_id, title) values ('${ALICE}', 'after ${round}')`)
      await device.until(() => JSON.stringify(device.rows('items')).includes(`after ${round}`), 'other rows', WAIT_MS)
      await world.restart()
      expect(await unfilled(), 'is it still being read?').toBeGreaterThan(0)
      device.connect()
    }
    copies.release()
    await expectEqual(device)
    expect(device.rows('big')).toContainEqual(expect.objectContaining({ extra: 'y2', more: 'z' }))
    for (const { state } of device.completed.slice(before))
      expect([...state.keys()].filter((key) => key.startsWith('big/'))).toHaveLength(ROWS / SHARE)
    await expect
      .poll(async () => world.rows(`select id from sync.definitions where id like 'big.%' and not dropped`))
      .toHaveLength(1)
  })

  test('what a policy hides stays hidden when the server ends in the middle', async () => {
    const device = await connected()
    copies.hold()
    await world.run(`alter policy own on big using (owner_id = (select auth.uid()) and n % 200 <> 0);
      update big set note = 'hidden' where n % 200 = 0; alter table big add column extra text not null default 'x'`)
    await untilHeldInTheMiddle()
    await world.restart()
    expect(await unfilled(), 'is it still being read?').toBeGreaterThan(0)
    copies.release()
    const another = world.device(ALICE)
    another.connect()
    device.connect()
    await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'after')`)
    await device.until(() => JSON.stringify(device.rows('items')).includes('after'), 'other rows', WAIT_MS)
    await expectEqual(device)
    await expectEqual(another)
    for (const { received } of [device, another]) expect(received.filter((row) => row.includes('hidden'))).toEqual([])
    expect(another.received.filter((row) => /^big\/\d*[02468]00 /.test(row))).toEqual([])
  })

  test('a dropped column leaves at the next checkpoint', async () => {
    const device = await connected()
    const before = device.completed.length
    await world.run(
      `alter table big drop column note; insert into items (owner_id, title) values ('${ALICE}', 'after')`,
    )
    await device.until(() => JSON.stringify(device.rows('items')).includes('after'), 'other rows', WAIT_MS)
    for (const { state } of device.completed.slice(before)) {
      if (JSON.stringify([...state]).includes('after')) expect(JSON.stringify([...state])).not.toContain('"note"')
    }
    await expectEqual(device)
  })

  test('changes of all kinds in the meantime are not lost, also when the service is stopped in the middle', async () => {
    const device = await connected()
    await world.run(`create policy by_n on big for select using (n % 50 = 7)`)
    const stopping = new AbortController()
    let rounds = 0
    const writing = (async () => {
      for (let i = 0; !stopping.signal.aborted; i++) {
        const at = (i * 7919) % ROWS
        // Rows of every chunk, over and over, so that some change between the reading of a chunk and its place in the stream.
        await world.run(
          `update big set note = 'round ${i}' where id in (select 100 * j + ${i % 5} from generate_series(1, ${ROWS / 100}) j)`,
        )
        await world.run(`update big set n = n + 1 where id between ${at} and ${at + 40};
          delete from big where id between ${at + 50} and ${at + 60};
          update big set id = id + 1000000 where id between ${at + 70} and ${at + 72};
          insert into big select i, '${ALICE}', i, 'new' from generate_series(${3_000_000 + i * 3}, ${3_000_002 + i * 3}) i`)
        rounds++
      }
    })()
    const writtenMore = async (): Promise<void> => {
      const before = rounds
      await expect.poll(() => rounds, { timeout: WAIT_MS }).toBeGreaterThanOrEqual(before + 5)
    }
    for (let restart = 0; restart < 2; restart++) {
      await writtenMore()
      await world.restart()
      device.connect()
    }
    await writtenMore()
    stopping.abort()
    await writing
    await expectEqual(device)
    expect(await unfilled()).toBe(0)
    const wrong = await world.rows(`
      select b.name from sync.buckets b join sync.definitions d on d.number = b.definition
        left join (select bucket_id, sum(checksum::bigint)::bigint & 4294967295 as checksum from sync.ops group by 1) o on o.bucket_id = b.id
       where coalesce(o.checksum, 0) <> b.checksum`)
    expect(wrong).toEqual([])
  })

  test('a table that is emptied or dropped in the middle is empty or gone', async () => {
    const device = await connected()
    await world.run(`create policy by_n on big for select using (n % 50 = 7)`)
    await expect.poll(unfilled, { interval: 5, timeout: WAIT_MS }).toBeGreaterThan(0)
    await world.run(`truncate big; insert into big values (1, '${ALICE}', 7, 'the only one')`)
    await expectEqual(device)
    await world.run(`insert into big select i, '${ALICE}', i, 'again' from generate_series(2, 3000) i`)
    await world.run(`create policy by_other_n on big for select using (n % 50 = 8)`)
    await world.run(`drop table big`)
    await device.until(() => device.ids('big').length === 0)
    await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'after')`)
    await device.until(() => JSON.stringify(device.rows('items')).includes('after'))
    expect(await unfilled()).toBe(0)
  })
})
