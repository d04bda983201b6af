/** Policies that compare the clock with columns: devices have what row-level security shows, also after the moment at which that changes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StreamClient } from './stream-client.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

const PATIENCE = { timeout: 60_000, interval: 20 }

interface Form {
  readonly using: string
  /** What the policy calls. */
  readonly needs?: string
  /** Columns and values of rows, of which some come or go within seconds. */
  readonly rows: string
}

const LISTS = `(title, list_id) values ('one', 1), ('two', 2), ('three', 3)`

const FORMS: Readonly<Record<string, Form>> = {
  until: {
    using: 'until > now()',
    rows: `(title, until) values ('over', now() - interval '1 s'), ('going', now() + interval '3 s'), ('stays', now() + interval '1 day'), ('for ever', 'infinity')`,
  },
  since: {
    using: 'at <= current_timestamp',
    rows: `(title, at) values ('early', now() - interval '1 day'), ('coming', now() + interval '3 s'), ('late', now() + interval '1 day'), ('never', null)`,
  },
  days: {
    using: `at > now() - interval '30 days'`,
    rows: `(title, at) values ('old', now() - interval '31 days'), ('aging', now() - interval '30 days' + interval '3 s'), ('new', now())`,
  },
  age: {
    using: `now() - at < interval '1 hour'`,
    rows: `(title, at) values ('old', now() - interval '2 hours'), ('aging', now() - interval '1 hour' + interval '3 s'), ('new', now())`,
  },
  between: {
    using: '(select now()) between at and until',
    rows: `(title, at, until) values ('open', now(), now() + interval '3 s'), ('longer', now(), now() + interval '1 day'), ('next', now() + interval '3 s', now() + interval '1 day')`,
  },
  owned: {
    using: 'owner_id = auth.uid() and (until is null or until > (select now()))',
    rows: `(owner_id, title, until) values ('${ALICE}', 'mine', now() + interval '3 s'), ('${ALICE}', 'always', null), ('${BOB}', 'other', now() + interval '3 s')`,
  },
  negated: {
    using: `not (coalesce(until <= localtimestamp, false) and title <> 'kept')`,
    rows: `(title, until) values ('kept', now()), ('going', now() + interval '3 s'), ('none', null)`,
  },
  months: {
    using: `local + interval '1 month' > now() or local > now() - interval '1 month'`,
    rows: `(title, local) values ('old', localtimestamp - interval '2 months'), ('aging', localtimestamp + interval '3 s' - interval '1 month'), ('new', localtimestamp)`,
  },
  dates: {
    using: 'day <= current_date and (day + 7) > current_date',
    rows: `(title, day) values ('today', current_date), ('yesterday', current_date - 1), ('tomorrow', current_date + 1), ('last', current_date - 8)`,
  },
  called: {
    needs: `create function public.is_open(t timestamptz) returns boolean language sql stable as $$ select t > now() $$;`,
    using: 'public.is_open(until)',
    rows: `(title, until) values ('going', now() + interval '3 s'), ('stays', now() + interval '1 day')`,
  },
  joined: {
    using: `exists (select 1 from public.members m where m.list_id = joined.list_id and m.user_id = auth.uid() and m.valid_until > now())`,
    rows: LISTS,
  },
  defined: {
    needs: `create function public.is_member(l int) returns boolean language sql stable security definer as
      $$ select exists (select 1 from public.members m where m.list_id = l and m.user_id = auth.uid() and now() < m.valid_until) $$;`,
    using: 'public.is_member(list_id)',
    rows: LISTS,
  },
  procedural: {
    needs: `create function public.is_current(l int) returns boolean language plpgsql stable security definer as $$ begin
      return exists (select 1 from public.members m where m.list_id = l and m.user_id = auth.uid() and m.valid_until > now()); end $$;`,
    using: 'public.is_current(list_id)',
    rows: LISTS,
  },
  nested: {
    needs: `create policy current on public.memberships for select using (user_id = auth.uid() and valid_until > now());`,
    using: 'list_id in (select list_id from public.memberships)',
    rows: LISTS,
  },
  excluded: {
    using: `not exists (select 1 from public.members m where m.list_id = excluded.list_id and m.user_id = auth.uid() and m.valid_until <= now())`,
    rows: LISTS,
  },
}

const NAMES = Object.keys(FORMS)
const MEMBERS = ['members', 'memberships']

const SCHEMA = [
  ...MEMBERS.map(
    (name) => `
      create table public.${name} (id uuid primary key default gen_random_uuid(), list_id int not null, user_id uuid not null, valid_until timestamptz);
      alter table public.${name} enable row level security;`,
  ),
  `create policy own on public.members for select using (user_id = auth.uid());`,
  ...Object.entries(FORMS).map(
    ([name, { using, needs = '' }]) => `
      create table public.${name} (
        id uuid primary key default gen_random_uuid(), owner_id uuid, list_id int, title text, at timestamptz, until timestamptz, day date, local timestamp);
      alter table public.${name} enable row level security;
      ${needs}
      create policy p on public.${name} for select using (${using});`,
  ),
].join('\n')

