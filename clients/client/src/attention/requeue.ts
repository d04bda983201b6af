import type { Transaction } from '@powersync/common'
import { type GuardBase, type UploadOperation, type UploadRow, quoteName } from '@holdfast/protocol'
import { baseBefore, keepBases, readBases, recordsOf, type KnownBase } from '../queue/guard-bases.ts'
import { lastQueued, separate } from '../queue/write-by-record.ts'
import { goneRecord, localColumns, writeRow } from './write-row.ts'

/** A local transaction to repeat. */
export interface Requeued {
  readonly operations: readonly UploadOperation[]
  /** The server's row of a conflict as confirmed by the user. */
  readonly agreed?: { readonly table: string; readonly recordId: string; readonly row: UploadRow } | undefined
}

/**
 * Repeats transactions within the caller's transaction: the local rows change immediately, and the upload queue gets exactly these operations, per transaction.
 * A plain UPDATE would queue only differences from the local row, which may still show the rejected change.
 *
 * Previous values of guarded columns are those shown on this device; the server's values are kept separately, as for any change not yet visible here.
 *
 * @returns transactions omitted because a record they change no longer exists
 */
export async function requeue(
  tx: Transaction,
  transactions: readonly Requeued[],
): Promise<readonly { readonly index: number; readonly table: string; readonly recordId: string }[]> {
  const before = await lastQueued(tx)
  const sights = await readSights(tx, transactions)
  const gone: { readonly index: number; readonly table: string; readonly recordId: string }[] = []
  for (const [index, { operations }] of transactions.entries()) {
    const record = await goneRecord(tx, operations)
    if (record) {
      gone.push({ index, ...record })
      continue
    }
    const last = await lastQueued(tx)
    for (const operation of operations) await writeRow(tx, operation)
    await tx.execute('delete from ps_crud where id > ?', [last])
    await queueTransaction(tx, operations, sights)
  }
  await keepSights(tx, before, sights)
  return gone
}

/** A record with guarded columns: the row shown on this device and the server's. */
interface Sight {
  readonly table: string
  readonly recordId: string
  /** After the operations so far; `undefined` if the record is not on the device. */
  shown: UploadRow | undefined
  readonly base: GuardBase
}

async function readSights(tx: Transaction, transactions: readonly Requeued[]): Promise<Map<string, Sight>> {
  const sights = new Map<string, Sight>()
  const agreed = transactions.flatMap((transaction) => transaction.agreed ?? [])
  for (const { table, recordId, operations } of recordsOf(
    transactions.flatMap((transaction) => transaction.operations),
  )) {
    const olds = operations.flatMap(({ old }) => (old ? [old] : []))
    if (olds.length === 0 || (await localColumns(tx, table)).size === 0) continue
    const shown = await tx.getOptional<UploadRow>(`select * from ${quoteName(table)} where id = ?`, [recordId])
    const seen = agreed.find((row) => row.table === table && row.recordId === recordId)?.row
    // The first value counts; later ones result from the changes themselves.
    const now: UploadRow = { ...Object.assign({}, ...olds.toReversed()), ...seen }
    const was = Object.fromEntries(Object.keys(now).map((column) => [column, shown?.[column] ?? null]))
    sights.set(sightKey(table, recordId), { table, recordId, shown: shown ?? undefined, base: { was, now } })
  }
  return sights
}

async function queueTransaction(
  tx: Transaction,
  operations: readonly UploadOperation[],
  sights: ReadonlyMap<string, Sight>,
): Promise<void> {
  const before = await lastQueued(tx)
  for (const operation of operations) {
    const sight = sights.get(sightKey(operation.type, operation.id))
    await queueOperation(tx, operation, sight && previousValues(operation, sight))
    if (sight) sight.shown = operation.op === 'DELETE' ? undefined : { ...sight.shown, ...operation.data }
  }
  const { first } = await tx.get<{ first: number | null }>('select min(id) as first from ps_crud where id > ?', [
    before,
  ])
  if (first !== null) await separate(tx, first, await lastQueued(tx))
}

function previousValues({ old }: UploadOperation, { shown, base }: Sight): UploadRow | undefined {
  if (!old) return undefined
  const row = shown ?? base.now
  return Object.fromEntries(Object.keys(old).map((column) => [column, row[column] ?? null]))
}

async function queueOperation(tx: Transaction, operation: UploadOperation, old: UploadRow | undefined): Promise<void> {
  await tx.execute(
    'insert into powersync_crud (op, id, type, data, old_values, metadata) values (?, ?, ?, json(?), json(?), ?)',
    [
      operation.op,
      operation.id,
      operation.type,
      operation.data ? JSON.stringify(operation.data) : null,
      old ? JSON.stringify(old) : null,
      operation.metadata ?? null,
    ],
  )
}

/** Stores the server's values of the records for transactions queued after `before` and their successors. */
async function keepSights(tx: Transaction, before: number, sights: ReadonlyMap<string, Sight>): Promise<void> {
  const { first } = await tx.get<{ first: number | null }>('select min(id) as first from ps_crud where id > ?', [
    before,
  ])
  if (first === null || sights.size === 0) return
  const known = await readBases(
    tx,
    [...sights.values()].map(({ table, recordId }) => ({ type: table, id: recordId })),
  )
  const found = [...sights.values()].map(({ table, recordId, base }): KnownBase => {
    const last = baseBefore(known, { type: table, id: recordId }, first)
    return {
      table,
      recordId,
      position: first - 1,
      base: { was: { ...last?.was, ...base.was }, now: { ...last?.now, ...base.now } },
    }
  })
  await keepBases(tx, found)
}

function sightKey(table: string, recordId: string): string {
  return `${table}\0${recordId}`
}
