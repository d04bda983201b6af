import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import { dependsOn, type LinksOf } from '../upload/depends-on.ts'
import type { QueuedTransaction } from '../upload/queued-transaction.ts'
import { toRejectedChange, type AttentionRow, type AttentionVerdict, type RejectedChange } from './attention-item.ts'

/**
 * Keeps a refused transaction in needs attention. Doing it twice is doing it once: a device that dies between this and the completion of the
 * queue entry gets the same verdict again and finds the item there, decided or not.
 */
export async function keepRejected(
  database: CommonPowerSyncDatabase,
  input: {
    readonly clientId: string
    readonly transaction: QueuedTransaction
    readonly verdict: AttentionVerdict
    /** ISO 8601. */
    readonly at: string
  },
): Promise<void> {
  const { transaction, verdict } = input
  const failing =
    transaction.operations.find((operation) => operation.op_id === verdict.op_id) ?? transaction.operations[0]
  if (!failing) return
  const id = `${input.clientId}:${transaction.position}`
  await database.writeTransaction(async (tx) => {
    const existing = await tx.getOptional('select 1 from hf_local_attention where id = ?', [id])
    if (existing) return
    await tx.execute(
      `insert into hf_local_attention
         (id, at, position, table_name, record_id, op, operations, verdict, server_row, held_ops, state)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, '[]', 'open')`,
      [
        id,
        input.at,
        transaction.position,
        failing.type,
        failing.id,
        failing.op,
        JSON.stringify(transaction.operations),
        JSON.stringify(verdict),
        verdict.status === 'conflict' ? JSON.stringify(verdict.current) : null,
      ],
    )
  })
}

/**
 * Puts a transaction to the oldest undecided item that it depends on. Again, twice is once.
 *
 * @returns false when it depends on nothing: then it is to be sent
 */
export async function holdBack(
  database: CommonPowerSyncDatabase,
  transaction: QueuedTransaction,
  linksOf: LinksOf,
): Promise<boolean> {
  return database.writeTransaction(async (tx) => {
    const blocker = (await readOpen(tx)).find((item) => dependsOn(transaction.operations, allOperations(item), linksOf))
    if (!blocker) return false
    if (blocker.held.some((held) => held.position === transaction.position)) return true
    await tx.execute('update hf_local_attention set held_ops = ? where id = ?', [
      JSON.stringify([...blocker.held, transaction]),
      blocker.id,
    ])
    return true
  })
}

/** Undecided items, oldest first. */
export async function readOpen(tx: Pick<Transaction, 'getAll'>): Promise<readonly RejectedChange[]> {
  const rows = await tx.getAll<AttentionRow>(`select * from hf_local_attention where state = 'open' order by position`)
  return rows.map(toRejectedChange)
}

/** Its own operations and those of everything held with it. */
export function allOperations(item: RejectedChange): RejectedChange['operations'] {
  return [...item.operations, ...item.held.flatMap((held) => held.operations)]
}