/** Compares repeatedly, because what Postgres shows changes with the clock. */
async function expectEqual(world: World, device: StreamClient, person: string, tables = [...NAMES, ...MEMBERS]) {
  await expect
    .poll(async () => {
      // The columns of these tables are not the same.
      const shown = await Promise.all(tables.map((table) => world.visible(person, [table])))
      const shows = new Set(shown.flatMap((some) => [...some.keys()]))
      const wrong = [...new Set([...shows, ...device.state.keys()])].filter(
        (key) => shows.has(key) !== device.state.has(key),
      )
      return wrong.map((key) => `${shows.has(key) ? 'lacks' : 'has'} ${key} ${device.state.get(key) ?? ''}`)
    }, PATIENCE)
    .toEqual([])
}

async function connected(world: World, person: string): Promise<StreamClient> {
  const device = world.device(person)
  device.connect()
  await device.until(() => device.completed.length > 0, 'the first checkpoint', 30_000)
  return device
}

/** Until everything that was to come or go within seconds has. */
async function untilPassed(world: World): Promise<void> {
  const soon = [
    ...NAMES.map((name) => `select least(until, at) as moment from public.${name}`),
    ...MEMBERS.map((name) => `select valid_until from public.${name}`),
  ]
  await expect
    .poll(async () => {
      const [row] = await world.rows<{ coming: number }>(
        `select count(*)::int as coming from (${soon.join(' union all ')}) s where moment between now() and now() + interval '1 hour'`,
      )
      return row?.coming
    }, PATIENCE)
    .toBe(0)
}

describe('policies that read the clock', () => {
  let world: World
  beforeAll(async () => (world = await openWorld({ schema: SCHEMA })), 60_000)
  afterAll(() => world[Symbol.asyncDispose]())

  test('are followed, and not refused', () => {
    expect(world.service.plan()?.refused.filter(({ schema }) => schema === 'public')).toEqual([])
  })

  test('give devices what row-level security shows, before and after the moment', async () => {
    const [alice, bob] = [await connected(world, ALICE), await connected(world, BOB)]
    await world.run(
      [
        ...Object.entries(FORMS).map(([name, { rows }]) => `insert into public.${name} ${rows};`),
        ...MEMBERS.map(
          (name) => `insert into public.${name} (list_id, user_id, valid_until) values
            (1, '${ALICE}', now() + interval '3 s'), (2, '${ALICE}', now() + interval '1 day'), (3, '${BOB}', now() + interval '1 day');`,
        ),
      ].join('\n'),
    )
    await expectEqual(world, alice, ALICE)
    await untilPassed(world)
    await expectEqual(world, alice, ALICE)
    await expectEqual(world, bob, BOB)

    // Rows that change and go are evaluated as ever, also those whose moment has just come.
    await world.run(
      [
        ...NAMES.map(
          (
            name,
          ) => `update public.${name} set title = title || '!', until = now() + interval '1 s', at = now(), local = localtimestamp;
            delete from public.${name} where title like 'n%';`,
        ),
        ...MEMBERS.map(
          (name) => `update public.${name} set valid_until = now() + interval '1 s' where user_id = '${ALICE}';`,
        ),
      ].join('\n'),
    )
    await untilPassed(world)
    await world.run(NAMES.map((name) => `update public.${name} set until = now() + interval '2 s';`).join('\n'))
    await expectEqual(world, alice, ALICE)
    await expectEqual(world, bob, BOB)
    expect([...alice.faults, ...bob.faults]).toEqual([])
    for (const device of [alice, bob]) device.disconnect()
  })

  test('are followed over moments at which no server ran', async () => {
    await world.run(
      `insert into public.until (title, until) values ('going', now() + interval '1 s'), ('stays', now() + interval '1 day')`,
    )
    const before = await connected(world, ALICE)
    before.disconnect()
    await world.stop()
    await untilPassed(world)
    await world.restart()
    const device = await connected(world, ALICE)
    await expectEqual(world, device, ALICE)
    expect(device.faults).toEqual([])
  })

  test('take no row in the log for moments that are over', async () => {
    await expect
      .poll(async () => (await world.rows(`select from sync.moments where at < now()`)).length, PATIENCE)
      .toBe(0)
    await world.run(`delete from public.until`)
    const left = `select from sync.moments m join sync.definitions d on d.number = m.definition where d.id like 'until.%'`
    await expect.poll(async () => (await world.rows(left)).length, PATIENCE).toBe(0)
  })
})

