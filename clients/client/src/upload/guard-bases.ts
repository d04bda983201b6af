import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import {
  nextGuardBase,
  rebaseGuards,
  type GuardBase,
  type UploadOperation,
  type UploadResponse,
  type UploadRow,
} from '@holdfast/protocol'
import type { GuardOf } from '../schema/to-local-schema.ts'
import type { QueuedTransaction } from './queued-transaction.ts'

/*
 * An applied change may have moved its record further than this device shows: a trigger counted up its version. Until the next checkpoint brings that here,
 * further changes are made on the old sight, and would conflict with the person's own write. What the server said it has is therefore kept, by
 * record and position: a transaction is always sent with what was known before it, so that a repeat is the same request.
 */

/** What is known of one record since the transaction at `position`. */
interface KnownBase {
  readonly table: string
  readonly recordId: string
  readonly position: number
  readonly base: GuardBase
}

/** What the server has of guarded records by the own changes of this device, by record. */
export type Bases = ReadonlyMap<string, readonly KnownBase[]>

interface BaseRow {
  readonly table_name: string
  readonly record_id: string
  readonly position: number
  readonly was: string
  readonly now: string
}

/** Reads what earlier uploads were answered with. */
export async function readBases(database: Pick<CommonPowerSyncDatabase, 'getAll'>): Promise<Bases> {
  const rows = await database.getAll<BaseRow>(
    'select table_name, record_id, position, was, now from hf_local_bases order by position',
  )
  const bases = new Map<string, KnownBase[]>()
  for (const { table_name: table, record_id: recordId, position, was, now } of rows) {
    const key = recordKey({ type: table, id: recordId })
    const base = { was: JSON.parse(was) as UploadRow, now: JSON.parse(now) as UploadRow }
    bases.set(key, [...(bases.get(key) ?? []), { table, recordId, position, base }])
  }
  return bases
}

/** The transaction as the server gets it: with the previous values that are guarded, brought up to the person's own applied changes. */
export function toSent(transaction: QueuedTransaction, bases: Bases, guardOf: GuardOf | undefined): QueuedTransaction {
  const operations = transaction.operations.map((operation) =>
    rebaseGuards(withGuardedOnly(operation, guardOf), baseBefore(bases, operation, transaction.position)),
  )
  return { position: transaction.position, operations }
}

/** The local database tracks more than is to be compared: a guarded column counts when it is what the change is about. */
function withGuardedOnly(operation: UploadOperation, guardOf: GuardOf | undefined): UploadOperation {
  const { old, ...rest } = operation
  if (!old || !guardOf || operation.op !== 'PATCH') return operation
  const guarded = Object.entries(old).filter(
    ([column]) => guardOf(operation.type, column) !== 'column' || (operation.data && column in operation.data),
  )
  return guarded.length > 0 ? { ...rest, old: Object.fromEntries(guarded) } : rest
}

function baseBefore(bases: Bases, operation: UploadOperation, position: number): GuardBase | undefined {
  return bases.get(recordKey(operation))?.findLast((known) => known.position < position)?.base
}

/** Keeps what the server says of guarded records after applied transactions. */
export async function rememberBases(
  database: CommonPowerSyncDatabase,
  transactions: readonly QueuedTransaction[],
  results: readonly UploadResponse[],
  bases: Bases,
): Promise<void> {
  const found = results.flatMap((response, index) => {
    const transaction = transactions[index]
    return transaction ? basesAfter(transaction, response, bases) : []
  })
  if (found.length === 0) return
  await database.writeTransaction(async (tx) => {
    for (const { table, recordId, position, base } of found) {
      await tx.execute(
        'insert or replace into hf_local_bases (id, table_name, record_id, position, was, now) values (?, ?, ?, ?, ?, ?)',
        [
          `${position}:${table}:${recordId}`,
          table,
          recordId,
          position,
          JSON.stringify(base.was),
          JSON.stringify(base.now),
        ],
      )
    }
  })
}

function basesAfter(
  { position, operations }: QueuedTransaction,
  response: UploadResponse,
  bases: Bases,
): readonly KnownBase[] {
  return response.verdicts.flatMap((verdict) => {
    const now = verdict.status === 'applied' ? verdict.now : undefined
    const operation = now && operations.find(({ op_id }) => op_id === verdict.op_id)
    if (!operation) return []
    const base = operations
      .filter((other) => recordKey(other) === recordKey(operation))
      .reduce<GuardBase | undefined>(
        (before, other) => nextGuardBase(other, before, now),
        baseBefore(bases, operation, position),
      )
    return base && isAhead(base) ? [{ table: operation.type, recordId: operation.id, position, base }] : []
  })
}

/** The database made something else of the change than the device shows. */
function isAhead({ was, now }: GuardBase): boolean {
  return Object.entries(now).some(([column, value]) => was[column] !== value)
}

/** Forgets what is known of records that this device shows as they are now. To be called when the state of sync changes. */
export async function forgetBases(database: CommonPowerSyncDatabase): Promise<void> {
  if (!(await database.getOptional('select 1 from hf_local_bases limit 1'))) return
  await database.writeTransaction(async (tx) => {
    // A record with a waiting change shows neither; and no checkpoint is applied before the queue is empty.
    if (await tx.getOptional('select 1 from ps_crud limit 1')) return
    for (const known of (await readBases(tx)).values()) {
      const last = known.at(-1)
      if (!last || (await isShown(tx, last))) continue
      await tx.execute('delete from hf_local_bases where table_name = ? and record_id = ?', [last.table, last.recordId])
    }
  })
}

/** Whether the device still shows the record as it was before the server's answer. */
async function isShown(tx: Transaction, { table, recordId, base }: KnownBase): Promise<boolean> {
  const known = await tx.getOptional(`select 1 from sqlite_master where type = 'view' and name = ?`, [table])
  if (!known) return false
  const row = await tx.getOptional<UploadRow>(`select * from "${table.replaceAll('"', '""')}" where id = ?`, [recordId])
  return row !== null && Object.entries(base.was).every(([column, value]) => (row[column] ?? null) === value)
}

function recordKey({ type, id }: Pick<UploadOperation, 'type' | 'id'>): string {
  return `${type}\0${id}`
}
