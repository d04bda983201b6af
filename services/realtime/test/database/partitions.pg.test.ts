import { expect, test } from 'vitest'
import { openTestDatabase } from '@holdfast/test-support'
import { realtimeMigrations } from '../../src/index.ts'
import { openRealtimeWorld } from '../realtime-world.ts'

test('partitions are made and dropped at the start of two servers that were off for a week', async () => {
  await using database = await openTestDatabase({ migrations: [realtimeMigrations] })
  const run = (text: string) => database.pool.withClient((client) => client.query(text))
  /** Offsets from today in days. */
  const days = async (): Promise<readonly number[]> =>
    (
      await run(`select to_date(right(inhrelid::regclass::text, 10), 'YYYY_MM_DD') - (now() at time zone 'utc')::date as day
                   from pg_inherits where inhparent = 'realtime.messages'::regclass order by 1`)
    ).rows.map((row) => (row as { day: number }).day)
  // Existing partitions.
  await run(`do $$ declare one record; begin
    for one in select inhrelid::regclass as name from pg_inherits where inhparent = 'realtime.messages'::regclass loop
      execute format('drop table %s', one.name);
    end loop;
    for one in select (now() at time zone 'utc')::date - n as day from generate_series(4, 8) n loop
      execute format('create table realtime.%I partition of realtime.messages for values from (%L) to (%L)',
        'messages_' || to_char(one.day, 'YYYY_MM_DD'), one.day, one.day + 1);
    end loop; end $$`)
  expect(await days()).toEqual([-8, -7, -6, -5, -4])
  await using _one = await openRealtimeWorld({}, database)
  await using _standby = await openRealtimeWorld({}, database)
  await expect.poll(days).toEqual([-1, 0, 1, 2, 3])
  await run(`select realtime.send('{}', 'x', 'room')`)
  expect((await run('select from realtime.messages')).rowCount).toBe(1)
})
