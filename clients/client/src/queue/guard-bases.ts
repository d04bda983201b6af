import type { CommonPowerSyncDatabase, Transaction } from '@powersync/common'
import {
  nextGuardBase,
  rebaseGuards,
  type GuardBase,
  type UploadOperation,
  type UploadResponse,
  type UploadRow,
} from '@holdfast/protocol'
import type { GuardOf } from '../schema/column-rules.ts'
import { comparedColumns } from './depends-on.ts'
import type { QueuedTransaction } from './queued-transaction.ts'

/*
 * This device's own changes alone can make the server's row differ from the one shown here. An applied change may have moved its record further: a trigger
 * counted up its version. A refused change is still shown although the server does not have it. Until the next checkpoint, further changes are made on that
 * sight, and would conflict with the person's own write. What the server has is therefore kept, by record and position: a transaction is always sent with
 * what was known before it, so that a repeat is the same request.
 */

/** The base of one record since the transaction at `position`. */
export interface KnownBase {
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
  if (!old) return operation
  const guarded = comparedColumns(operation, guardOf).map((column) => [column, old[column] ?? null] as const)
  return guarded.length > 0 ? { ...rest, old: Object.fromEntries(guarded) } : rest
}

/** The base of the operation's record from before the transaction at `position`. */
export function baseBefore(
  bases: Bases,
  operation: Pick<UploadOperation, 'type' | 'id'>,
  position: number,
): GuardBase | undefined {
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
  await database.writeTransaction((tx) => keepBases(tx, found))
}

/** A transaction that did not get to the server. */
export interface UnplacedTransaction {
  /** As the device made it. */
  readonly made: QueuedTransaction
  /** As it was sent, or would have been. */
  readonly sent: QueuedTransaction
  /** What was known then. */
  readonly bases: Bases
}

/** The bases of guarded records after a transaction that was not applied: the device shows its values, and the server has the earlier ones. */
export function basesAfterUnplaced({ made, sent, bases }: UnplacedTransaction): readonly KnownBase[] {
  return recordsOf(made.operations).flatMap(({ table, recordId, operations }): readonly KnownBase[] => {
    const [first] = operations
    const before = first && baseBefore(bases, first, made.position)
    const olds = sent.operations.flatMap(({ type, id, old }) => (type === table && id === recordId && old ? [old] : []))
    // The first value counts: later ones are what the transaction itself made of it.
    const now: UploadRow = { ...before?.now, ...Object.assign({}, ...olds.toReversed()) }
    const shown: UploadRow = Object.assign({}, before?.was, ...operations.flatMap(({ old, data }) => [old, data]))
    const was = Object.fromEntries(Object.keys(now).map((column) => [column, shown[column] ?? null]))
    const isKnown = operations.every(({ op }) => op === 'PATCH') && (before !== undefined || isAhead({ was, now }))
    return isKnown ? [{ table, recordId, position: made.position, base: { was, now } }] : []
  })
}

/** Stores bases; an earlier base for the same position is replaced. */
export async function keepBases(tx: Transaction, found: readonly KnownBase[]): Promise<void> {
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
}

/** The operations by record, in order. */
export function recordsOf(
  operations: readonly UploadOperation[],
): readonly { readonly table: string; readonly recordId: string; readonly operations: readonly UploadOperation[] }[] {
  const records = new Map<string, UploadOperation[]>()
  for (const operation of operations) {
    const key = recordKey(operation)
    records.set(key, [...(records.get(key) ?? []), operation])
  }
  return [...records.values()].flatMap((own) =>
    own[0] ? [{ table: own[0].type, recordId: own[0].id, operations: own }] : [],
  )
}

function basesAfter(
  { position, operations }: QueuedTransaction,
  response: UploadResponse,
  bases: Bases,
): readonly KnownBase[] {
  const reported = new Map(
    response.verdicts.flatMap((verdict) =>
      verdict.status === 'applied' && verdict.now ? [[verdict.op_id, verdict.now] as const] : [],
    ),
  )
  return recordsOf(operations).flatMap(({ table, recordId, operations: own }): readonly KnownBase[] => {
    const before = baseBefore(bases, { type: table, id: recordId }, position)
    const now =
      own.map(({ op_id }) => reported.get(op_id)).findLast(Boolean) ?? (before && writtenOver(before.now, own))
    if (!now) return []
    const base = own.reduce<GuardBase | undefined>((known, operation) => nextGuardBase(operation, known, now), before)
    // Where something else was known, that the two agree is news.
    return base && (before || isAhead(base)) ? [{ table, recordId, position, base }] : []
  })
}

/** What the server has after applied operations when it does not say so. */
function writtenOver(row: UploadRow, operations: readonly UploadOperation[]): UploadRow {
  const written: UploadRow = Object.assign({}, ...operations.map(({ data }) => data))
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, written[column] ?? value]))
}

/** The server has something else than the device shows. */
function isAhead({ was, now }: GuardBase): boolean {
  return Object.entries(now).some(([column, value]) => (was[column] ?? null) !== value)
}

/** Deletes the bases of records that this device shows as they are now. To be called when the state of sync changes. */
export async function forgetBases(database: CommonPowerSyncDatabase): Promise<void> {
  if (!(await database.getOptional('select 1 from hf_local_bases limit 1'))) return
  await database.writeTransaction(async (tx) => {
    // A record with a waiting change shows neither; and no checkpoint is applied before the queue is empty.
    if (await tx.getOptional('select 1 from ps_crud limit 1')) return
    // The SDK lists the rows that were written here until a checkpoint with everything that was sent has replaced them.
    await tx.execute(
      `delete from hf_local_bases where not exists
         (select 1 from ps_updated_rows where row_type = hf_local_bases.table_name and row_id = hf_local_bases.record_id)`,
    )
  })
}

function recordKey({ type, id }: Pick<UploadOperation, 'type' | 'id'>): string {
  return `${type}\0${id}`
}
