import { HoldfastError, assert, delay } from '@holdfast/foundation'
import { quoteIdentifier, sql, type Queryable } from '@holdfast/postgres'
import type pg from 'pg'
import {
  replicationConnectionLost,
  replicationNotConfigured,
  replicationSlotBusy,
  replicationSlotExists,
} from './errors.ts'
import { parseLsn, type Lsn } from './lsn.ts'
import { connect, sqlState } from './connect.ts'

const RELEASE_TIMEOUT_MS = 5000
const RELEASE_POLL_MS = 25

/** A logical slot as described by Postgres. */
export interface Slot {
  /** Oldest WAL it retains. */
  readonly restartLsn: Lsn | undefined
  /** Position where reading continues. */
  readonly confirmedFlushLsn: Lsn | undefined
  /** Whether it is being read. */
  readonly active: boolean
  readonly activePid: number | undefined
  /** `reserved`, `extended`, `unreserved` (about to be lost) or `lost`. */
  readonly walStatus: string | undefined
  /** Why it is unreadable, such as `wal_removed`. Postgres 17 and later. */
  readonly invalidationReason: string | undefined
}

export interface SlotRow {
  readonly restart_lsn: string | null
  readonly confirmed_flush_lsn: string | null
  readonly active: boolean
  readonly active_pid: number | null
  readonly wal_status: string | null
  readonly invalidation_reason: string | null
}

/** Columns missing in older versions are NULL. */
export const SLOT_QUERY = `select restart_lsn::text, confirmed_flush_lsn::text, active, active_pid, wal_status,
  to_jsonb(s) ->> 'invalidation_reason' as invalidation_reason from pg_catalog.pg_replication_slots s`

export function readSlotRow(row: SlotRow): Slot {
  return {
    restartLsn: parseLsn(row.restart_lsn ?? ''),
    confirmedFlushLsn: parseLsn(row.confirmed_flush_lsn ?? ''),
    active: row.active,
    activePid: row.active_pid ?? undefined,
    walStatus: row.wal_status ?? undefined,
    invalidationReason: row.invalidation_reason ?? undefined,
  }
}

/** @returns `undefined` if there is no such slot */
export async function findSlot(db: Queryable, name: string): Promise<Slot | undefined> {
  const [row] = await db.query<SlotRow>(sql`${sql.trusted(SLOT_QUERY)} where slot_name = ${name}`)
  return row && readSlotRow(row)
}

/**
 * Ends the connection reading the slot, such as a dead reader's walsender, and waits until the slot is free.
 *
 * @returns `false` if there is no such slot
 * @throws {HoldfastError} `replication_slot_busy` if still or again in use after five seconds
 */
export async function releaseSlot(db: Queryable, name: string): Promise<boolean> {
  const deadline = Date.now() + RELEASE_TIMEOUT_MS
  for (;;) {
    const slot = await findSlot(db, name)
    if (slot === undefined) return false
    if (!slot.active) return true
    if (Date.now() > deadline) throw replicationSlotBusy(name, slot.activePid)
    if (slot.activePid !== undefined)
      await db.query(sql`select pg_catalog.pg_terminate_backend(${slot.activePid}::int)`)
    await delay(RELEASE_POLL_MS)
  }
}

/**
 * Drops the slot after ending its reader.
 *
 * @returns whether it existed
 * @throws {HoldfastError} `replication_slot_busy`
 */
export async function dropSlot(db: Queryable, name: string): Promise<boolean> {
  if (!(await releaseSlot(db, name))) return false
  await db.query(sql`select pg_catalog.pg_drop_replication_slot(${name}::name)`)
  return true
}

export interface CreateSlotOptions {
  readonly url: string
  /** Lowercase letters, digits and underscores, at most 63. */
  readonly name: string
  /** Dropped with its connection, when the result is disposed. */
  readonly temporary?: boolean
}

/** A new slot, with a snapshot at the position where its changes start. */
export interface CreatedSlot extends AsyncDisposable {
  /** Earlier commits are in the snapshot, all others arrive through the slot. */
  readonly consistentPoint: Lsn
  /** For `set transaction snapshot` and `readTable`; invalid after disposal or when {@link CreatedSlot.lost} aborts. */
  readonly snapshotName: string
  /** Aborts when the connection breaks, which invalidates the snapshot. */
  readonly lost: AbortSignal
}

/**
 * Creates a logical slot for pgoutput. Waits for running transactions to end, because only then is a consistent point reached.
 *
 * @throws {HoldfastError} `replication_slot_exists`, `replication_not_configured`, `replication_connection_lost`
 */
export async function createSlot(options: CreateSlotOptions): Promise<CreatedSlot> {
  const client = await connect({
    url: options.url,
    applicationName: `holdfast slot ${options.name}`,
    replication: true,
  })
  const lost = new AbortController()
  let disposed = false
  client.on('end', () => {
    if (!disposed) lost.abort(replicationConnectionLost(new Error('the connection that holds the snapshot ended')))
  })
  const dispose = async (): Promise<void> => {
    if (disposed) return
    disposed = true
    await client.end()
  }
  try {
    const created = await create(client, options)
    return { ...created, lost: lost.signal, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose().catch(() => undefined) // report the first error
    throw creationError(options.name, error)
  }
}

async function create(
  client: pg.Client,
  options: CreateSlotOptions,
): Promise<{ consistentPoint: Lsn; snapshotName: string }> {
  const temporary = options.temporary === true ? ' TEMPORARY' : ''
  const answer = await client.query<{ consistent_point: string; snapshot_name: string }>(
    `CREATE_REPLICATION_SLOT ${quoteIdentifier(options.name)}${temporary} LOGICAL pgoutput (SNAPSHOT 'export')`,
  )
  const row = answer.rows[0]
  const consistentPoint = parseLsn(row?.consistent_point ?? '')
  assert(row !== undefined && consistentPoint !== undefined, 'CREATE_REPLICATION_SLOT answers with one row')
  return { consistentPoint, snapshotName: row.snapshot_name }
}

function creationError(name: string, error: unknown): HoldfastError {
  switch (sqlState(error)) {
    case '42710':
      return replicationSlotExists(name, error)
    case '55000': // wal_level
    case '53400': // max_replication_slots
    case '42501': // the role may not replicate
      return replicationNotConfigured(error)
    default:
      return error instanceof HoldfastError ? error : replicationConnectionLost(error)
  }
}
