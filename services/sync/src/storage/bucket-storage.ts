import { assert } from '@holdfast/foundation'
import { copyIn, sql, type Pool, type Queryable, type Transaction } from '@holdfast/postgres'
import { formatLsn, parseLsn, type Lsn } from '@holdfast/replication'
import { byteaArray } from '../encode/bytea-array.ts'
import type { DefinitionContent } from './definition-content.ts'
import { CLEAR_BUCKETS_MAX, STATEMENT_BYTES_MAX, STATEMENT_OPS_MAX, TOTALS_BUCKETS_MAX } from '../limits.ts'
import { copyData } from './op-row.ts'
import type { BucketDelta, TakenOps } from './pending-ops.ts'

/** A bucket in the log at one moment. */
export interface BucketState {
  readonly id: number
  readonly name: string
  /** Sum of the checksums of its operations, as a signed 32-bit integer. */
  readonly checksum: number
  readonly count: number
  readonly lastOpId: number
  /**
   * Superseded operations up to here are merged. For a new bucket, the operation before its first: a device with an earlier position has another bucket of
   * the same name.
   */
  readonly floor: number
}

/** A definition whose rows are, or are being, stored in buckets. */
export interface StoredDefinition {
  readonly id: string
  /** Random part of bucket names: another fill of the same definition has other buckets. */
  readonly tag: string
  /** Identity of the table and columns that were read, see {@link readShapes}. */
  readonly shape: string
  readonly number: number
  /** The fill includes transactions that committed before this position. */
  readonly activeFrom: Lsn
  /** Content of its buckets; `undefined` if created by an earlier version. */
  readonly content: DefinitionContent | undefined
}

/** A definition to be created. */
export type NewDefinition = Pick<StoredDefinition, 'id' | 'shape' | 'content'>

export interface ReplicatorState {
  readonly slotName: string
  readonly confirmedLsn: Lsn | undefined
  readonly lastOpId: number
  readonly lastBucketId: number
  /** Epoch of the lease; see {@link Fence}. */
  readonly epoch: number
}

interface StateRow {
  readonly slot_name: string
  readonly confirmed_lsn: string | null
  readonly last_op_id: string
  readonly last_bucket_id: number
  readonly epoch: string
}

export async function readState(db: Queryable): Promise<ReplicatorState | undefined> {
  const [row] = await db.query<StateRow>(sql`
    select slot_name, confirmed_lsn::text, last_op_id::text, last_bucket_id, epoch::text from sync.state
  `)
  if (!row) return undefined
  return {
    slotName: row.slot_name,
    confirmedLsn: row.confirmed_lsn === null ? undefined : parseLsn(row.confirmed_lsn),
    lastOpId: Number(row.last_op_id),
    lastBucketId: row.last_bucket_id,
    epoch: Number(row.epoch),
  }
}

/** Restarts with a new slot. Ids continue, so positions of devices never point past the log. */
export async function resetState(db: Queryable, slotName: string): Promise<void> {
  await db.execute(sql`
    insert into sync.state (slot_name) values (${slotName})
    on conflict (only_row) do update set slot_name = excluded.slot_name, confirmed_lsn = null, filling = false
  `)
}

/**
 * Raises the floor of write checkpoint numbers above every number that a device may have. The database may have been restored from an older backup, which a
 * physical copy does not reveal, so every start does this. The clock in microseconds is above every counted number.
 */
export async function raiseWriteCheckpointFloor(db: Queryable): Promise<void> {
  const [row] = await db.query<{ floor: string }>(sql`
    select setval('sync.write_checkpoint_ids',
             greatest((select last_value from sync.write_checkpoint_ids), (extract(epoch from clock_timestamp()) * 1000000)::bigint))::text as floor
  `)
  // Read after the number, so that everything committed before an earlier number was issued is before this position.
  await db.execute(sql`
    update sync.state set write_checkpoint_floor = ${row?.floor ?? null}::bigint, write_checkpoint_floor_lsn = pg_current_wal_insert_lsn()
  `)
}

