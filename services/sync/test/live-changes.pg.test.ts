import { runsOf } from '@holdfast/test-support'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import type { StreamClient } from './stream-client.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

/*
 * Pins that whatever happens to rows and memberships, a device that completes a checkpoint holds exactly what its person may select, its
 * sums agree, and nothing was on the wire that the person could not see at some moment.
 */

const LIST = '11111111-0000-4000-8000-000000000001'
const OTHER = '22222222-0000-4000-8000-000000000002'

let world: World

beforeEach(async () => {
  world = await openWorld()
})

afterEach(async () => {
  await world[Symbol.asyncDispose]()
})

async function opened(device: StreamClient): Promise<StreamClient> {
  device.connect()
  await device.next()
  return device
}

/** Waits until the device shows what the person may select, and checks that nothing was wrong on the way. */
async function expectEqual(device: StreamClient, userId: string): Promise<void> {
  const expected = [...(await world.visible(userId))].toSorted()
  const now = (): string => JSON.stringify([...device.state].toSorted())
  await device
    .until(() => now() === JSON.stringify(expected), 'the rows of Postgres')
    .catch((error: unknown) => {
      expect([...device.state].toSorted()).toEqual(expected)
      throw error
    })
  expect(device.faults).toEqual([])
}

describe.each(['bson', 'ndjson'] as const)('as %s', (format) => {
  test('a device gets existing rows, then inserts, updates and deletes as they commit', async () => {
    await world.run(
      `insert into items (owner_id, title) values ('${ALICE}', 'a "quoted" ü 𝄞 \\ line' || chr(10)), ('${BOB}', 'b')`,
    )
    const alice = await opened(world.device(ALICE, { format }))
    await expectEqual(alice, ALICE)
    await world.run(`insert into items (owner_id, title, n) values ('${ALICE}', 'new', 5)`)
    await expectEqual(alice, ALICE)
    await world.run(`update items set n = n + 1`)
    await expectEqual(alice, ALICE)
    await world.run(`update items set n = n + 1; update items set n = n + 1`)
    await expectEqual(alice, ALICE)
    await world.run(`delete from items where title = 'new'`)
    await expectEqual(alice, ALICE)
    expect(alice.received.join()).not.toContain('"b"')
  })
})

test('a device with nothing gets an empty checkpoint, and the first row when it comes', async () => {
  const alice = await opened(world.device(ALICE))
  expect(alice.state.size).toBe(0)
  await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'first')`)
  await expectEqual(alice, ALICE)
  expect(alice.ids('items')).toHaveLength(1)
})

test('a row moves between the buckets of two people', async () => {
  await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'moving')`)
  const alice = await opened(world.device(ALICE))
  const bob = await opened(world.device(BOB))
  await world.run(`update items set owner_id = '${BOB}', title = 'moved'`)
  await expectEqual(bob, BOB)
  await expectEqual(alice, ALICE)
  expect(alice.received.join()).not.toContain('moved')
  await world.run(`update items set owner_id = '${ALICE}'`)
  await expectEqual(alice, ALICE)
  await expectEqual(bob, BOB)
  await world.run(`update items set owner_id = null`)
  await expectEqual(alice, ALICE)
})

