import { afterEach, beforeEach, expect, test } from 'vitest'
import type { StreamClient } from './stream-client.ts'
import { ALICE, BOB, openWorld, type Server, type World } from './sync-world.ts'

/*
 * Pins that a server which does not read the changes serves devices from the log of the one that does: rows, access, policies, write checkpoints and deleted
 * buckets are there as on the reader.
 */

const LIST = '11111111-0000-4000-8000-000000000000'

let world: World
let follower: Server

beforeEach(async () => {
  world = await openWorld()
  await world.run(`insert into items (owner_id, title) select '${ALICE}', 'own ' || i from generate_series(1, 5) i`)
  follower = await world.another()
})
afterEach(() => world[Symbol.asyncDispose]())

/** A device that comes back until it has what Postgres shows, as the public client does. */
async function expectEqual(device: StreamClient, user = ALICE): Promise<void> {
  const expected = JSON.stringify([...(await world.visible(user))].toSorted())
  await device.until(
    () => {
      if (!device.isOpen) device.connect()
      return JSON.stringify([...device.state].toSorted()) === expected
    },
    'the rows of Postgres',
    10_000,
  )
  expect(device.faults).toEqual([])
}

function deviceOf({ url }: Pick<Server, 'url'>, user = ALICE): StreamClient {
  const device = world.device(user, { url, clientId: 'phone' })
  device.connect()
  return device
}

test('serves the first download, and every later change', async () => {
  expect(follower.service.status()).toMatchObject({ ready: true, following: true, standby: false, problem: undefined })
  const device = deviceOf(follower)
  await expectEqual(device)
  for (let i = 0; i < 5; i++) {
    await world.run(`update items set n = n + 1`)
    await expectEqual(device)
  }
  await world.run(`delete from items where title = 'own 1'`)
  await expectEqual(device)
})

test('follows access: a membership brings rows and takes them away', async () => {
  await world.run(`insert into items (list_id, title) select '${LIST}', 'shared ' || i from generate_series(1, 3) i`)
  const device = deviceOf(follower, BOB)
  await expectEqual(device, BOB)
  for (let round = 0; round < 3; round++) {
    await world.run(`insert into list_members (list_id, user_id) values ('${LIST}', '${BOB}')`)
    await expectEqual(device, BOB)
    expect(device.state.size).toBe(4)
    await world.run(`update items set n = n + 1 where list_id is not null`)
    await expectEqual(device, BOB)
    await world.run(`delete from list_members`)
    await expectEqual(device, BOB)
    expect(device.state.size).toBe(0)
  }
})

test('follows policies, and new tables', async () => {
  const device = deviceOf(follower)
  await expectEqual(device)
  await world.run(`drop policy own on items`)
  await expectEqual(device)
  expect(device.state.size).toBe(0)
  await world.run(`create policy own on items for select using (owner_id = (select auth.uid()) and title <> 'own 2')`)
  await expectEqual(device)
  expect(device.state.size).toBe(4)
  await world.run(`alter table items add column note text default 'new'`)
  await world.run(`update items set n = 7 where title = 'own 3'`)
  await expectEqual(device)
})

test('sends the number of a write checkpoint that the reader was asked for', async () => {
  const device = deviceOf(follower)
  await expectEqual(device)
  for (const { url } of [follower, world]) {
    await world.run(`update items set n = n + 1`)
    const answer = await fetch(`${url}/write-checkpoint2.json?client_id=phone`, {
      headers: { authorization: `Bearer ${world.token(ALICE)}` },
    })
    const { data } = (await answer.json()) as { data: { write_checkpoint: string } }
    await device.until(
      () => device.completed.at(-1)?.writeCheckpoint === data.write_checkpoint,
      'the write checkpoint',
      5_000,
    )
    await expectEqual(device)
  }
})

test('goes on when the reader dies: it reads the changes itself, and its devices stay connected', async () => {
  const device = deviceOf(follower)
  await expectEqual(device)
  await world.stop()
  await world.run(`update items set n = n + 1`)
  await device.until(() => device.rows('items').every((row) => (row as { n: number }).n === 1), 'the change', 15_000)
  await expectEqual(device)
  expect(follower.service.status()).toMatchObject({ ready: true, following: false })
  expect(device.isOpen).toBe(true)
})

test('serves on when a gap in the notes, or a restart of Postgres, lost some', async () => {
  const device = deviceOf(follower)
  await expectEqual(device)
  await world.run(`update items set n = n + 1`)
  await world.run(`delete from sync.batch_notes`)
  await world.run(`update items set n = n + 1`)
  await expectEqual(device)
  await world.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'holdfast follower %'`,
  )
  await world.run(`update items set n = n + 1`)
  await expectEqual(device)
})

test('takes away what was revoked while notes were lost', async () => {
  await world.run(`insert into list_members (list_id, user_id) values ('${LIST}', '${BOB}')`)
  await world.run(`insert into items (list_id, title) select '${LIST}', 'shared ' || i from generate_series(1, 3) i`)
  const device = deviceOf(follower, BOB)
  await expectEqual(device, BOB)
  expect(device.state.size).toBe(4)
  await world.run(`create function sync.lose() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger lose before insert on sync.batch_notes for each row execute function sync.lose()`)
  const [before] = await world.rows<{ op: string }>('select last_op_id::text as op from sync.state')
  await world.run('delete from list_members')
  const hasPassed = async (): Promise<boolean> => {
    const [now] = await world.rows<{ op: string }>('select last_op_id::text as op from sync.state')
    return now?.op !== before?.op
  }
  await expect.poll(hasPassed).toBe(true)
  await world.run('drop trigger lose on sync.batch_notes')
  await expectEqual(device, BOB)
  expect(device.state.size).toBe(0)
})

test('ends streams whose empty buckets the reader deletes, and gives them their rows again', async () => {
  await world.run(`insert into list_members (list_id, user_id) values ('${LIST}', '${BOB}')`)
  await world.run(`insert into items (list_id, title) values ('${LIST}', 'shared')`)
  const device = deviceOf(follower, BOB)
  await expectEqual(device, BOB)
  await world.run(`delete from items where list_id is not null`)
  await expectEqual(device, BOB)
  for (let round = 0; round < 3; round++) await world.service.compact()
  expect(
    await world.rows(
      `select from sync.buckets b where not exists (select from sync.ops o where o.bucket_id = b.id and o.row_key is not null)`,
    ),
  ).toEqual([])
  await world.run(`insert into items (list_id, title) values ('${LIST}', 'again')`)
  await expectEqual(device, BOB)
})

test('an operator of another server ends the stream of a device, and makes it download again', async () => {
  const device = deviceOf(follower)
  await expectEqual(device)
  const { devices } = world.service
  await expect.poll(async () => (await devices.read(ALICE, 'phone'))?.device.isConnected).toBe(true)
  const received = device.received.length
  expect(await devices.resync(ALICE, 'phone')).toBe(true)
  await device.until(() => device.received.length >= received + 5, 'its rows again', 10_000)
  await expectEqual(device)
  expect(await devices.end(ALICE, 'phone')).toBe(true)
  await device.until(() => !device.isOpen, 'its end', 10_000)
  expect(device.lines.at(-1)).toEqual({ token_expires_in: 0 })
  expect(await devices.end(ALICE, 'unknown')).toBe(false)
})
