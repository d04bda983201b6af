import { expect, test } from 'vitest'
import { ALICE, openWorld } from './sync-world.ts'

/* Rows that come and go within one transaction leave nothing in the log, and nothing that a device would wait for. */

const SCHEMA = `
  create table public.offers (id int primary key, until timestamptz);
  alter table public.offers enable row level security;
  create policy current on public.offers for select using (until > now());
`

test('a device begins after a row that is shown until a moment came and went in one transaction', async () => {
  await using world = await openWorld({ schema: SCHEMA })
  await world.run(`insert into public.offers values (1, now() + interval '1 day')`)
  const before = world.device(ALICE)
  before.connect()
  await before.until(() => before.state.size === 1, 'the first offer')
  before.disconnect()
  await expect.poll(() => world.service.status().connections).toBe(0)
  const [{ lsn } = { lsn: '' }] = await world.rows<{ lsn: string }>(`select pg_current_wal_insert_lsn()::text as lsn`)
  await world.run(`
    insert into public.offers values (2, now() + interval '1 day');
    delete from public.offers where id = 2`)
  // It has been read when nothing is left to be confirmed before it.
  await expect
    .poll(() =>
      world.rows(
        `select from pg_replication_slots where database = current_database() and confirmed_flush_lsn > '${lsn}'`,
      ),
    )
    .toHaveLength(1)
  const device = world.device(ALICE)
  device.connect()
  await device.until(() => device.completed.length > 0, 'a checkpoint', 30_000)
  expect([...device.state.keys()]).toEqual(['offers/1'])
})
