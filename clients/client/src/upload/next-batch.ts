import type { CommonPowerSyncDatabase, CrudTransaction } from '@powersync/common'
import type { UploadOperation } from '@holdfast/protocol'
import { readUndecided } from '../attention/undecided.ts'
import type { DependencyRules } from '../queue/depends-on.ts'
import { toQueuedTransaction, type QueuedTransaction } from '../queue/queued-transaction.ts'

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
  const queued: CrudTransaction[] = []
  const transactions: QueuedTransaction[] = []
  const touched = new Set<string>()
  let bytes = 0
  let isHeldBack = false
  for await (const next of database.getCrudTransactions()) {
    const transaction = toQueuedTransaction(next)
    bytes += JSON.stringify(transaction.operations).length
    if (transactions.length > 0 && (bytes > BATCH_BYTES_MAX || isBasedOn(transaction, touched))) break
    if (undecided.isKept(transaction) || undecided.isBlocked(transaction)) {
      if (transactions.length > 0) break
      isHeldBack = true
    }
    queued.push(next)
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
      complete: async (count) => queued[count - 1]?.complete(),
    }
  )
}

/** A guarded change depends on the results of earlier changes of its record, so it waits for their response. */
function isBasedOn(transaction: QueuedTransaction, touched: ReadonlySet<string>): boolean {
  return transaction.operations.some((operation) => operation.old && touched.has(recordKey(operation)))
}

function recordKey(operation: UploadOperation): string {
  return `${operation.type}\0${operation.id}`
}
