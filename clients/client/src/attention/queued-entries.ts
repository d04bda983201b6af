import type { Transaction } from '@powersync/common'
import type { UploadOperation } from '@holdfast/protocol'
import {
  addUnplaced,
  dependenceOn,
  openRecordsOf,
  type DependencyRules,
  type UnplacedChange,
} from '../queue/depends-on.ts'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'

interface EntryRow {
  readonly id: number
  readonly data: string
  readonly tx_id: number | null
}

/**
 * Takes the transactions that depend on `changes`, directly or indirectly, from the upload queue. They cannot be in transit, because the queue holds back
 * dependents of undecided items.
 *
 * @returns the taken transactions, oldest first
 */
export async function takeDependents(
  tx: Transaction,
  changes: readonly UnplacedChange[],
  rules: DependencyRules,
): Promise<readonly QueuedTransaction[]> {
  const taken: QueuedTransaction[] = []
  const open = openRecordsOf(changes)
  for (const queued of await readQueue(tx)) {
    if (!dependenceOn(queued.operations, open, rules)) continue
    taken.push(queued)
    addUnplaced(open, queued)
    for (const { op_id } of queued.operations) await tx.execute('delete from ps_crud where id = ?', [op_id])
  }
  return taken
}

async function readQueue(tx: Transaction): Promise<readonly QueuedTransaction[]> {
  const rows = await tx.getAll<EntryRow>('select id, data, tx_id from ps_crud order by id')
  const groups: { txId: number | null; operations: UploadOperation[] }[] = []
  for (const row of rows) {
    const operation = toOperation(row)
    const last = groups.at(-1)
    if (last && row.tx_id !== null && last.txId === row.tx_id) last.operations.push(operation)
    else groups.push({ txId: row.tx_id, operations: [operation] })
  }
  return groups.map(({ operations }) => ({ position: operations.at(-1)?.op_id ?? 0, operations }))
}

function toOperation(row: EntryRow): UploadOperation {
  return { ...(JSON.parse(row.data) as Omit<UploadOperation, 'op_id'>), op_id: row.id }
}
