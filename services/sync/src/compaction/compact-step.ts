import { sql, type Transaction } from '@holdfast/postgres'
import type { Compactions } from './compactions.ts'

/** Lock timeout while waiting for the writer, well below `deadlock_timeout`. */
const LOCK_TIMEOUT = '50ms'

/**
 * Merges at most `batchOps` superseded operations in `[from, target]` into one. Locks the bucket's row first, while the writer locks it last, so neither
 * waits for what the other holds.
 * A step affects only devices positioned inside it, which have some of the operations: a device that has a row removed by one of them also has another one.
 * Only CLEAR affects every device before it.
 */
export async function compactStep(
  tx: Transaction,
  compactions: Compactions,
  bucketId: number,
  from: number,
  target: number,
  batchOps: number,
): Promise<{ readonly dropped: number; readonly floor: number; readonly count: number }> {
  await tx.execute(sql`set local lock_timeout = '${sql.trusted(LOCK_TIMEOUT)}'`)
  await tx.execute(sql`select from sync.buckets where id = ${bucketId} for update`)
  const [gone] = await tx.query<{
    count: number
    low: string | null
    floor: string | null
    checksum: string | null
  }>(sql`
    with gone as (
      delete from sync.ops o using (
        select op_id from sync.ops
         where bucket_id = ${bucketId} and row_key is null and op_id >= ${from} and op_id <= ${target}
         order by op_id limit ${batchOps}) d
       where o.bucket_id = ${bucketId} and o.op_id = d.op_id
      returning o.op_id, o.checksum, substring(o.doc from 25 + length(o.op_id::text) for 5) = 'CLEAR' as clears)
    select count(*)::int as count, case when bool_or(clears) then '0' else min(op_id)::text end as low, max(op_id)::text as floor, sum(checksum::bigint)::text as checksum from gone`)
  if (!gone || gone.floor === null || gone.checksum === null) return { dropped: 0, floor: target, count: 0 }
  const floor = Number(gone.floor)
  const checksum = Number(BigInt.asIntN(32, BigInt(gone.checksum)))
  await tx.execute(sql`
    insert into sync.ops (op_id, bucket_id, checksum, row_key, doc)
    values (${floor}, ${bucketId}, ${checksum}, null, sync.move_doc(${floor}::bigint, ${checksum}::int))`)
  const [updated] = await tx.query<{ count: string; compactions: number }>(sql`
    update sync.buckets set floor = greatest(floor, ${floor}), compactions = compactions + 1, count = count - ${gone.count - 1}
     where id = ${bucketId} returning count::text, compactions`)
  if (updated) compactions.note(bucketId, { number: updated.compactions, low: Number(gone.low), high: floor })
  return { dropped: gone.count, floor, count: Number(updated?.count ?? 0) }
}