test('a bucket whose first row comes and goes at once is there for the next one', async () => {
  const alice = await opened(world.device(ALICE))
  await world.run(
    `insert into items (owner_id) values ('${ALICE}'); insert into items (owner_id) values ('${BOB}'); delete from items where owner_id = '${ALICE}'`,
  )
  await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'stays')`)
  await expectEqual(alice, ALICE)
  await expectEqual(await opened(world.device(ALICE)), ALICE)
})

test('a row in two buckets stays while one of them has it', async () => {
  await world.run(`insert into list_members (list_id, user_id) values ('${LIST}', '${ALICE}');
    insert into items (owner_id, list_id, title) values ('${ALICE}', '${LIST}', 'both')`)
  const alice = await opened(world.device(ALICE))
  await expectEqual(alice, ALICE)
  for (const change of [
    `update items set n = 1`,
    `update items set owner_id = null`,
    `update items set n = 2`,
    `update items set owner_id = '${ALICE}', list_id = null`,
    `update items set list_id = '${LIST}', n = 3`,
    `delete from items`,
  ]) {
    await world.run(change)
    await expectEqual(alice, ALICE)
  }
})

describe('a membership', () => {
  test('that is gained brings the rows as they are and none as they were', async () => {
    const id = randomUUID()
    await world.run(
      `insert into items (id, list_id, title) values ('${id}', '${LIST}', 'secret 0'), ('${randomUUID()}', '${LIST}', 'deleted before')`,
    )
    for (let version = 1; version < 6; version++)
      await world.run(`update items set title = 'secret ${version}' where id = '${id}'`)
    await world.run(
      `delete from items where title = 'deleted before'; insert into items (id, list_id, title) values ('${randomUUID()}', '${LIST}', 'moved away')`,
    )
    await world.run(`update items set list_id = null where title = 'moved away'`)
    const alice = await opened(world.device(ALICE))
    await world.run(`insert into list_members (list_id, user_id) values ('${LIST}', '${ALICE}')`)
    await expectEqual(alice, ALICE)
    expect(alice.received.filter((line) => line.startsWith('items/'))).toEqual([expect.stringContaining('secret 5')])
    const ids = alice.lines.flatMap((line) => line.data?.data ?? []).map((op) => op.object_id)
    expect(new Set(ids.filter((one) => one !== undefined)).size).toBe(2) // the row and the membership

    // A device that connects later, and reads from the log, gets the same.
    const later = await opened(world.device(ALICE, { format: 'bson' }))
    await expectEqual(later, ALICE)
    expect(later.received.filter((line) => line.startsWith('items/'))).toHaveLength(1)
  })

  test('that is lost takes the rows, and later changes stay unseen', async () => {
    await world.run(`insert into list_members (list_id, user_id) values ('${LIST}', '${ALICE}');
      insert into items (list_id, title) values ('${LIST}', 'shared')`)
    const alice = await opened(world.device(ALICE))
    expect(alice.ids('items')).toHaveLength(1)
    await world.run(`delete from list_members`)
    await expectEqual(alice, ALICE)
    await world.run(`update items set title = 'not for her'`)
    await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'hers')`)
    await expectEqual(alice, ALICE)
    expect(alice.received.join()).not.toContain('not for her')
  })

  test('that is lost and gained over and over never breaks the sums', async () => {
    await world.run(`insert into items (list_id, title) select '${LIST}', 'item ' || i from generate_series(1, 50) i`)
    const alice = await opened(world.device(ALICE))
    for (let round = 0; round < 15; round++) {
      await world.run(`insert into list_members (list_id, user_id) values ('${LIST}', '${ALICE}')`)
      await world.run(`update items set n = n + 1 where title like 'item 1%'`)
      if (round % 3 === 0) await alice.next()
      await world.run(`delete from list_members`)
      await world.run(`update items set n = n + 1 where title like 'item 2%'`)
    }
    await world.run(`insert into list_members (list_id, user_id) values ('${LIST}', '${ALICE}')`)
    await expectEqual(alice, ALICE)
  })

  test('and rows that change in one transaction are seen together', async () => {
    await world.run(`insert into items (list_id, title) values ('${LIST}', 'before')`)
    const alice = await opened(world.device(ALICE))
    await world.run(
      `insert into list_members (list_id, user_id) values ('${LIST}', '${ALICE}'); update items set title = 'after'`,
    )
    await expectEqual(alice, ALICE)
    await world.run(`delete from list_members; update items set title = 'hidden'`)
    await expectEqual(alice, ALICE)
    expect(
      alice.completed.map((one) => [...one.state.keys()].filter((key) => key.startsWith('items/')).length),
    ).toEqual(
      alice.completed.map((one) => [...one.state.keys()].filter((key) => key.startsWith('list_members/')).length),
    )
    expect(alice.received.join()).not.toMatch(/before|hidden/)
  })
})

