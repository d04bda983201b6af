import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { UploadOperation } from '@holdfast/protocol'
import type { DependencyRules } from '../queue/depends-on.ts'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'
import { toRejectedChange, type AttentionRow, type RejectedChange } from './attention-item.ts'
import { decide, type Decision } from './decide.ts'
import { editOperations, leaveOut, type EditedValues, type LeftOut } from './edit-operations.ts'
import { splitHeld, type HeldChanges } from './split-held.ts'

/** The changes that the server did not accept, and the ways out for each. */
export interface RejectedChanges {
  /** Undecided ones, oldest first. */
  list(): Promise<readonly RejectedChange[]>
  get(id: string): Promise<RejectedChange | undefined>
  /**
   * Writes the change again as a new local transaction, with `edits` in place of the refused values and without those in `leftOut`. Changes that waited for it
   * follow, each transaction as the one it was.
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

export function createRejectedChanges(
  database: CommonPowerSyncDatabase,
  rules: DependencyRules,
  now: () => number,
): RejectedChanges {
  const options = { rules, now }
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
      decide(database, options, id, (item, waiting) => {
        const transactions = [{ position: item.position, operations: item.operations }, ...waiting]
        const edited = editOperations(transactions, edits)
        return { state: 'sent', again: madeAgain(item, leaveOut(edited, leftOut)) }
      }),
    discard: (id, { withHeld = false } = {}) =>
      decide(database, options, id, (item, waiting) => ({
        state: 'discarded',
        again: withHeld ? [] : madeAgain(item, splitHeld(item, waiting, rules).free),
      })),
    heldBy: (change) => splitHeld(change, change.held, rules),
    async withdraw(isOwn) {
      for (const item of await rejected.list()) {
        const others = item.held.filter(({ operations }) => !operations.every(isOwn))
        if (item.operations.every(isOwn)) {
          await decide(database, options, item.id, (open, waiting) => {
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
