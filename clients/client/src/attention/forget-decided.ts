import type { Transaction } from '@powersync/common'

/** Number of decided items kept, for screens that still show one. */
export const DECIDED_MAX = 100

/**
 * Deletes the oldest decided items above {@link DECIDED_MAX}, except those whose transactions may still be in the queue after a crash: only the item prevents
 * sending them again.
 */
export async function forgetDecided(tx: Transaction): Promise<void> {
  await tx.execute(
    `with head as (select min(id) as first from ps_crud),
          old as (select id, position, held_ops from hf_local_attention where state <> 'open'
                   order by decided_at desc, position desc limit -1 offset ?)
     delete from hf_local_attention where id in (
       select id from old
        where (select first from head) is null
           or (position < (select first from head)
               and not exists (select 1 from json_each(old.held_ops) held
                                where held.value ->> '$.position' >= (select first from head))))`,
    [DECIDED_MAX],
  )
}
