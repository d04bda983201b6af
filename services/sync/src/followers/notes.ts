import { assert } from '@holdfast/foundation'
import { sql, type Queryable, type SqlFragment } from '@holdfast/postgres'
import { formatLsn, parseLsn, type Lsn } from '@holdfast/replication'
import type { KeyChange } from '../buckets/dependency-index.ts'
import type { RecentOp } from '../checkpoints/live-bucket.ts'
import { NOTED_BUCKETS_MAX, NOTED_DOC_BYTES_MAX, NOTED_OPS_MAX } from './limits.ts'
import type { BucketDelta } from '../storage/pending-ops.ts'

/** Channel on which the reader announces notes. */
export const NOTES_CHANNEL = 'holdfast_sync_notes'

/** Numbers of one epoch of the lease. */
const NUMBERS_PER_EPOCH = 2 ** 31

export const firstNumberOf = (epoch: number): number => epoch * NUMBERS_PER_EPOCH

export const epochOf = (number: number): number => Math.floor(number / NUMBERS_PER_EPOCH)

/** A batch that is in the log, without its operations if they are many. */
export interface NotedBatch {
  readonly deltas: ReadonlyMap<number, BucketDelta>
  readonly cleared: ReadonlySet<number>
  readonly fresh: ReadonlyMap<number, { readonly name: string }>
  /** Buckets in which stored versions were superseded. */
  readonly superseded: Iterable<number>
  readonly ops: readonly RecentOp[] | undefined
}

/** A class of rows that appeared in a batch: definition, bucket and key. */
export type NotedClass = readonly [definition: number, name: string, key: readonly (string | null)[]]

/** What followers cannot find in the log. */
export interface NoteFacts {
  /** Serial of the plan in force after the batch; missing while none is. */
  readonly plan?: number | undefined
  readonly keys?: readonly KeyChange[]
  readonly classes?: readonly NotedClass[]
  /** Names of deleted buckets. */
  readonly retired?: readonly string[]
}

/** What the reader writes with a batch. */
export interface Note extends NoteFacts {
  readonly number: number
  readonly fromOpId: number
  readonly toOpId: number
  /** The log contains everything committed before it. */
  readonly endLsn: Lsn
  /** `unknown`: there are too many buckets to note, so followers read theirs again. Missing for a batch without operations. */
  readonly batch?: NotedBatch | 'unknown'
}

interface Content extends NoteFacts {
  readonly batch?:
    | 'unknown'
    | {
        readonly deltas: readonly (readonly [id: number, checksum: number, count: number, lastOpId: number])[]
        readonly cleared: readonly number[]
        readonly fresh: readonly (readonly [id: number, name: string])[]
        readonly superseded: readonly number[]
        readonly ops?: readonly NotedOp[]
      }
}

type NotedOp = readonly [
  opId: number,
  bucketId: number,
  checksum: number,
  isPut: 0 | 1,
  bytes: number,
  objectId?: string,
]

/** A note as stored. */
export interface NoteRow {
  readonly number: number
  readonly fromOpId: number
  readonly toOpId: number
  readonly endLsn: string
  readonly content: string
  readonly docs: Buffer | null
}

export function renderNote({ number, fromOpId, toOpId, endLsn, batch, ...facts }: Note): NoteRow {
  const position = { number, fromOpId, toOpId, endLsn: formatLsn(endLsn) }
  const render = (content: Content, docs: Buffer | null = null): NoteRow => ({
    ...position,
    content: JSON.stringify(content),
    docs,
  })
  if (batch === undefined) return render(facts)
  if (batch === 'unknown' || batch.deltas.size > NOTED_BUCKETS_MAX) return render({ ...facts, batch: 'unknown' })
  const ops = areFew(batch.ops) ? batch.ops : undefined
  const rendered = {
    deltas: [...batch.deltas].map(([id, { checksum, count, lastOpId }]) => [id, checksum, count, lastOpId] as const),
    cleared: [...batch.cleared],
    fresh: [...batch.fresh].map(([id, { name }]) => [id, name] as const),
    superseded: [...batch.superseded],
    ...(ops ? { ops: ops.map(renderOp) } : {}),
  }
  return render({ ...facts, batch: rendered }, ops ? Buffer.concat(ops.map(({ doc }) => doc)) : null)
}

