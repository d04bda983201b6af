import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import { dependenceOn, openRecordsOf, type DependencyRules, type UnplacedChange } from '../queue/depends-on.ts'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'
import { toRejectedChange, type AttentionRow, type RejectedChange } from './attention-item.ts'

/** The undecided items, insofar as they hold back queued transactions. */
export interface Undecided {
  /** Whether the transaction is an item or held by one, decided or not: its queue entry is a leftover. */
  isKept(transaction: QueuedTransaction): boolean
  /** Whether the transaction depends on an undecided item. */
  isBlocked(transaction: QueuedTransaction): boolean
  /** Returns the oldest item it depends on. */
  blockerOf(transaction: QueuedTransaction): RejectedChange | undefined
}

/** Reads the items once for checking any number of transactions. */
export async function readUndecided(
  database: Pick<CommonPowerSyncDatabase | Transaction, 'getAll' | 'getOptional'>,
  clientId: string,
  rules: DependencyRules,
): Promise<Undecided> {
  // Usually nothing was ever rejected.
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

/** Queue positions already in needs attention after a crash. */
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

/** Returns an item's rejected transaction with its verdict, and the held ones. */
export function unplacedOf(item: RejectedChange): readonly UnplacedChange[] {
  return [{ operations: item.operations, verdict: item.verdict }, ...item.held]
}