export async function readDefinitions(db: Queryable): Promise<StoredDefinition[]> {
  interface Row {
    readonly id: string
    readonly tag: string
    readonly shape: string
    readonly number: number
    readonly active_from: string
    readonly content: DefinitionContent | null
  }
  const rows = await db.query<Row>(sql`
    select id, tag, shape, number, active_from::text, content from sync.definitions where not dropped order by number
  `)
  return rows.map((row) => {
    const activeFrom = parseLsn(row.active_from)
    assert(activeFrom !== undefined, 'Postgres prints positions that parse')
    const { id, tag, shape, number } = row
    return { id, tag, shape, number, activeFrom, content: row.content ?? undefined }
  })
}

/**
 * Returns by table oid the identity of its columns, which reveals tables or columns that were dropped and recreated under the same name. The stream contains
 * no row changes for that.
 */
export async function readShapes(db: Queryable, oids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await db.query<{ oid: string; columns: string }>(sql`
    select attrelid::int8::text as oid, string_agg(attnum::text, ',' order by attnum) as columns
      from pg_catalog.pg_attribute
     where attrelid = any(${oids}::int8[]::oid[]) and attnum > 0 and not attisdropped
     group by attrelid
  `)
  return new Map(rows.map((row) => [Number(row.oid), `${row.oid}:${row.columns}`]))
}

/** The shape of a definition whose buckets must be filled again. No table has it. */
export const VOID = 'void'

/** Marks definitions to be filled again before they are next served. */
export async function invalidateDefinitions(db: Queryable, numbers: readonly number[]): Promise<void> {
  await db.execute(sql`update sync.definitions set shape = ${VOID} where number = any(${numbers}::int[])`)
}

export async function insertDefinition(
  db: Queryable,
  definition: Omit<StoredDefinition, 'number'>,
): Promise<StoredDefinition> {
  const [row] = await db.query<{ number: number }>(sql`
    insert into sync.definitions (id, tag, shape, active_from, content)
    values (${definition.id}, ${definition.tag}, ${definition.shape}, ${formatLsn(definition.activeFrom)}::pg_lsn,
            ${definition.content === undefined ? null : JSON.stringify(definition.content)}::jsonb)
    returning number
  `)
  assert(row, 'an insert returns its row')
  return { ...definition, number: row.number }
}

/** Drops definitions. Their buckets and operations are deleted in the background. */
export async function dropDefinitions(db: Queryable, numbers: readonly number[]): Promise<void> {
  if (numbers.length === 0) return
  await db.execute(sql`
    with unfilled as (delete from sync.fills where definition = any(${numbers}::int[]))
    update sync.definitions set dropped = true where number = any(${numbers}::int[])
  `)
}

/** The log's position after a write. */
export interface WrittenPosition {
  readonly confirmedLsn: Lsn | undefined
  readonly lastOpId: number
  readonly lastBucketId: number
}

type NewBuckets = ReadonlyMap<number, { readonly name: string; readonly definition: number }>

function bucketColumns(deltas: ReadonlyMap<number, BucketDelta>, fresh: NewBuckets) {
  const ids = [...deltas.keys()]
  return {
    ids,
    names: ids.map((id) => fresh.get(id)?.name ?? ''),
    definitions: ids.map((id) => fresh.get(id)?.definition ?? 0),
    checksums: ids.map((id) => (deltas.get(id) as BucketDelta).checksum >>> 0),
    counts: ids.map((id) => (deltas.get(id) as BucketDelta).count),
    lastOpIds: ids.map((id) => (deltas.get(id) as BucketDelta).lastOpId),
  }
}

/** Whether one statement is faster than COPY, which takes more round trips but passes bytes on unchanged. */
export function isSmall({ ops, cleared }: TakenOps): boolean {
  if (ops.length > STATEMENT_OPS_MAX || cleared.length > 0) return false
  return ops.reduce((sum, { row }) => sum + row.end - row.docStart, 0) <= STATEMENT_BYTES_MAX
}

/** A statement for the same transaction, with parameters from a number on. */
export interface NoteStatement {
  readonly text: (firstParameter: number) => string
  readonly values: readonly unknown[]
}

/** Parameters of the statement below. */
const BATCH_PARAMETERS = 17

