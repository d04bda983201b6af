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
  const id = itemId(input.clientId, transaction.position)
  await database.writeTransaction(async (tx) => {
    if (await isKept(tx, input.clientId, transaction.position)) return
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
        verdict.status === 'conflict' ? JSON.stringify(verdict.row ?? verdict.current) : null,
      ],
    )
  })
}

/**
 * Puts a transaction to the oldest undecided item that it depends on.
 *
 * @returns true when the transaction is kept in needs attention, now or since an earlier attempt that died before the queue entry was gone;
 *   false when it is to be sent
 */
export async function holdBack(
  database: CommonPowerSyncDatabase,
  clientId: string,
  transaction: QueuedTransaction,
  linksOf: LinksOf,
): Promise<boolean> {
  return database.writeTransaction(async (tx) => {
    if (await isKept(tx, clientId, transaction.position)) return true
    const blocker = (await readOpen(tx)).find((item) => dependsOn(transaction.operations, allOperations(item), linksOf))
    if (!blocker) return false
    await tx.execute('update hf_local_attention set held_ops = ? where id = ?', [
      JSON.stringify([...blocker.held, transaction]),
      blocker.id,
    ])
    return true
  })
}

/** Whether {@link holdBack} would keep the transaction. */
export async function waitsFor(
  database: CommonPowerSyncDatabase,
  clientId: string,
  transaction: QueuedTransaction,
  linksOf: LinksOf,
): Promise<boolean> {
  // Nearly always nothing was ever refused.
  if (!(await database.getOptional('select 1 from hf_local_attention limit 1'))) return false
  return database.readTransaction(
    async (tx) =>
      (await isKept(tx, clientId, transaction.position)) ||
      (await readOpen(tx)).some((item) => dependsOn(transaction.operations, allOperations(item), linksOf)),
  )
}

/** Whether the transaction is an item, or held with one, whatever was decided about it since. */
async function isKept(tx: Pick<Transaction, 'getOptional'>, clientId: string, position: number): Promise<boolean> {
  const kept = await tx.getOptional(
    `select 1 from hf_local_attention item
      where item.id = ?
         or exists (select 1 from json_each(item.held_ops) held where json_extract(held.value, '$.position') = ?)`,
    [itemId(clientId, position), position],
  )
  return kept !== null
}

function itemId(clientId: string, position: number): string {
  return `${clientId}:${position}`
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