test('many rows of one moment change in parts, while others write to them', async () => {
  const schema = `
    create table public.items (id uuid primary key default gen_random_uuid(), list_id int, title text, until timestamptz);
    alter table public.items enable row level security;
    create policy p on public.items for select using (until > now() and list_id = 1);`
  await using world = await openWorld({ schema })
  await world.run(
    `insert into public.items (title, list_id, until) select 'row ' || n, n % 2, now() + interval '4 s' from generate_series(1, 6000) n`,
  )
  const device = await connected(world, ALICE)
  await world.rows(`select pg_sleep(extract(epoch from max(until) - clock_timestamp())) from public.items`)
  for (let round = 0; round < 10; round++) {
    await world.run(`
      update public.items set until = now() + interval '1 day', title = 'longer ${round}' where title like '%${round}1';
      delete from public.items where title like '%${round}3';
      update public.items set list_id = 1 - list_id where title like '%${round}5'`)
  }
  await expectEqual(world, device, ALICE, ['items'])
  await expect
    .poll(async () => (await world.rows(`select from sync.moments where at < now()`)).length, PATIENCE)
    .toBe(0)
  expect(device.state.size).toBeGreaterThan(0)
  expect(device.faults).toEqual([])
})

/*
 * The clock of Postgres cannot be set in a test. What a clock ahead leaves is a log without rows that are to be seen now, and a note that it was later before:
 * rows are taken out while they are over, and the slot passes the change that brings them back.
 */
const SET_BACK_SCHEMA = `
  create table public.items (id int primary key, until timestamptz);
  alter table public.items enable row level security;
  create policy p on public.items for select using (until > now());
  create table public.members (user_id uuid primary key, valid_until timestamptz);
  alter table public.members enable row level security;
  create table public.papers (id int primary key);
  alter table public.papers enable row level security;
  create policy p on public.papers for select
    using (exists (select from public.members m where m.user_id = auth.uid() and m.valid_until > now()));
  create policy own on public.members for select using (user_id = auth.uid());
  insert into public.items select n, now() - interval '1 hour' from generate_series(1, 3) n;
  insert into public.papers values (1);
  insert into public.members values ('${ALICE}', now() + interval '1 hour');
  grant select on all tables in schema public to authenticated;`

const SEEN_TOMORROW = `update sync.state set clock_seen = now() + interval '1 day'`

/** Makes rows visible without a change in the stream. */
async function showUnnoticed(world: World): Promise<void> {
  await world.run(`update public.items set until = now() + interval '1 hour'`)
  const [row] = await world.rows<{ slot_name: string }>('select slot_name from sync.state')
  await expect
    .poll(
      () =>
        world.rows(`select pg_replication_slot_advance('${row?.slot_name}', pg_current_wal_insert_lsn())`).then(
          (rows) => rows.length,
          () => 0,
        ), // the slot is still in use
      PATIENCE,
    )
    .toBe(1)
  await world.run(`update sync.state set confirmed_lsn = pg_current_wal_insert_lsn()`)
}

describe('a clock that was ahead and is set back', () => {
  test('brings back the rows that went too early, when it was set back before the start', async () => {
    await using world = await openWorld({ schema: SET_BACK_SCHEMA })
    const device = await connected(world, ALICE)
    expect([...device.state.keys()].filter((key) => key.startsWith('items/'))).toEqual([])
    device.disconnect()
    await world.stop()
    await showUnnoticed(world)
    await world.run(SEEN_TOMORROW)
    await world.restart()
    const later = await connected(world, ALICE)
    await later.until(
      ({ state }) => [...state.keys()].filter((key) => key.startsWith('items/')).length === 3,
      'the rows',
      10_000,
    )
  })

  test('brings them back while the server runs, and evaluates keys again', async () => {
    await using world = await openWorld({ schema: SET_BACK_SCHEMA })
    const device = await connected(world, ALICE)
    await world.stop()
    await showUnnoticed(world)
    await world.restart()
    device.connect()
    await device.until(({ isOpen, completed }) => isOpen && completed.length > 1, 'a checkpoint of the next server')
    expect([...device.state.keys()].filter((key) => key.startsWith('items/'))).toEqual([])
    await world.run(SEEN_TOMORROW)
    await device.until(
      ({ state }) => [...state.keys()].filter((key) => key.startsWith('items/')).length === 3,
      'the rows',
      10_000,
    )
    expect(device.ids('papers')).toEqual(['1'])
    expect(device.faults).toEqual([])
    const [seen] = await world.rows<{ ok: boolean }>(`select clock_seen <= now() as ok from sync.state`)
    expect(seen?.ok).toBe(true)
  })
})
