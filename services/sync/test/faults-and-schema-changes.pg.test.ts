import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isConnectionLoss } from '@holdfast/postgres'
import type { StreamClient } from './stream-client.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

/*
 * Pins that nothing is lost or doubled when the service, its slot or its connections die; and when tables, policies or grants change,
 * devices follow at a checkpoint, and no checkpoint on the way shows more than the rules allow at that moment.
 */

const LIST = '11111111-0000-4000-8000-000000000001'

let world: World

beforeEach(async () => {
  world = await openWorld()
  await world.run(`insert into list_members (list_id, user_id) values ('${LIST}', '${ALICE}');
    insert into items (owner_id, title) select '${ALICE}', 'own ' || i from generate_series(1, 20) i;
    insert into items (owner_id, list_id, title) select '${BOB}', '${LIST}', 'shared ' || i from generate_series(1, 20) i`)
})

afterEach(async () => {
  await world[Symbol.asyncDispose]()
})

async function opened(userId = ALICE): Promise<StreamClient> {
  const device = world.device(userId, { format: 'bson' })
  device.connect()
  await device.next()
  return device
}

async function expectEqual(device: StreamClient, userId = ALICE, tables?: readonly string[]): Promise<void> {
  // A test that ends connections ends those of this look as well.
  const shown = await world.visible(userId, tables).catch((error: unknown) => {
    if (!isConnectionLoss(error)) throw error
    return world.visible(userId, tables)
  })
  const expected = JSON.stringify([...shown].toSorted())
  await device
    .until(() => JSON.stringify([...device.state].toSorted()) === expected, 'the rows of Postgres', 15_000)
    .catch((error: unknown) => {
      expect([...device.state].toSorted()).toEqual(JSON.parse(expected))
      throw error
    })
  expect(device.faults).toEqual([])
}

async function bucketNames(): Promise<string[]> {
  return (await world.rows<{ name: string }>(`select name from sync.buckets order by name`)).map((row) => row.name)
}

/** The log itself: sums and counts agree with the operations, and each row has at most one newest version. */
async function expectSoundLog(): Promise<void> {
  const wrong = await world.rows(`
    select b.name, b.checksum, b.count, o.checksum as sum, o.count as ops
      from sync.buckets b
      left join (select bucket_id, sum(checksum::bigint)::bigint & 4294967295 as checksum, count(*) as count, max(op_id) as last from sync.ops group by 1) o
        on o.bucket_id = b.id
     where coalesce(o.checksum, 0) <> b.checksum or coalesce(o.count, 0) <> b.count or o.last <> b.last_op_id`)
  expect(wrong).toEqual([])
}

