import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SyncStatus } from '../src/inspect/status.ts'
import type { StreamClient } from './stream-client.ts'
import { ALICE, openWorld, type World } from './sync-world.ts'

/*
 * Pins that Postgres refuses UPDATE and DELETE of a table in a publication that has a full replica identity and a VIRTUAL column. No statement of a project may
 * fail because of sync, so such a table leaves the publication with the statement that adds the column.
 */

const BY_INDEX = `create unique index $t_other on $t (n, id); alter table $t replica identity using index $t_other`

interface Case {
  readonly what: string
  readonly isPartitioned?: true
  /** Run before the table syncs, with `$t` for the table. */
  readonly before?: string
  /** The replica identity of the table and its partitions once it has left. Default: `default`. */
  readonly identity?: string
  /** Statements, with `$t` for the table. */
  readonly added: string
}

const cases: readonly Case[] = [
  { what: 'VIRTUAL', added: 'alter table $t add b int generated always as (n * 2) virtual' },
  { what: 'neither STORED nor VIRTUAL', added: 'alter table $t add b int generated always as (n)' },
  {
    what: 'VIRTUAL, among others',
    added: 'alter table $t add b int generated always as (n) virtual, add c int, add d int generated always as (1)',
  },
  {
    what: 'VIRTUAL, of a partitioned table',
    isPartitioned: true,
    added: 'alter table $t add b int generated always as (n) virtual',
  },
  {
    what: 'VIRTUAL, in a session that is a replica',
    added: `set local session_replication_role = replica; alter table $t add b int generated always as (n);
      set local session_replication_role = origin`,
  },
  {
    what: 'VIRTUAL, of a table in a publication of the project',
    added: 'create publication own for table $t; alter table $t add b int generated always as (n) virtual',
  },
  {
    what: 'VIRTUAL, of a table with an identity by index',
    before: BY_INDEX,
    added: 'create publication by_index for table $t; alter table $t add b int generated always as (n) virtual',
    identity: '$t_other',
  },
  {
    what: 'VIRTUAL, of a partitioned table with an identity by index',
    isPartitioned: true,
    before: BY_INDEX,
    added: 'alter table $t add b int generated always as (n) virtual',
    identity: '$t_1_1_n_id_idx,$t_1_n_id_idx,$t_2_n_id_idx,$t_other',
  },
  {
    what: 'VIRTUAL, of a table whose index of the identity is gone',
    before: BY_INDEX,
    added: 'drop index $t_other; alter table $t add b int generated always as (n) virtual',
  },
  {
    what: 'VIRTUAL, of a table without an identity',
    before: 'alter table $t replica identity nothing',
    added: 'alter table $t add b int generated always as (n) virtual',
    identity: 'nothing',
  },
]

/** The replica identity of a table and of its partitions, from the catalog: the name of the index where it is one. */
async function identityOf(table: string): Promise<string> {
  const rows = await world.rows<{ identity: string }>(`
    select distinct case c.relreplident when 'i' then (select x.indexrelid::regclass::text from pg_index x where x.indrelid = c.oid and x.indisreplident)
             when 'd' then 'default' when 'n' then 'nothing' else 'full' end as identity
      from pg_class c where c.oid in (select relid from sync.partitions_of('${table}'::regclass)) order by 1`)
  return rows.map(({ identity }) => identity).join()
}

/** A table for each case, and others. */
const TABLES = [...cases.map((_, index) => `t${index}`), 'unused', 'others']

function createTable(table: string, isPartitioned = false): string {
  const columns = `(id int, owner_id uuid, n int, label text, primary key (id, n))`
  const partitions = `
    create table public.${table}_1 partition of public.${table} for values in (1) partition by list (id);
    create table public.${table}_1_1 partition of public.${table}_1 default;
    create table public.${table}_2 partition of public.${table} for values in (2);`
  return `
    create table public.${table} ${columns} ${isPartitioned ? `partition by list (n); ${partitions}` : ';'}
    alter table public.${table} enable row level security;
    create policy own on public.${table} for select using (owner_id = auth.uid());
    insert into public.${table} select i, '${ALICE}', 1 + i % 2, '${table} ' || i from generate_series(1, 4) i;`
}