function areFew(ops: readonly RecentOp[] | undefined): ops is readonly RecentOp[] {
  if (!ops || ops.length > NOTED_OPS_MAX) return false
  return ops.reduce((sum, { doc }) => sum + doc.length, 0) <= NOTED_DOC_BYTES_MAX
}

function renderOp({ opId, bucketId, checksum, isPut, doc, objectId }: RecentOp): NotedOp {
  const op = [opId, bucketId, checksum, isPut ? 1 : 0, doc.length] as const
  return objectId === undefined ? op : [...op, objectId]
}

function parseNote(row: NoteRow): Note {
  const { batch, ...facts } = JSON.parse(row.content) as Content
  const { number, fromOpId, toOpId } = row
  const note = { ...facts, number, fromOpId, toOpId, endLsn: readLsn(row.endLsn) }
  if (batch === undefined || batch === 'unknown') return batch ? { ...note, batch } : note
  return {
    ...note,
    batch: {
      deltas: new Map(batch.deltas.map(([id, checksum, count, lastOpId]) => [id, { checksum, count, lastOpId }])),
      cleared: new Set(batch.cleared),
      fresh: new Map(batch.fresh.map(([id, name]) => [id, { name }])),
      superseded: batch.superseded,
      ops: batch.ops && parseOps(batch.ops, row.docs ?? Buffer.alloc(0)),
    },
  }
}

function parseOps(ops: readonly NotedOp[], docs: Buffer): readonly RecentOp[] {
  let at = 0
  return ops.map(([opId, bucketId, checksum, isPut, bytes, objectId]) => ({
    opId,
    bucketId,
    checksum,
    isPut: isPut === 1,
    objectId,
    doc: docs.subarray(at, (at += bytes)),
  }))
}

function readLsn(text: string): Lsn {
  const lsn = parseLsn(text)
  assert(lsn !== undefined, 'Postgres prints positions that parse')
  return lsn
}

/** Columns of {@link NoteRow} in the order of {@link noteValues}. */
const COLUMNS = 'number, from_op_id, to_op_id, end_lsn, content, docs'

/** Ends an insert of a note: wakes the followers at the commit. */
const ANNOUNCED = `returning pg_notify('${NOTES_CHANNEL}', '')`

/** A common table expression that inserts a note with parameters from `$first` on. */
export function insertNoteText(first: number): string {
  const types = ['bigint', 'bigint', 'bigint', 'pg_lsn', 'text', 'bytea']
  return `insert into sync.batch_notes (${COLUMNS}) select ${types.map((type, index) => `$${first + index}::${type}`).join(', ')} ${ANNOUNCED}`
}

export function noteValues({ number, fromOpId, toOpId, endLsn, content, docs }: NoteRow): readonly unknown[] {
  return [number, fromOpId, toOpId, endLsn, content, docs]
}

export async function writeNote(db: Queryable, note: NoteRow): Promise<void> {
  await db.query(sql`
    insert into sync.batch_notes (number, from_op_id, to_op_id, end_lsn, content, docs)
    values (${note.number}, ${note.fromOpId}, ${note.toOpId}, ${note.endLsn}::pg_lsn, ${note.content}, ${note.docs})
    ${sql.trusted(ANNOUNCED)}`)
}

/** The plan in force, as stored. */
export interface PlanRow {
  readonly afterNote: number
  /** `undefined` while no checkpoint may be sent. */
  readonly serial: number | undefined
}