describe('the service', () => {
  test('goes on where it was when it is opened again, with the same buckets', async () => {
    const device = await opened()
    const names = await bucketNames()
    for (let round = 0; round < 3; round++) {
      await world.stop()
      await world.run(
        `update items set n = n + 1 where title like '%1'; insert into items (owner_id, title) values ('${ALICE}', 'while away')`,
      )
      await world.restart()
      device.connect()
      await expectEqual(device)
    }
    expect(await bucketNames()).toEqual(names)
    await expectSoundLog()
    const [{ ops } = { ops: 0 }] = await world.rows<{ ops: number }>(`select count(*)::int as ops from sync.ops`)
    // One membership, twenty rows in one bucket each and twenty in two each; in each of three rounds two of either kind change, and one row is added.
    expect(ops).toBe(1 + 20 + 2 * 20 + 3 * (2 + 2 * 2 + 1))
  })

  test('that is stopped in the middle of writing loses and doubles nothing', async () => {
    const device = await opened()
    const stopping = new AbortController()
    let written = 0
    const writer = (async () => {
      for (; !stopping.signal.aborted; written++) {
        await world.run(
          `update items set n = ${written} where title like 'own 1%'; insert into items (owner_id, title) values ('${ALICE}', 'w ${written}')`,
        )
      }
    })()
    for (let round = 0; round < 4; round++) {
      const before = written
      await expect.poll(() => written).toBeGreaterThanOrEqual(before + 10)
      await world.restart()
      device.connect()
    }
    stopping.abort()
    await writer
    await expectEqual(device)
    await expectSoundLog()
  })

  test('heals when its slot is dropped behind its back', async () => {
    const device = await opened()
    const bob = await opened(BOB)
    const names = await bucketNames()
    const [slot] = await world.rows<{ slot_name: string; active_pid: number }>(
      `select slot_name, active_pid from pg_replication_slots where database = current_database()`,
    )
    for (let attempt = 0; attempt < 50; attempt++) {
      try {
        await world.run(`select pg_terminate_backend(active_pid, 1000) from pg_replication_slots where slot_name = '${slot?.slot_name}' and active;
          select pg_drop_replication_slot('${slot?.slot_name}')`)
        break
      } catch {
        // The reader was faster and has it again.
      }
    }
    await world.run(`update items set n = n + 1; delete from items where title like '%2'`)
    await expectEqual(device)
    await expectEqual(bob, BOB)
    expect(device.isOpen && bob.isOpen).toBe(true)
    expect(await bucketNames()).not.toEqual(names)
    await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'after')`)
    await expectEqual(device)
    await expectSoundLog()
  })

  test('reads a table again, and no other, when its rows are changed while it does not log whole old rows', async () => {
    const device = await opened()
    await world.run(`
      create table readings (id int, owner_id uuid, primary key (id)) partition by range (id);
      create table readings_1 partition of readings for values from (0) to (100);
      alter table readings enable row level security;
      create policy own on readings for select using (owner_id = (select auth.uid()));
      insert into readings select i, '${ALICE}' from generate_series(1, 9) i`)
    await expectEqual(device, ALICE, ['items', 'list_members', 'readings'])
    const definitions = (): Promise<object[]> =>
      world.rows(
        `select id, tag, number from sync.definitions where not dropped and id not like 'items%' order by number`,
      )
    const before = await definitions()
    expect(before.length).toBeGreaterThanOrEqual(2)
    // In one transaction, so that nothing can set the identity right in between.
    await world.run(
      `alter table items replica identity default; update items set n = n + 1; delete from items where title like '%2'`,
    )
    const tables = ['items', 'list_members', 'readings']
    await expectEqual(device, ALICE, tables)
    await world.run(`update items set n = n + 1`)
    await expectEqual(device, ALICE, tables)
    expect(device.isOpen).toBe(true)
    expect(await definitions()).toEqual(before)
    // A partition's identity counts, and its table is read again.
    await world.run(`alter table readings_1 replica identity default; delete from readings where id > 5`)
    await expectEqual(device, ALICE, tables)
    await world.run(`update readings set owner_id = '${BOB}' where id > 3`)
    await expectEqual(device, ALICE, tables)
    // A table that says who sees the rows of others.
    await world.run(`alter table list_members replica identity default; delete from list_members`)
    await expectEqual(device, ALICE, tables)
    expect(
      await world.rows(
        `select from pg_class where relname in ('items', 'readings', 'readings_1', 'list_members') and relreplident <> 'f'`,
      ),
    ).toEqual([])
    await expectSoundLog()
  })

  test('goes on without ending streams when Postgres ends all its connections', async () => {
    const device = await opened()
    const bob = await opened(BOB)
    for (let round = 0; round < 3; round++) {
      await world.run(`update items set n = n + 1`)
      await world.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
      await world
        .run(`update items set n = n + 1; insert into items (owner_id, title) values ('${BOB}', 'round ${round}')`)
        .catch(() =>
          world.run(
            `update items set n = n + 1; insert into items (owner_id, title) values ('${BOB}', 'round ${round}')`,
          ),
        )
      await expectEqual(device)
      await expectEqual(bob, BOB)
    }
    expect(device.isOpen && bob.isOpen).toBe(true)
    await expectSoundLog()
  })

  test('keeps a large download alive across ended connections', async () => {
    await world.run(
      `insert into items (owner_id, title) select '${ALICE}', repeat(md5(i::text), 60) from generate_series(1, 8000) i`,
    )
    const device = world.device(ALICE, { format: 'bson' })
    device.connect()
    await device.until(() => device.received.length > 500, 'some rows')
    device.pause()
    const ended = await world.rows<{ pid: number }>(
      `select pid, pg_terminate_backend(pid) from pg_stat_activity where application_name = 'holdfast log reader' and datname = current_database()`,
    )
    const pids = ended.map(({ pid }) => pid).join()
    await expect.poll(() => world.rows(`select from pg_stat_activity where pid = any ('{${pids}}')`)).toEqual([])
    device.resume()
    await expectEqual(device)
    expect(device.isOpen).toBe(true)
    expect(device.received.length).toBe(8041)
  })

  test('is not held up by a row that makes a policy fail', async () => {
    await world.run(`create table public.odd (id int primary key, v text); alter table odd enable row level security;
      create policy p on odd for select using (v::int > 3)`)
    const device = await opened()
    await world.run(`insert into odd values (1, '5'), (2, 'no number'), (3, '2')`)
    await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'after the odd one')`)
    await device.until(() =>
      device.rows('items').some((row) => (row as { title: string }).title === 'after the odd one'),
    )
    // A new table may be read after changes of the others.
    await device.until(() => device.ids('odd').length > 0)
    expect(device.ids('odd')).toEqual(['1'])
    await world.run(`update odd set v = '7' where id = 2`)
    await device.until(() => device.ids('odd').length === 2)
    expect(device.faults).toEqual([])
  })
})

