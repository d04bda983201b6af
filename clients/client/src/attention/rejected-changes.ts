import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { UploadOperation } from '@holdfast/protocol'
import type { DependencyRules } from '../queue/depends-on.ts'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'
import { toRejectedChange, type AttentionRow, type RejectedChange } from './attention-item.ts'
import { decide, type Decision } from './decide.ts'
import { editOperations, leaveOut, type EditedValues, type LeftOut } from './edit-operations.ts'
import { splitHeld, type HeldChanges } from './split-held.ts'

/** The changes that the server rejected, and the possible decisions. */
export interface RejectedChanges {
  /** Undecided ones, oldest first. */
  list(): Promise<readonly RejectedChange[]>
  get(id: string): Promise<RejectedChange | undefined>
  /**
   * Writes the change again as a new local transaction, with `edits` replacing rejected values and without `leftOut`. Held changes follow, each as its own
   * transaction.
   *
   * @returns false if already decided
   * @throws {RecordGone} if a record to change is no longer on this device; the change stays undecided
   */
  retry(id: string, edits?: readonly EditedValues[], leftOut?: readonly LeftOut[]): Promise<boolean>
  /**
   * Discards the change. Held changes that do not need it are sent; those needing a record that only it would create are discarded, too. The next checkpoint
   * restores the server's values.
   *
   * @param options.withHeld - discard all held changes
   * @returns false if already decided
   */
  discard(id: string, options?: { readonly withHeld?: boolean }): Promise<boolean>
  /** Returns what a discard would do with the held changes. */
  heldBy(change: RejectedChange): HeldChanges
  /** Undoes operations that never reached the server: discards rejected and held transactions that consist only of such operations. */
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

/** Shared with the live query of the list. */
export const LIST_REJECTED_SQL = `select * from hf_local_attention where state = 'open' order by position`

/** After a conflict the user has seen the server's values, so the writes are based on these. */
function madeAgain(item: RejectedChange, transactions: readonly QueuedTransaction[]): Decision['again'] {
  const { verdict } = item
  const refused = item.operations.find(({ op_id }) => op_id === verdict.op_id)
  const agreed =
    verdict.status === 'conflict' && refused
      ? { table: refused.type, recordId: refused.id, row: verdict.current }
      : undefined
  return transactions.map((origin) => ({ origin, operations: origin.operations, agreed }))
}
