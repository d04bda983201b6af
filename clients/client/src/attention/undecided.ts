import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import { dependenceOn, openRecordsOf, type DependencyRules, type UnplacedChange } from '../queue/depends-on.ts'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'
import { toRejectedChange, type AttentionRow, type RejectedChange } from './attention-item.ts'

/** The undecided items, as far as they keep transactions of the queue from going up. */
export interface Undecided {
  /** Whether the transaction is an item, or held with one, whatever was decided about it since: its entry in the queue is a remainder. */
  isKept(transaction: QueuedTransaction): boolean
  /** Whether the transaction depends on an undecided item. */
  isBlocked(transaction: QueuedTransaction): boolean
  /** The oldest item that it depends on. */
  blockerOf(transaction: QueuedTransaction): RejectedChange | undefined
}

/** Reads the items once, for as many transactions as are looked at. */
export async function readUndecided(
  database: Pick<CommonPowerSyncDatabase | Transaction, 'getAll' | 'getOptional'>,
  clientId: string,
  rules: DependencyRules,
): Promise<Undecided> {
  // Nearly always nothing was ever refused.
  if (!(await database.getOptional('select 1 from hf_local_attention limit 1'))) return NOTHING
  const kept = new Set(
    (await database.getAll<{ position: number }>(KEPT_SQL, [clientId])).map(({ position }) => position),
  )
  const items = await readOpen(database)
  const all = openRecordsOf(items.flatMap(unplacedOf))
  return {
    isKept: ({ position }) => kept.has(position),
    isBlocked: ({ operations }) => dependenceOn(operations, all, rules) !== undefined,
    blockerOf: ({ operations }) =>
      dependenceOn(operations, all, rules) === undefined
        ? undefined
        : items.find((item) => dependenceOn(operations, openRecordsOf(unplacedOf(item)), rules) !== undefined),
  }
}

const NOTHING: Undecided = { isKept: () => false, isBlocked: () => false, blockerOf: () => undefined }

/** Positions of the queue that are in needs attention already: the device died before their entries were gone. */
const KEPT_SQL = `
  with head as (select min(id) as first from ps_crud),
       own as (select position, held_ops from hf_local_attention where id glob ?1 || ':*')
  select position from own where position >= (select first from head)
  union
  select held.value ->> '$.position' from own, json_each(own.held_ops) held
   where held.value ->> '$.position' >= (select first from head)`

/** Undecided items, oldest first. */
async function readOpen(database: Pick<Transaction, 'getAll'>): Promise<readonly RejectedChange[]> {
  const rows = await database.getAll<AttentionRow>(
    `select * from hf_local_attention where state = 'open' order by position`,
  )
  return rows.map(toRejectedChange)
}

/** The refused transaction of an item with its verdict, and everything that is held with it. */
export function unplacedOf(item: RejectedChange): readonly UnplacedChange[] {
  return [{ operations: item.operations, verdict: item.verdict }, ...item.held]
}