test('amounts moved between rows of two buckets are whole at every checkpoint', async () => {
  await world.run(`insert into list_members (list_id, user_id) values ('${LIST}', '${ALICE}'), ('${OTHER}', '${ALICE}');
    insert into items (list_id, title, n) values ('${LIST}', 'one', 500), ('${OTHER}', 'two', 500)`)
  const alice = await opened(world.device(ALICE))
  const devices = [alice, await opened(world.device(ALICE, { format: 'bson' }))]
  for (let round = 0; round < runsOf(60); round++) {
    const amount = (round * 7) % 13
    await world.run(
      `update items set n = n - ${amount} where title = 'one'; update items set n = n + ${amount} where title = 'two'`,
    )
  }
  for (const device of devices) {
    await expectEqual(device, ALICE)
    for (const { state } of device.completed) {
      const amounts = [...state]
        .filter(([key]) => key.startsWith('items/'))
        .map(([, json]) => (JSON.parse(json) as { n: number }).n)
      expect(amounts.reduce((sum, n) => sum + n, 0)).toBe(1000)
    }
  }
})

test('TRUNCATE empties devices, of rows and of what memberships gave', async () => {
  await world.run(`insert into list_members (list_id, user_id) values ('${LIST}', '${ALICE}');
    insert into items (owner_id, list_id, title) select '${ALICE}', '${LIST}', 'row ' || i from generate_series(1, 20) i`)
  const alice = await opened(world.device(ALICE))
  await world.run(
    `insert into items (owner_id) values ('${ALICE}'); truncate items; insert into items (owner_id, title) values ('${ALICE}', 'after')`,
  )
  await expectEqual(alice, ALICE)
  expect(alice.ids('items')).toHaveLength(1)
  await world.run(`truncate items`)
  await expectEqual(alice, ALICE)
  await world.run(`insert into items (list_id) values ('${LIST}')`)
  await expectEqual(alice, ALICE)
  await world.run(`truncate list_members`)
  await expectEqual(alice, ALICE)
  expect(alice.state.size).toBe(0)
  await expectEqual(await opened(world.device(ALICE)), ALICE)
})

test('a changed primary key is another row', async () => {
  await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'x')`)
  const alice = await opened(world.device(ALICE))
  const [before] = alice.ids('items')
  await world.run(`update items set id = '${randomUUID()}'`)
  await expectEqual(alice, ALICE)
  expect(alice.ids('items')).not.toContain(before)
  await world.run(`update items set id = '${before}', n = 7`)
  await expectEqual(alice, ALICE)
})

test('a large value that an update leaves alone is still there', async () => {
  await world.run(`alter table items alter title set storage external;
    insert into items (owner_id, title) values ('${ALICE}', repeat('lärge ', 20000))`)
  const alice = await opened(world.device(ALICE))
  await world.run(`update items set n = 9`)
  await expectEqual(alice, ALICE)
  expect(alice.rows('items')).toMatchObject([{ n: 9, title: 'lärge '.repeat(20000) }])
})

test('an update that changes nothing is no news', async () => {
  await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'x')`)
  const alice = await opened(world.device(ALICE))
  await world.run(`update items set title = title`)
  await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'y')`)
  await expectEqual(alice, ALICE)
  expect(alice.received.filter((line) => line.includes('"x"'))).toHaveLength(1)
})

test('a transaction of 50,000 rows arrives whole, between two small ones', async () => {
  const alice = await opened(world.device(ALICE, { format: 'bson' }))
  await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'small')`)
  await world.run(`insert into items (owner_id, title) select '${ALICE}', 'big ' || i from generate_series(1, 50000) i;
    update items set n = 1 where title like 'big 1%'; delete from items where title like 'big 2%'`)
  await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'last')`)
  const [count] = await world.rows<{ n: number }>(`select count(*)::int as n from items`)
  await alice.until(() => alice.ids('items').length === count?.n, 'all rows')
  await expectEqual(alice, ALICE)
  const sizes = new Set(alice.completed.map((one) => one.state.size))
  for (const size of sizes) expect([0, 1, (count?.n ?? 0) - 1, count?.n]).toContain(size)
})
