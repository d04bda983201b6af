import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import { writeLocally } from '../local-write.ts'
import type { DependencyRules } from '../queue/depends-on.ts'
import { readBases, toSent } from '../queue/guard-bases.ts'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'
import { toRejectedChange, type AttentionRow, type AttentionState, type RejectedChange } from './attention-item.ts'
import { forgetDecided } from './forget-decided.ts'
import { insertItem } from './keep-rejected.ts'
import { takeDependents } from './queued-entries.ts'
import { requeue, type Requeued } from './requeue.ts'
import { unplacedOf } from './undecided.ts'
import { RecordGone } from './write-row.ts'

/** The result for a decided change and its dependent transactions. */
export interface Decision {
  readonly state: Exclude<AttentionState, 'open'>
  readonly again: readonly (Requeued & { readonly origin: QueuedTransaction })[]
}

export interface DecideOptions {
  readonly rules: DependencyRules
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Decides an open item in one local transaction.
 *
 * @param choose - receives the item and its dependent transactions, including those still in the queue
 * @returns false if already decided
 * @throws {RecordGone} if a record of the change itself is no longer on this device
 * @throws {DeviceFull} if the device is full; the item stays open
 */
export async function decide(
  database: CommonPowerSyncDatabase,
  { rules, now }: DecideOptions,
  id: string,
  choose: (item: RejectedChange, waiting: readonly QueuedTransaction[]) => Decision,
): Promise<boolean> {
  return writeLocally(database, async (tx) => {
    const row = await tx.getOptional<AttentionRow>(`select * from hf_local_attention where id = ? and state = 'open'`, [
      id,
    ])
    if (!row) return false
    const at = new Date(now()).toISOString()
    const item = toRejectedChange(row)
    const waiting = [...item.held, ...(await takeWaiting(tx, item, rules))]
    const { state, again } = choose(item, waiting)
    const gone = await keepGone(tx, item, again, at)
    await tx.execute('update hf_local_attention set state = ?, held_ops = ?, decided_at = ? where id = ?', [
      state,
      JSON.stringify(waiting.filter(({ position }) => !gone.has(position))),
      at,
      id,
    ])
    await forgetDecided(tx)
    return true
  })
}

/** Takes queued transactions that depend on the item and would be held back anyway. */
async function takeWaiting(
  tx: Transaction,
  item: RejectedChange,
  rules: DependencyRules,
): Promise<readonly QueuedTransaction[]> {
  const queued = await takeDependents(tx, unplacedOf(item), rules)
  // After a crash, held transactions may still be in the queue.
  const known = new Set([item.position, ...item.held.map((held) => held.position)])
  const taken = queued.filter(({ position }) => !known.has(position))
  const bases = await readBases(
    tx,
    taken.flatMap(({ operations }) => operations),
  )
  return taken.map((transaction) => toSent(transaction, bases, rules.guardOf))
}

/**
 * Requeues transactions. A held one that changes a missing record becomes its own item.
 *
 * @returns the positions of these
 */
async function keepGone(
  tx: Transaction,
  item: RejectedChange,
  again: Decision['again'],
  at: string,
): Promise<ReadonlySet<number>> {
  const left = await requeue(tx, again)
  const positions = new Set<number>()
  for (const { index, table, recordId } of left) {
    const transaction = again[index]?.origin
    if (!transaction || transaction.position === item.position) throw new RecordGone(table, recordId)
    const failing = transaction.operations.find(({ type, id }) => type === table && id === recordId)
    await insertItem(tx, {
      clientId: item.id.slice(0, item.id.lastIndexOf(':')),
      transaction,
      verdict: { op_id: failing?.op_id ?? 0, status: 'no_row', message: new RecordGone(table, recordId).message },
      at,
    })
    positions.add(transaction.position)
  }
  return positions
}
