import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { CHUNK_OPS_MAX } from '../src/limits.ts'
import { ALICE, BOB, CAROL, openWorld, type World } from './sync-world.ts'

/*
 * Transactions whose rows each have a bucket of their own, written with a memory for 1,000 buckets and 10,000 ids: the log's numbers of each bucket are the
 * sums of its operations, and devices are equal.
 */

const ROWS = 30_000
const PEOPLE = [ALICE, BOB, CAROL]

/** Buckets whose numbers are not those of their operations, and how many buckets and rows there are. */
async function look(world: World): Promise<object> {
  const [found] = await world.rows<{ wrong: string; buckets: string; live: string }>(`
    select count(*) filter (where b.id is null or o.bucket_id is null or b.checksum <> o.checksum or b.count <> o.count
                               or b.last_op_id <> o.last_op_id) as wrong,
           count(b.id) as buckets, coalesce(sum(o.live), 0)::bigint as live
      from sync.buckets b
      full join (select bucket_id, sum(checksum::bigint)::bigint & 4294967295 as checksum, count(*) as count, max(op_id) as last_op_id, count(row_key) as live
                   from sync.ops group by bucket_id) o on o.bucket_id = b.id`)
  return { wrong: Number(found?.wrong), buckets: Number(found?.buckets), live: Number(found?.live) }
}

test('a transaction of 30,000 rows in as many buckets is in the log as it is in the table', async () => {
  await using world = await openWorld({ batchLimits: { chunkOps: CHUNK_OPS_MAX, buckets: 1_000 } })
  const [alice, bob, carol] = PEOPLE.map((person) => world.device(person))
  for (const device of [alice, bob]) {
    device?.connect()
    await device?.until(() => device.completed.length > 0)
  }
  const expectEqual = async (): Promise<void> => {
    for (const [index, device] of [alice, bob, carol].entries()) {
      if (!device) continue
      const wanted = await world.visible(PEOPLE[index] as string)
      await device.until(() => isDeepStrictEqual(device.state, wanted), 'the visible rows', 60_000)
      expect(device.faults).toEqual([])
    }
  }

  // Rows are in the bucket of their owner; those of the first ones are changed again when their ids are forgotten.
  await world.run(`
      insert into public.items (owner_id, title, n)
      select case n when 1 then '${ALICE}' when 2 then '${BOB}' else gen_random_uuid() end, 'row', n from generate_series(1, ${ROWS}) n;
      update public.items set title = 'again' where n <= 4000;
      delete from public.items where n > 2 and n <= 1000;
      update public.items set owner_id = '${CAROL}' where n between 1001 and 1100`)
  await world.run(
    `insert into public.items (owner_id, title) select u::uuid, 'after' from unnest(array['${PEOPLE.join("','")}']) u`,
  )
  carol?.connect()
  await expectEqual()
  // A row that came and went leaves nothing, where it did so within a chunk.
  expect(await look(world)).toMatchObject({ wrong: 0, live: ROWS - 998 + 3 })

  await world.run(
    `update public.items set n = -n, title = 'old'; update public.items set title = 'new' where n > -3000`,
  )
  await expectEqual()
  expect(await look(world)).toMatchObject({ wrong: 0, live: ROWS - 998 + 3 })

  await world.run(`
      insert into public.items (owner_id, n) select gen_random_uuid(), n from generate_series(1, 10000) n;
      truncate public.items;
      insert into public.items (owner_id, title, n)
      select case n when 1 then '${ALICE}'::uuid when 9000 then '${BOB}'::uuid else gen_random_uuid() end, 'anew', n from generate_series(1, 10000) n`)
  await expectEqual()
  expect(await look(world)).toMatchObject({ wrong: 0, live: 10_000 })
})
