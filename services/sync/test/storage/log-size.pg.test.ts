import { expect, test } from 'vitest'
import { ALICE, openWorld } from '../sync-world.ts'

/** English enough to compress as such texts do. */
const WORDS = `(select string_agg((array['inspection', 'pump', 'valve', 'open', 'north', 'line', 'report', 'of', 'the', 'door'])[1 + (hashint4(n * 1000 + w) & 1023) % 10], ' ')
  from generate_series(1, 900) w)`

test('the log is at most twice as large as tables of ordinary rows and of long texts', async () => {
  await using world = await openWorld({
    schema: `
      create table public.ordinary (id uuid primary key, owner_id uuid, title text, body text, done integer, n integer, at text);
      create table public.long (id uuid primary key, owner_id uuid, body text);
      alter table public.ordinary enable row level security;
      alter table public.long enable row level security;
      create policy own on public.ordinary for select using (owner_id = (select auth.uid()));
      create policy own on public.long for select using (owner_id = (select auth.uid()));
      analyze;`,
  })
  const sizeOf = async (table: string): Promise<number> => {
    const [row] = await world.rows<{ size: number }>(`select pg_total_relation_size('${table}')::int as size`)
    return row?.size ?? 0
  }
  const device = world.device(ALICE, { format: 'bson' })
  device.connect()
  const fills = [
    ['ordinary', 4000, `'Item number ' || n, left(repeat(md5(n::text), 40), 490), n % 3, n, '2026-11-20 10:00:00Z'`],
    ['long', 800, WORDS],
  ] as const
  for (const [table, rows, columns] of fills) {
    const before = await sizeOf('sync.ops')
    await world.run(
      `insert into public.${table} select gen_random_uuid(), '${ALICE}', ${columns} from generate_series(1, ${rows}) n`,
    )
    await device.until(() => device.ids(table).length === rows, table)
    expect(((await sizeOf('sync.ops')) - before) / (await sizeOf(`public.${table}`)), table).toBeLessThan(2)
  }
  expect(device.state).toEqual(await world.visible(ALICE, ['ordinary', 'long']))
  expect(device.faults).toEqual([])
})
