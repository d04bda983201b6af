import { expect, test } from 'vitest'
import type { StreamClient } from './stream-client.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

/*
 * Pins that Postgres reads a slot on without its publication and says nothing, so rows that are written meanwhile never come. However the
 * publication is lost, that is noticed and mended, what was missed is read again, and nothing says "ready" before it has been.
 */

const ROW = `insert into items (owner_id, title) values ('${ALICE}', 'missed')`

async function opened(world: World): Promise<StreamClient> {
  await world.run(`insert into items (owner_id, title) select '${ALICE}', 'own ' || i from generate_series(1, 5) i`)
  const device = world.device(ALICE, { format: 'bson' })
  device.connect()
  await device.until(() => device.ids('items').length === 5)
  return device
}

async function expectEqual(world: World, device: StreamClient): Promise<void> {
  const expected = JSON.stringify([...(await world.visible(ALICE))].toSorted())
  await device.until(() => JSON.stringify([...device.state].toSorted()) === expected, 'the rows of Postgres')
  expect(device.faults).toEqual([])
}

/** Without what tells of changes of the schema, as on a Postgres where the project's user is no superuser. */
const unannounced = (text: string): string =>
  `set session_replication_role = replica; ${text}; reset session_replication_role`

const losses: readonly (readonly [title: string, text: string])[] = [
  ['is dropped', `drop publication holdfast; ${ROW}`],
  [
    'is dropped and made again with other tables',
    `drop publication holdfast; create publication holdfast for table items; ${ROW}`,
  ],
  [
    'loses a table for a moment',
    `alter publication holdfast drop table items; ${ROW}; alter publication holdfast add table items`,
  ],
  ['is set to other tables', `alter publication holdfast set table list_members; ${ROW}`],
  [
    'tells only of deletions for a moment',
    `alter publication holdfast set (publish = 'delete'); ${ROW};
     alter publication holdfast set (publish = 'insert, update, delete, truncate')`,
  ],
  ['is renamed', `alter publication holdfast rename to other; ${ROW}`],
  ['is dropped where nothing announces it', unannounced(`drop publication holdfast; ${ROW}`)],
]

test.each(losses)('a publication that %s', async (_, text) => {
  await using world = await openWorld()
  const device = await opened(world)
  await world.db.pool.withClient(async (client) => {
    for (const statement of text.split(';')) await client.query(statement)
  })
  await expectEqual(world, device)
  await world.run(`update items set n = n + 1`)
  await expectEqual(world, device)
  await expect
    .poll(() => world.service.status(), { timeout: 60_000 })
    .toMatchObject({ ready: true, problem: undefined })
})

test('a publication that was dropped while the service was away', async () => {
  await using world = await openWorld()
  const device = await opened(world)
  await world.stop()
  await world.run(unannounced(`drop publication holdfast; ${ROW}`))
  await world.restart()
  device.connect()
  await expectEqual(world, device)
})

test('keys are evaluated again when memberships were missed', async () => {
  await using world = await openWorld()
  const list = '11111111-0000-4000-8000-000000000001'
  await world.run(`insert into items (owner_id, list_id, title) values ('${BOB}', '${list}', 'shared')`)
  const device = await opened(world)
  await world.run(`drop publication holdfast`)
  await world.run(`insert into list_members (list_id, user_id) values ('${list}', '${ALICE}')`)
  await expectEqual(world, device)
  expect(device.ids('items')).toHaveLength(6)
})

test('nothing says "ready" until what was missed has been read', async () => {
  await using world = await openWorld()
  const device = await opened(world)
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  // Reading a table waits for the transactions that were running when its publication was mended.
  const holding = world.db.pool.transaction(async (tx) => {
    await tx.client.query('update items set n = n + 1')
    locked.resolve()
    await held.promise
  })
  await locked.promise
  try {
    await world.run('drop publication holdfast')
    await expect
      .poll(() => world.service.status())
      .toMatchObject({
        ready: false,
        problem: expect.stringContaining('publication'),
      })
  } finally {
    // A transaction that stays open would hold up every slot of the cluster.
    held.resolve()
    await holding
  }
  await expectEqual(world, device)
  await expect
    .poll(() => world.service.status(), { timeout: 60_000 })
    .toMatchObject({ ready: true, problem: undefined })
})