/**
 * Writes a small batch in one statement, its own transaction: one round trip. All parts of a statement see the state before it, so superseded versions are
 * found only among stored operations. The insert reads the result of the superseding part to run after it: a row may have only one newest version, and
 * Postgres runs independent parts in any order. Fails if another process has the lease.
 */
export async function writeBatch(
  client: Transaction['client'],
  taken: TakenOps,
  fresh: NewBuckets,
  position: WrittenPosition,
  epoch: number,
  note?: NoteStatement,
): Promise<void> {
  assert(isSmall(taken), 'large batches go by copy')
  const buckets = bucketColumns(taken.deltas, fresh)
  await client.query({
    name: note ? 'sync_write_batch_and_note' : 'sync_write_batch',
    text: `
      with superseded as (
        update sync.ops o
           set row_key = null, doc = sync.move_doc(o.op_id, o.checksum)
          from unnest($1::int[], $2::bytea[]) s (bucket_id, row_key)
         where o.bucket_id = s.bucket_id and o.row_key = s.row_key
        returning 1
      ), written as (
        insert into sync.ops (op_id, bucket_id, checksum, row_key, doc)
        select n.* from (select count(*) from superseded) after_them
         cross join unnest($3::bigint[], $4::int[], $5::int[], $6::bytea[], $7::bytea[]) n
      ), counted as (
        insert into sync.buckets as b (id, name, definition, checksum, count, last_op_id, floor)
        select n.*, (select last_op_id + 1 from sync.state)
          from unnest($8::int[], $9::text[], $10::int[], $11::bigint[], $12::bigint[], $13::bigint[]) n
        on conflict (id) do update
           set checksum = (b.checksum + excluded.checksum) & 4294967295,
               count = b.count + excluded.count,
               last_op_id = excluded.last_op_id
      )${note ? `, noted as (${note.text(BATCH_PARAMETERS + 1)})` : ''}
      update sync.state set confirmed_lsn = $14::pg_lsn, last_op_id = $15, last_bucket_id = $16, epoch = sync.fence(epoch, $17)`,
    values: [
      taken.superseded.map((entry) => entry.bucketId),
      byteaArray(taken.superseded.map((entry) => entry.key)),
      taken.ops.map((op) => op.opId),
      taken.ops.map((op) => op.bucketId),
      taken.ops.map((op) => op.checksum),
      byteaArray(taken.ops.map((op) => op.key)),
      byteaArray(taken.ops.map((op) => op.doc)),
      buckets.ids,
      buckets.names,
      buckets.definitions,
      buckets.checksums,
      buckets.counts,
      buckets.lastOpIds,
      position.confirmedLsn === undefined ? null : formatLsn(position.confirmedLsn),
      position.lastOpId,
      position.lastBucketId,
      epoch,
      ...(note?.values ?? []),
    ],
  })
}

/** Writes a chunk of a large batch in the caller's transaction: supersedes, clears, then copies the operations. */
export async function writeChunk(tx: Transaction, taken: TakenOps): Promise<void> {
  if (taken.cleared.length > 0)
    await tx.execute(sql`delete from sync.ops where bucket_id = any(${taken.cleared}::int[])`)
  if (taken.superseded.length > 0) {
    await tx.execute(sql`
      update sync.ops o
         set row_key = null, doc = sync.move_doc(o.op_id, o.checksum)
        from unnest(${taken.superseded.map((entry) => entry.bucketId)}::int[], ${byteaArray(taken.superseded.map((entry) => entry.key))}::bytea[]) s (bucket_id, row_key)
       where o.bucket_id = s.bucket_id and o.row_key = s.row_key
    `)
  }
  if (taken.ops.length > 0) {
    const text = 'copy sync.ops (op_id, bucket_id, checksum, row_key, doc) from stdin (format binary)'
    await copyIn(tx.client, text, copyData(taken.ops.map((op) => op.row)))
  }
}

