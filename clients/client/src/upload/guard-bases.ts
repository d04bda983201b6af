import type { CommonPowerSyncDatabase } from '@powersync/common'
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
  readonly position: number
  readonly base: GuardBase
}

export type Bases = ReadonlyMap<string, readonly KnownBase[]>

interface BaseRow {
  readonly record: string
  readonly position: number
  readonly was: string
  readonly now: string
}

export async function readBases(database: Pick<CommonPowerSyncDatabase, 'getAll'>): Promise<Bases> {
  const rows = await database.getAll<BaseRow>('select record, position, was, now from hf_local_bases order by position')
  const bases = new Map<string, KnownBase[]>()
  for (const { record, position, was, now } of rows) {
    const base = { was: JSON.parse(was) as UploadRow, now: JSON.parse(now) as UploadRow }
    const known = bases.get(record)
    if (known) known.push({ position, base })
    else bases.set(record, [{ position, base }])
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
    for (const { record, position, base } of found) {
      await tx.execute(
        'insert or replace into hf_local_bases (id, record, position, was, now) values (?, ?, ?, ?, ?)',
        [`${position}:${record}`, record, position, JSON.stringify(base.was), JSON.stringify(base.now)],
      )
    }
  })
}

function basesAfter(
  { position, operations }: QueuedTransaction,
  response: UploadResponse,
  bases: Bases,
): readonly (KnownBase & { readonly record: string })[] {
  return response.verdicts.flatMap((verdict) => {
    const now = verdict.status === 'applied' ? verdict.now : undefined
    const operation = now && operations.find(({ op_id }) => op_id === verdict.op_id)
    if (!operation) return []
    const record = recordKey(operation)
    const base = operations
      .filter((other) => recordKey(other) === record)
      .reduce<GuardBase | undefined>(
        (before, other) => nextGuardBase(other, before, now),
        baseBefore(bases, operation, position),
      )
    return base ? [{ record, position, base }] : []
  })
}

/**
 * Forgets everything once the rows on the device are those after the person's last change. To be called when the state of sync changes.
 *
 * @see the core of the SDK: `$local` stands for the queue, and `target_op` is the write checkpoint that its rows need
 */
export async function forgetBases(database: CommonPowerSyncDatabase): Promise<void> {
  const known = await database.getOptional(
    `select 1 from hf_local_bases
      where not exists (select 1 from ps_crud)
        and exists (select 1 from ps_buckets where name = '$local' and last_applied_op >= target_op) limit 1`,
  )
  if (!known) return
  await database.writeTransaction(async (tx) => {
    // Looked at again, now that nobody writes in between.
    await tx.execute(
      `delete from hf_local_bases
        where not exists (select 1 from ps_crud)
          and exists (select 1 from ps_buckets where name = '$local' and last_applied_op >= target_op)`,
    )
  })
}

function recordKey(operation: UploadOperation): string {
  return `${operation.type}/${operation.id}`
}
