import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import type { UploadOperation } from '@holdfast/protocol'
import type { DependencyRules } from '../upload/depends-on.ts'
import { readBases, toSent } from '../upload/guard-bases.ts'
import type { QueuedTransaction } from '../upload/queued-transaction.ts'
import { toRejectedChange, type AttentionRow, type AttentionState, type RejectedChange } from './attention-item.ts'
import { editOperations, leaveOut, type EditedValues, type LeftOut } from './edit-operations.ts'
import { forgetDecided } from './forget-decided.ts'
import { insertItem } from './keep-rejected.ts'
import { takeDependents } from './queued-entries.ts'
import { requeue, type Requeued } from './requeue.ts'
import { splitHeld, type HeldChanges } from './split-held.ts'
import { unplacedOf } from './undecided.ts'
import { RecordGone } from './write-row.ts'

/** The changes that the server did not accept, and the ways out for each. */
export interface RejectedChanges {
  /** Undecided ones, oldest first. */
  list(): Promise<readonly RejectedChange[]>
  get(id: string): Promise<RejectedChange | undefined>
  /**
   * Writes the change again as a new local transaction, with `edits` in place of the refused values and without what is `leftOut`. What waited for it
   * follows, each transaction as the one it was.
   *
   * @returns false when it was decided before
   * @throws {RecordGone} when a record to change is no longer on this device; the change stays undecided
   */
  retry(id: string, edits?: readonly EditedValues[], leftOut?: readonly LeftOut[]): Promise<boolean>
  /**
   * Gives the change up. What waited for it and can be without it is sent; what needs a record that only the change would have created goes with it.
   * The records show the server's values with the next checkpoint.
   *
   * @param options.withHeld - everything that waited for it is given up as well
   * @returns false when it was decided before
   */
  discard(id: string, options?: { readonly withHeld?: boolean }): Promise<boolean>
  /** What a discard would do with the changes that wait for this one. */
  heldBy(change: RejectedChange): HeldChanges
  /**
   * Takes back operations that never got to the server, as an undo does: gives up each refused transaction that has only such operations, and each
   * waiting one.
   */
  withdraw(isOwn: (operation: UploadOperation) => boolean): Promise<void>
}

/** What becomes of a decided change and of the transactions that depend on it. */
interface Decision {
  readonly state: Exclude<AttentionState, 'open'>
  readonly again: readonly (Requeued & { readonly origin: QueuedTransaction })[]
}

export function createRejectedChanges(
  database: CommonPowerSyncDatabase,
  rules: DependencyRules,
  now: () => number,
): RejectedChanges {
  const rejected: RejectedChanges = {
    async list() {
      const rows = await database.getAll<AttentionRow>(LIST_REJECTED_SQL)
      return rows.map(toRejectedChange)
    },
    async get(id) {
      const row = await database.getOptional<AttentionRow>('select * from hf_local_attention where id = ?', [id])
      return row ? toRejectedChange(row) : undefined
    },
    retry: (id, edits = [], leftOut = []) =>
      decide(id, (item, waiting) => {
        const transactions = [{ position: item.position, operations: item.operations }, ...waiting]
        const edited = editOperations(transactions, edits)
        return { state: 'sent', again: madeAgain(item, leaveOut(edited, leftOut)) }
      }),
    discard: (id, { withHeld = false } = {}) =>
      decide(id, (item, waiting) => ({
        state: 'discarded',
        again: withHeld ? [] : madeAgain(item, splitHeld(item, waiting, rules).free),
      })),
    heldBy: (change) => splitHeld(change, change.held, rules),
    async withdraw(isOwn) {
      for (const item of await rejected.list()) {
        const others = item.held.filter(({ operations }) => !operations.every(isOwn))
        if (item.operations.every(isOwn)) {
          await decide(item.id, (open, waiting) => {
            const left = waiting.filter(({ operations }) => !operations.every(isOwn))
            return { state: 'discarded', again: madeAgain(open, splitHeld(open, left, rules).free) }
          })
        } else if (others.length < item.held.length) {
          await database.execute(
            `update hf_local_attention set held_ops = ? where id = ? and state = 'open' and held_ops = ?`,
            [JSON.stringify(others), item.id, JSON.stringify(item.held)],
          )
        }
      }
    },
  }
  return rejected

  async function decide(
    id: string,
    choose: (item: RejectedChange, waiting: readonly QueuedTransaction[]) => Decision,
  ): Promise<boolean> {
    return database.writeTransaction(async (tx) => {
      const row = await tx.getOptional<AttentionRow>(
        `select * from hf_local_attention where id = ? and state = 'open'`,
        [id],
      )
      if (!row) return false
      const item = toRejectedChange(row)
      const waiting = [...item.held, ...(await takeWaiting(tx, item))]
      const { state, again } = choose(item, waiting)
      const gone = await keepGone(tx, item, again)
      await tx.execute('update hf_local_attention set state = ?, held_ops = ?, decided_at = ? where id = ?', [
        state,
        JSON.stringify(waiting.filter(({ position }) => !gone.has(position))),
        new Date(now()).toISOString(),
        id,
      ])
      await forgetDecided(tx)
      return true
    })
  }

  /** Transactions of the queue that depend on the item and would be held with it as soon as their turn comes. */
  async function takeWaiting(tx: Transaction, item: RejectedChange): Promise<readonly QueuedTransaction[]> {
    const queued = await takeDependents(tx, unplacedOf(item), rules)
    // What was kept here just before the device died may still stand in the queue as well.
    const known = new Set([item.position, ...item.held.map((held) => held.position)])
    const bases = await readBases(tx)
    return queued
      .filter(({ position }) => !known.has(position))
      .map((transaction) => toSent(transaction, bases, rules.guardOf))
  }

  /**
   * Queues transactions again. One that waited, and changes a record that is no longer here, becomes an item of its own.
   *
   * @returns the positions of such
   */
  async function keepGone(tx: Transaction, item: RejectedChange, again: Decision['again']): Promise<Set<number>> {
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
        at: new Date(now()).toISOString(),
      })
      positions.add(transaction.position)
    }
    return positions
  }
}

/** Live queries of the list use the same words. */
export const LIST_REJECTED_SQL = `select * from hf_local_attention where state = 'open' order by position`

/** After a conflict the person has seen the server's values: those are what the writes are now based on. */
function madeAgain(item: RejectedChange, transactions: readonly QueuedTransaction[]): Decision['again'] {
  const { verdict } = item
  const refused = item.operations.find(({ op_id }) => op_id === verdict.op_id)
  const agreed =
    verdict.status === 'conflict' && refused
      ? { table: refused.type, recordId: refused.id, row: verdict.current }
      : undefined
  return transactions.map((origin) => ({ origin, operations: origin.operations, agreed }))
}