/** Finishes a large batch in the caller's transaction: writes bucket sums and the log's position. */
export async function writeTotals(
  tx: Transaction,
  deltas: ReadonlyMap<number, BucketDelta>,
  cleared: ReadonlySet<number>,
  fresh: NewBuckets,
  position: WrittenPosition,
): Promise<void> {
  await writeSums(tx, deltas, cleared, fresh)
  await writePosition(tx, position)
}

/** Writes changes to bucket sums in the caller's transaction. @param cleared - buckets whose earlier operations are all deleted */
export async function writeSums(
  tx: Transaction,
  deltas: ReadonlyMap<number, BucketDelta>,
  cleared: ReadonlySet<number>,
  fresh: NewBuckets,
): Promise<void> {
  const kept: [number, BucketDelta][] = []
  const replaced: [number, BucketDelta][] = []
  for (const entry of deltas) (cleared.has(entry[0]) ? replaced : kept).push(entry)
  for (const [entries, isReplaced] of [[kept, false] as const, [replaced, true] as const]) {
    for (let at = 0; at < entries.length; at += TOTALS_BUCKETS_MAX) {
      const buckets = bucketColumns(new Map(entries.slice(at, at + TOTALS_BUCKETS_MAX)), fresh)
      await tx.execute(sql`
        insert into sync.buckets as b (id, name, definition, checksum, count, last_op_id, floor)
        select n.id, n.name, n.definition, n.checksum, n.count, n.last_op_id, (select last_op_id + 1 from sync.state)
          from unnest(${buckets.ids}::int[], ${buckets.names}::text[], ${buckets.definitions}::int[],
                      ${buckets.checksums}::bigint[], ${buckets.counts}::bigint[], ${buckets.lastOpIds}::bigint[])
               n (id, name, definition, checksum, count, last_op_id)
        on conflict (id) do update
           set checksum = case when ${isReplaced}::boolean then excluded.checksum else (b.checksum + excluded.checksum) & 4294967295 end,
               count = case when ${isReplaced}::boolean then excluded.count else b.count + excluded.count end,
               last_op_id = excluded.last_op_id
      `)
    }
  }
}

/** Writes the log's position. Without a write-ahead log position the stored one stays. */
export async function writePosition(db: Queryable, position: WrittenPosition): Promise<void> {
  const lsn = position.confirmedLsn === undefined ? null : formatLsn(position.confirmedLsn)
  await db.execute(sql`
    update sync.state
       set confirmed_lsn = coalesce(${lsn}::pg_lsn, confirmed_lsn), last_op_id = ${position.lastOpId}, last_bucket_id = ${position.lastBucketId}
  `)
}

/** Returns ids of buckets that contain rows of these definitions, in ascending order after an id. Empty at the end. */
export async function bucketsOfDefinitions(
  db: Queryable,
  numbers: readonly number[],
  after: number,
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select id from sync.buckets where definition = any(${numbers}::int[]) and count > 0 and id > ${after}::int
     order by id limit ${CLEAR_BUCKETS_MAX}::int
  `)
  return rows.map((row) => row.id)
}

/** Reads buckets by name and the corresponding log position, in one snapshot. Omits names without a bucket. */
export async function readBuckets(
  pool: Pool,
  names: readonly string[],
): Promise<{ readonly atOpId: number; readonly buckets: BucketState[] }> {
  interface Row {
    readonly at_op_id: string
    readonly id: number | null
    readonly name: string
    readonly checksum: string
    readonly count: string
    readonly last_op_id: string
    readonly floor: string
  }
  const rows = await pool.query<Row>(sql`
    select s.last_op_id::text as at_op_id, b.id, b.name, b.checksum::text, b.count::text, b.last_op_id::text, b.floor::text
      from sync.state s left join sync.buckets b
        on b.name = any(array(select json_array_elements_text(${JSON.stringify(names)}::json)))
  `)
  const buckets: BucketState[] = []
  for (const row of rows) {
    if (row.id === null) continue
    buckets.push({
      id: row.id,
      name: row.name,
      checksum: Number(row.checksum) | 0,
      count: Number(row.count),
      lastOpId: Number(row.last_op_id),
      floor: Number(row.floor),
    })
  }
  return { atOpId: Number(rows[0]?.at_op_id ?? 0), buckets }
}