describe('odd ids and keys', () => {
  test('texts that look like the bytes of a uuid, and very long ones, are rows of their own', async () => {
    await world.run(`create table public.words (id text primary key, owner text); alter table words enable row level security;
      create policy p on words for select using (owner = (select auth.uid())::text)`)
    const device = await opened()
    await world.run(`insert into words values ('abcdefghijklmnop', '${ALICE}'), ('61626364-6566-6768-696a-6b6c6d6e6f70', '${ALICE}'),
      (repeat('é"', 1200), '${ALICE}'), (repeat('é"', 1200) || 'x', '${ALICE}'), ('', '${ALICE}'), ('noch eine', (select string_agg(md5(i::text), '') from generate_series(1, 400) i))`)
    await expectEqual(device, ALICE, ['words', 'items', 'list_members'])
    await world.run(`update words set owner = owner || ' ' where id <> ''; delete from words where id = 'noch eine'`)
    await expectEqual(device, ALICE, ['words', 'items', 'list_members'])
    expect(device.ids('words')).toEqual([''])
  })
})

describe('when the schema changes', () => {
  test('a new table with a policy comes, rows of before and after', async () => {
    const device = await opened()
    await world.run(`create table public.notes (id int primary key, owner_id uuid, body text); alter table notes enable row level security;
      create policy own on notes for select using (owner_id = (select auth.uid())); insert into notes values (1, '${ALICE}', 'one'), (2, '${BOB}', 'two')`)
    await world.run(`insert into notes values (3, '${ALICE}', 'three')`)
    await expectEqual(device, ALICE, ['items', 'list_members', 'notes'])
    expect(device.isOpen).toBe(true)
    await world.run(`drop table notes`)
    await expectEqual(device)
  })

  test('a narrower policy takes rows, and nothing of the same transaction is seen through the old one', async () => {
    const device = await opened()
    for (let round = 0; round < 4; round++) {
      await world.run(`drop policy shared on items; update items set title = 'hidden ${round}' where owner_id = '${BOB}';
        insert into items (owner_id, list_id, title) values ('${BOB}', '${LIST}', 'hidden new ${round}')`)
      await expectEqual(device)
      expect(device.ids('items')).toHaveLength(20)
      await world.run(`update items set title = 'shown' where owner_id = '${BOB}';
        create policy shared on public.items for select using (list_id in (select m.list_id from public.list_members m where m.user_id = (select auth.uid())))`)
      await expectEqual(device)
    }
    expect(device.received.join()).not.toContain('hidden')
    await expectSoundLog()
  })

  test('a wider policy brings rows', async () => {
    const device = await opened()
    await world.run(`update items set list_id = null where owner_id = '${BOB}'`)
    await expectEqual(device)
    await world.run(
      `create policy all_of_n on items for select using (n > 5); update items set n = 6 where title = 'shared 3'`,
    )
    await expectEqual(device)
    expect(device.ids('items')).toHaveLength(21)
  })

  test('a policy of a table that a policy reads takes effect too', async () => {
    const device = await opened()
    await world.run(`alter policy mine on list_members using (false)`)
    await expectEqual(device)
    expect(device.ids('items')).toHaveLength(20)
    await world.run(`alter policy mine on list_members using (user_id = (select auth.uid()))`)
    await expectEqual(device)
    expect(device.ids('items')).toHaveLength(40)
  })

  test('a right to select that is revoked takes the rows', async () => {
    const device = await opened()
    await world.run(`revoke select on list_members from authenticated`)
    // Selecting items now fails for everybody because its policy reads a table that they may not read.
    await device.until(() => device.ids('list_members').length === 0 && device.ids('items').length <= 20)
    await world.run(`grant select on list_members to authenticated`)
    await expectEqual(device)
  })

  test('columns come and go', async () => {
    const device = await opened()
    await world.run(
      `alter table items add column extra text default 'x'; update items set extra = 'y' where title = 'own 1'`,
    )
    await expectEqual(device)
    await world.run(`update items set extra = 'z' where title = 'own 2'`)
    await expectEqual(device)
    await world.run(`alter table items drop column extra`)
    await expectEqual(device)
    await world.run(`update items set n = 9 where title = 'own 2'`)
    await expectEqual(device)
    await expectEqual(await opened())
  })

  test('rows that ALTER TABLE rewrites without a word in the log are read again', async () => {
    const device = await opened()
    await world.run(`alter table items alter column n type integer using n + 1000`)
    await expectEqual(device)
    await world.run(`alter table items drop column title, add column title text default 'anew'`)
    await expectEqual(device)
    expect(device.rows('items')).toContainEqual(expect.objectContaining({ n: 1000, title: 'anew' }))
  })

  test('a table that is dropped and made again under its name is another table', async () => {
    const device = await opened()
    const [{ ddl } = { ddl: '' }] = [
      {
        ddl: `drop table items; create table public.items (id uuid primary key default gen_random_uuid(), owner_id uuid, list_id uuid, title text, n integer not null default 0);
          alter table public.items enable row level security;
          create policy own on public.items for select using (owner_id = (select auth.uid()));
          create policy shared on public.items for select using (list_id in (select m.list_id from public.list_members m where m.user_id = (select auth.uid())))`,
      },
    ]
    await world.run(`${ddl}; insert into items (owner_id, title) values ('${ALICE}', 'the only one')`)
    await expectEqual(device)
    expect(device.ids('items')).toHaveLength(1)
    await world.stop()
    await world.run(ddl)
    await world.restart()
    device.connect()
    await expectEqual(device)
    expect(device.ids('items')).toHaveLength(0)
  })

  test('while people write, every checkpoint is one that Postgres showed', async () => {
    const device = await opened()
    const stopping = new AbortController()
    let written = 0
    const writer = (async () => {
      for (; !stopping.signal.aborted; written++)
        await world.run(`update items set n = ${written}, title = title where owner_id = '${BOB}'`)
    })()
    const writtenMore = async (): Promise<void> => {
      const before = written
      await expect.poll(() => written, { interval: 5 }).toBeGreaterThan(before)
    }
    for (let round = 0; round < 5; round++) {
      await world.run(
        `lock table items; drop policy shared on items; update items set title = 'hidden' where owner_id = '${BOB}'`,
      )
      await writtenMore()
      await world.run(`lock table items; update items set title = 'shown' where owner_id = '${BOB}';
        create policy shared on public.items for select using (list_id in (select m.list_id from public.list_members m where m.user_id = (select auth.uid())))`)
      await writtenMore()
    }
    stopping.abort()
    await writer
    await expectEqual(device)
    expect(device.received.join()).not.toContain('hidden')
    for (const { state } of device.completed) {
      const shared = [...state.values()]
        .filter((json) => json.includes(BOB))
        .map((json) => (JSON.parse(json) as { n: number }).n)
      expect(new Set(shared).size).toBeLessThanOrEqual(1) // each update set them all
      expect([0, 20]).toContain(shared.length)
    }
  })
})