function schemaOf(table: string, { isPartitioned, before = '' }: Partial<Case> = {}): string {
  return `${createTable(table, isPartitioned)} ${before.replaceAll('$t', table)};`
}

const SCHEMA = `${TABLES.map((table, index) => schemaOf(table, cases[index])).join('')}
  create table public.doubled (id uuid primary key, a int, b int generated always as (a * 2) virtual);
  alter table public.doubled enable row level security;
  create policy for_all on public.doubled for select using (true);
  insert into public.doubled values (gen_random_uuid(), 1), (gen_random_uuid(), 2);`

let world: World
let device: StreamClient

beforeAll(async () => {
  world = await openWorld({ schema: SCHEMA })
  device = world.device(ALICE)
  device.connect()
  await expectEqual()
})

afterAll(() => world[Symbol.asyncDispose]())

async function expectEqual(): Promise<void> {
  const labels = TABLES.map((table) => `select label from ${table} where owner_id = '${ALICE}'`).join(' union all ')
  const expected = (await world.rows<{ label: string }>(labels)).map(({ label }) => label).toSorted()
  const held = (): readonly string[] =>
    TABLES.flatMap((table) => device.rows(table) as readonly { readonly label: string }[])
      .map(({ label }) => label)
      .toSorted()
  await device.until(() => held().join() === expected.join(), 'the rows of Postgres')
  expect(device.faults).toEqual([])
}

async function refusalOf(table: string): Promise<string | undefined> {
  const token = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url')
  const response = await fetch(`${world.url}/sync/v1/status`, { headers: { authorization: `Bearer ${token}` } })
  const { refused } = (await response.json()) as SyncStatus
  return refused.find((one) => one.table === `public.${table}`)?.reason
}

describe('a table that syncs and gets a generated column that is', () => {
  test.each(cases.map((one, index) => ({ ...one, table: `t${index}` })))(
    '$what can be written at once, and syncs again without the column',
    async ({ table, added, identity = 'default' }) => {
      await world.run(
        `${added.replaceAll('$t', table)}; update ${table} set label = label || '!'; delete from ${table} where id = 3`,
      )
      await world.run(`update ${table} set owner_id = null where id = 2`)
      await expect.poll(() => refusalOf(table), { timeout: 15_000 }).toMatch(/ b\b.* VIRTUAL.*STORED/)
      expect(await identityOf(table)).toBe(identity.replaceAll('$t', table))
      await device.until(() => device.ids(table).length === 0)
      await world.run(`delete from ${table} where id = 1; update others set label = 'after ${table}' where id = 1`)
      await device.until(() => JSON.stringify(device.rows('others')).includes(`after ${table}`))

      await world.run(`alter table ${table} drop b, drop if exists d`)
      await world.run(`update ${table} set label = label || '?'`)
      await expectEqual()
    },
  )
})

test('a table that no longer syncs and gets a virtual column can be written in a publication of the project', async () => {
  await world.run('alter table unused disable row level security')
  await expect.poll(() => refusalOf('unused'), { timeout: 15_000 }).toMatch(/row-level security is off/)
  await world.run(
    'create publication other for table unused; alter table unused add b int generated always as (n) virtual',
  )
  await world.run('update unused set owner_id = null; delete from unused where id = 1')
})

test('a table that is created with a virtual column can be written', async () => {
  expect(await refusalOf('doubled')).toMatch(/its column b is VIRTUAL/)
  await world.run('update doubled set a = a + 1; delete from doubled where a = 2')
  expect(await world.rows('select b from doubled')).toEqual([{ b: 6 }])
})

test('without the event trigger, a table that gets a virtual column can be written a moment later', async () => {
  await world.run(
    'drop event trigger holdfast_virtual; create publication more for table others; alter table others add b int generated always as (n) virtual',
  )
  const canWrite = (): Promise<boolean> =>
    world.run('update others set n = n; delete from others where id = 1').then(
      () => true,
      () => false,
    )
  await expect.poll(canWrite, { timeout: 15_000 }).toBe(true)
  expect(await identityOf('others')).toBe('default')
})
