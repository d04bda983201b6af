import type { CommonPowerSyncDatabase, CrudEntry } from '@powersync/common'
import type { UploadOperation } from '@holdfast/protocol'
import { readUndecided } from '../attention/undecided.ts'
import type { DependencyRules } from '../queue/depends-on.ts'
import { type QueuedTransaction, toQueuedTransaction } from '../queue/queued-transaction.ts'

/** Size limit of a request in queue encoding: a quarter of the server's limit, so that overhead never matters. A larger transaction is sent alone. */
export const BATCH_BYTES_MAX = 1024 * 1024

/** The oldest queued transactions that may be sent together. */
export interface QueuedBatch {
  readonly first: QueuedTransaction
  /** At least one, oldest first. */
  readonly transactions: readonly QueuedTransaction[]
  /** The only transaction depends on an undecided change and must not be sent. */
  readonly isHeldBack: boolean
  /** Removes the first `count` transactions from the queue. */
  complete(count: number): Promise<void>
}

export interface BatchOptions {
  readonly clientId: string
  readonly rules: DependencyRules
  /** Maximum number of transactions. */
  readonly transactionsMax: number
  /** Transactions up to this position are sent individually. */
  readonly aloneUntil: number
}

export async function nextBatch(
  database: CommonPowerSyncDatabase,
  options: BatchOptions,
): Promise<QueuedBatch | undefined> {
  const undecided = await readUndecided(database, options.clientId, options.rules)
  const transactions: QueuedTransaction[] = []
  const touched = new Set<string>()
  let bytes = 0
  let isHeldBack = false
  for (const transaction of await readQueue(database, options)) {
    bytes += JSON.stringify(transaction.operations).length
    if (transactions.length > 0 && (bytes > BATCH_BYTES_MAX || isBasedOn(transaction, touched))) break
    if (undecided.isKept(transaction) || undecided.isBlocked(transaction)) {
      if (transactions.length > 0) break
      isHeldBack = true
    }
    transactions.push(transaction)
    if (isHeldBack || transactions.length >= options.transactionsMax) break
    if (transaction.position <= options.aloneUntil) break
    for (const operation of transaction.operations) touched.add(recordKey(operation))
  }
  const [first] = transactions
  return (
    first && {
      first,
      transactions,
      isHeldBack,
      complete: (count) => complete(database, transactions[count - 1]?.position ?? 0),
    }
  )
}

/** Reads the oldest transactions with one query: an import has one per record, and the SDK's iterator takes a query for each. */
async function readQueue(
  database: CommonPowerSyncDatabase,
  { transactionsMax }: BatchOptions,
): Promise<readonly QueuedTransaction[]> {
  const batch = await database.getCrudBatch(transactionsMax * 2)
  if (!batch) return []
  const transactions: CrudEntry[][] = []
  for (const entry of batch.crud) {
    const last = transactions.at(-1)
    const before = last?.at(-1)
    if (last && before?.transactionId === entry.transactionId && before?.clientId === entry.clientId - 1)
      last.push(entry)
    else transactions.push([entry])
  }
  // The limit may have cut the last one.
  if (batch.haveMore) transactions.pop()
  if (transactions.length > 0) return transactions.map((crud) => toQueuedTransaction({ crud }))
  const larger = await database.getNextCrudTransaction()
  return larger ? [toQueuedTransaction(larger)] : []
}

/** Removes the operations up to `position` from the queue, as far as the user has not withdrawn them meanwhile. */
async function complete(database: CommonPowerSyncDatabase, position: number): Promise<void> {
  for (;;) {
    const { waiting } = await database.get<{ readonly waiting: number }>(
      'select count(*) as waiting from ps_crud where id <= ?',
      [position],
    )
    const batch = waiting === 0 ? null : await database.getCrudBatch(waiting)
    if (!batch) return
    if ((batch.crud.at(-1)?.clientId ?? 0) <= position) return batch.complete()
  }
}

/** A guarded change depends on the results of earlier changes of its record, so it waits for their response. */
function isBasedOn(transaction: QueuedTransaction, touched: ReadonlySet<string>): boolean {
  return transaction.operations.some((operation) => operation.old && touched.has(recordKey(operation)))
}

function recordKey(operation: UploadOperation): string {
  return `${operation.type}\0${operation.id}`
}