/** @param document - `undefined` if the serial stays */
export async function writePlanRow(
  db: Queryable,
  { afterNote, serial, document }: PlanRow & { readonly document: string | undefined },
): Promise<void> {
  await db.query(sql`
    insert into sync.served_plan as p (after_note, serial, document) values (${afterNote}, ${serial ?? null}, ${document ?? null})
    on conflict (only_row) do update
       set after_note = excluded.after_note, serial = excluded.serial, document = coalesce(excluded.document, p.document)
    ${sql.trusted(ANNOUNCED)}`)
}

/** Reads a plan as rendered. @returns `undefined` if another one is in force now */
export async function readPlanDocument(db: Queryable, serial: number): Promise<string | undefined> {
  const [row] = await db.query<{ document: string }>(
    sql`select document from sync.served_plan where serial = ${serial}`,
  )
  return row?.document
}

/** The log and its notes at one moment. */
export interface LogHead {
  readonly epoch: number
  readonly lastOpId: number
  readonly confirmedLsn: Lsn
  /** `undefined` if no reader notes what followers need. */
  readonly plan: PlanRow | undefined
  /** In order. */
  readonly notes: readonly Note[]
  /** Whether these are all notes. */
  readonly isWhole: boolean
}

interface HeadRow {
  readonly epoch: string
  readonly last_op_id: string
  readonly confirmed_lsn: string | null
  readonly after_note: string | null
  readonly serial: string | null
  readonly number: string | null
  readonly from_op_id: string
  readonly to_op_id: string
  readonly end_lsn: string
  readonly content: string
  readonly docs: Buffer | null
}

/** Reads notes after a number and the log's state, in one snapshot. */
export function readHead(db: Queryable, after: number, most: number): Promise<LogHead | undefined> {
  return read(
    db,
    most,
    sql`select number, from_op_id, to_op_id, end_lsn, content, docs from sync.batch_notes where number > ${after} order by number limit ${most}`,
  )
}

/** Reads the newest note and the log's state, in one snapshot. */
export function readStart(db: Queryable): Promise<LogHead | undefined> {
  return read(
    db,
    2,
    sql`select number, from_op_id, to_op_id, end_lsn, content, null::bytea as docs from sync.batch_notes order by number desc limit 1`,
  )
}

async function read(db: Queryable, most: number, notes: SqlFragment): Promise<LogHead | undefined> {
  const rows = await db.query<HeadRow>(sql`
    select s.epoch::text, s.last_op_id::text, s.confirmed_lsn::text, p.after_note::text, p.serial::text,
           n.number::text, n.from_op_id::text, n.to_op_id::text, n.end_lsn::text, n.content, n.docs
      from sync.state s left join sync.served_plan p on true left join lateral (${notes}) n on true
     order by n.number`)
  const [first] = rows
  if (!first) return undefined
  return {
    epoch: Number(first.epoch),
    lastOpId: Number(first.last_op_id),
    confirmedLsn: first.confirmed_lsn === null ? (0n as Lsn) : readLsn(first.confirmed_lsn),
    plan:
      first.after_note === null
        ? undefined
        : {
            afterNote: Number(first.after_note),
            serial: first.serial === null ? undefined : Number(first.serial),
          },
    notes: rows.flatMap((row) => (row.number === null ? [] : [parseNote(fromRow(row))])),
    isWhole: rows.length < most,
  }
}

function fromRow(row: HeadRow): NoteRow {
  return {
    number: Number(row.number),
    fromOpId: Number(row.from_op_id),
    toOpId: Number(row.to_op_id),
    endLsn: row.end_lsn,
    content: row.content,
    docs: row.docs,
  }
}

/** Reads which keys recent transactions changed. */
export async function readKeyChanges(db: Queryable, epoch: number): Promise<readonly KeyChange[]> {
  const rows = await db.query<{ content: string }>(sql`
    select content from sync.batch_notes where number >= ${firstNumberOf(epoch)} order by number`)
  return rows.flatMap(({ content }) => (JSON.parse(content) as Content).keys ?? [])
}
