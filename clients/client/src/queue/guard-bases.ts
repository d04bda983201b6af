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
 * Only this device's own changes can make the server's row differ from the displayed one. After an applied change, a trigger may have incremented the version;
 * a rejected change is displayed although the server lacks it. Until the next checkpoint, further changes are based on what is displayed and would conflict
 * with the user's own write. Therefore the server's values are stored by record and position. A transaction is always sent with what was known before it, so a
 * retry is an identical request.
 */

/** The record that an operation writes. */
type RecordName = Pick<UploadOperation, 'type' | 'id'>

/** The cross join makes SQLite look each record up in the index `by_record`. */
const BASES_SQL = `
  with named as (select distinct value ->> 0 as table_name, value ->> 1 as record_id from json_each(?))
  select base.table_name, base.record_id, base.position, base.was, base.now
    from named cross join hf_local_bases base
      on base.table_name = named.table_name and base.record_id = named.record_id
   order by base.position`

/** Base of one record after the transaction at `position`. */
export interface KnownBase {
  readonly table: string
  readonly recordId: string
  readonly position: number
  readonly base: GuardBase
}

/** Server values of guarded records resulting from this device's own changes, by record. */
export type Bases = ReadonlyMap<string, readonly KnownBase[]>

interface BaseRow {
  readonly table_name: string
  readonly record_id: string
  readonly position: number
  readonly was: string
  readonly now: string
}

/** Reads the bases of the given records: after an import every record may have one, and a request is about a few hundred. */
export async function readBases(
  database: Pick<CommonPowerSyncDatabase, 'getAll'>,
  records: readonly RecordName[],
): Promise<Bases> {
  const rows = await database.getAll<BaseRow>(BASES_SQL, [JSON.stringify(records.map(({ type, id }) => [type, id]))])
  const bases = new Map<string, KnownBase[]>()
  for (const { table_name: table, record_id: recordId, position, was, now } of rows) {
    const key = recordKey({ type: table, id: recordId })
    const base = { was: JSON.parse(was) as UploadRow, now: JSON.parse(now) as UploadRow }
    bases.set(key, [...(bases.get(key) ?? []), { table, recordId, position, base }])
  }
  return bases
}

/** Returns the transaction to send: with guarded previous values, updated by the user's own applied changes. */
export function toSent(transaction: QueuedTransaction, bases: Bases, guardOf: GuardOf | undefined): QueuedTransaction {
  const operations = transaction.operations.map((operation) =>
    rebaseGuards(withGuardedOnly(operation, guardOf), baseBefore(bases, operation, transaction.position)),
  )
  return { position: transaction.position, operations }
}

/** Drops tracked values that need no comparison: a guarded column counts if the change concerns it. */
function withGuardedOnly(operation: UploadOperation, guardOf: GuardOf | undefined): UploadOperation {
  const { old, ...rest } = operation
  if (!old) return operation
  const guarded = comparedColumns(operation, guardOf).map((column) => [column, old[column] ?? null] as const)
  return guarded.length > 0 ? { ...rest, old: Object.fromEntries(guarded) } : rest
}

/** Returns the base of the operation's record before the transaction at `position`. */
export function baseBefore(bases: Bases, operation: RecordName, position: number): GuardBase | undefined {
  return bases.get(recordKey(operation))?.findLast((known) => known.position < position)?.base
}

/** Stores the server's values of guarded records after applied transactions. */
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

/** A transaction that the server did not apply. */
export interface UnplacedTransaction {
  /** As created on the device. */
  readonly made: QueuedTransaction
  /** As sent, or as it would have been. */
  readonly sent: QueuedTransaction
  /** Bases known at that time. */
  readonly bases: Bases
}

/** Computes bases after a transaction that was not applied: the device shows its values, the server has the earlier ones. */
export function basesAfterUnplaced({ made, sent, bases }: UnplacedTransaction): readonly KnownBase[] {
  return recordsOf(made.operations).flatMap(({ table, recordId, operations }): readonly KnownBase[] => {
    const [first] = operations
    const before = first && baseBefore(bases, first, made.position)
    const olds = sent.operations.flatMap(({ type, id, old }) => (type === table && id === recordId && old ? [old] : []))
    // The first value counts; later ones result from the transaction itself.
    const now: UploadRow = { ...before?.now, ...Object.assign({}, ...olds.toReversed()) }
    const shown: UploadRow = Object.assign({}, before?.was, ...operations.flatMap(({ old, data }) => [old, data]))
    const was = Object.fromEntries(Object.keys(now).map((column) => [column, shown[column] ?? null]))
    const isKnown = operations.every(({ op }) => op === 'PATCH') && (before !== undefined || isAhead({ was, now }))
    return isKnown ? [{ table, recordId, position: made.position, base: { was, now } }] : []
  })
}

/** Stores bases, replacing those at the same position. */
export async function keepBases(tx: Transaction, found: readonly KnownBase[]): Promise<void> {
  const rows = found.map(({ table, recordId, position, base }) => [
    `${position}:${table}:${recordId}`,
    table,
    recordId,
    position,
    JSON.stringify(base.was),
    JSON.stringify(base.now),
  ])
  await tx.execute(
    `insert or replace into hf_local_bases (id, table_name, record_id, position, was, now)
     select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 from json_each(?)`,
    [JSON.stringify(rows)],
  )
}

/** Groups operations by record, in order. */
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
    // If a difference was known before, agreement must be stored, too.
    return base && (before || isAhead(base)) ? [{ table, recordId, position, base }] : []
  })
}

/** Computes the server's values after applied operations if its response omits them. */
function writtenOver(row: UploadRow, operations: readonly UploadOperation[]): UploadRow {
  const written: UploadRow = Object.assign({}, ...operations.map(({ data }) => data))
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, written[column] ?? value]))
}

/** Whether the server's values differ from the displayed ones. */
function isAhead({ was, now }: GuardBase): boolean {
  return Object.entries(now).some(([column, value]) => (was[column] ?? null) !== value)
}

/** Deletes bases of records whose display is current. Call when the sync state changes. */
export async function forgetBases(database: CommonPowerSyncDatabase): Promise<void> {
  if (!(await database.getOptional('select 1 from hf_local_bases limit 1'))) return
  await database.writeTransaction(async (tx) => {
    // Records with queued changes are not current, and no checkpoint is applied before the queue is empty.
    if (await tx.getOptional('select 1 from ps_crud limit 1')) return
    // The SDK lists locally written rows until a checkpoint including them has replaced them.
    await tx.execute(
      `delete from hf_local_bases where not exists
         (select 1 from ps_updated_rows where row_type = hf_local_bases.table_name and row_id = hf_local_bases.record_id)`,
    )
  })
}

function recordKey({ type, id }: RecordName): string {
  return `${type}\0${id}`
}
