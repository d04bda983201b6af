import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import type { DependencyRules } from '../queue/depends-on.ts'
import { basesAfterUnplaced, keepBases, type UnplacedTransaction } from '../queue/guard-bases.ts'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'
import type { AttentionVerdict } from '../queue/attention-verdict.ts'
import { readUndecided } from './undecided.ts'

export interface RejectedTransaction {
  readonly clientId: string
  readonly transaction: QueuedTransaction
  readonly verdict: AttentionVerdict
  /** ISO 8601. */
  readonly at: string
}

/**
 * Stores a rejected transaction as a needs-attention item. Idempotent: after a crash before the queue entry is removed, the same verdict arrives again and
 * finds the item.
 */
export async function keepRejected(
  database: CommonPowerSyncDatabase,
  change: UnplacedTransaction,
  rejected: Omit<RejectedTransaction, 'transaction'>,
): Promise<void> {
  await database.writeTransaction(async (tx) => {
    const undecided = await readUndecided(tx, rejected.clientId, { linksOf: () => new Map() })
    if (undecided.isKept(change.sent)) return
    await insertItem(tx, { ...rejected, transaction: change.sent })
    await keepBases(tx, basesAfterUnplaced(change))
  })
}

/** Creates an item for a transaction. */
export async function insertItem(
  tx: Transaction,
  { clientId, transaction, verdict, at }: RejectedTransaction,
): Promise<void> {
  const { position, operations } = transaction
  const failing = operations.find((operation) => operation.op_id === verdict.op_id) ?? operations[0]
  if (!failing) return
  await tx.execute(
    `insert into hf_local_attention
       (id, at, position, table_name, record_id, op, operations, verdict, server_row, held_ops, state)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, '[]', 'open')`,
    [
      `${clientId}:${position}`,
      at,
      position,
      failing.type,
      failing.id,
      failing.op,
      JSON.stringify(operations),
      JSON.stringify(verdict),
      verdict.status === 'conflict' ? JSON.stringify(verdict.row ?? verdict.current) : null,
    ],
  )
}

/**
 * Attaches a transaction to the oldest undecided item that it depends on.
 *
 * @returns true if it is held, now or since an attempt that crashed before removing the queue entry; false if it must be sent
 */
export async function holdBack(
  database: CommonPowerSyncDatabase,
  clientId: string,
  change: UnplacedTransaction,
  rules: DependencyRules,
): Promise<boolean> {
  const transaction = change.sent
  return database.writeTransaction(async (tx) => {
    const undecided = await readUndecided(tx, clientId, rules)
    if (undecided.isKept(transaction)) return true
    const blocker = undecided.blockerOf(transaction)
    if (!blocker) return false
    await tx.execute('update hf_local_attention set held_ops = ? where id = ?', [
      JSON.stringify([...blocker.held, transaction]),
      blocker.id,
    ])
    await keepBases(tx, basesAfterUnplaced(change))
    return true
  })
}
