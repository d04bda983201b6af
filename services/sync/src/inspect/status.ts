import type { SyncPlan } from '@holdfast/policy'
import { sql, type Pool, type Queryable } from '@holdfast/postgres'
import { findSlot, formatLsn, parseLsn, type Lsn } from '@holdfast/replication'
import type { ClassList } from '../buckets/class-list.ts'
import type { PolicyFailure } from '../buckets/policy-failures.ts'
import type { FillProgress } from '../fill/fill-turns.ts'
import type { ReplicaStatus } from '../replica/replicated-log.ts'
import { listServers, type ListedServer } from '../lease/lease.ts'
import { readSlotName } from '../replicator/setup/change-slot.ts'
import type { ReaderProgress, ReaderState } from '../replicator/read/reader-progress.ts'
import type { OmittedTable } from '../stream/fit-buckets.ts'
import type { FloodAuthor } from '../stream/omitted-tables.ts'
import type { Compaction, CompactionRound } from '../compaction/compactor.ts'
import { readEstimates, readSizes } from './table-sizes.ts'

/** State of sync: `GET /sync/v1/status`. Sizes in bytes, times in seconds; unknown values are missing. */
export interface SyncStatus {
  /** Whether devices are served. */
  readonly ready: boolean
  /** The server that answers. */
  readonly server: string
  /** All servers of the database, the reader first. */
  readonly servers: readonly ListedServer[]
  /** Use of `DATABASE_REPLICA_URL` by this server. Missing without one. */
  readonly replica?: ReplicaStatus
  /** State of the change reader, and the last failure while it recovers. */
  readonly reader: {
    readonly state: ReaderState
    readonly problem?: string
    /** Age of the oldest committed transaction that is not in the log; 0 if none. */
    readonly lagSeconds: number
  }
  /** What devices receive: everything committed before `position`. */
  readonly checkpoint: { readonly opId: number; readonly position: string; readonly lastCommitAt?: string }
  readonly slot: {
    readonly name: string
    /** Missing if there is no slot. */
    readonly walStatus?: string
    readonly invalidationReason?: string
    readonly active: boolean
    /** Position up to which Postgres knows that everything is in the log. */
    readonly confirmed?: string
    /** Distance from the checkpoint to Postgres's current position. */
    readonly lagBytes: number
    /** WAL retained for the slot. */
    readonly keptBytes?: number
  }
  /** Tables being read into buckets, the current one first. */
  readonly filling: readonly TableFill[]
  readonly definitions: {
    readonly served: number
    readonly waiting: number
    /** Dropped definitions, whose buckets are deleted in the background. */
    readonly dropped: number
  }
  readonly devices: {
    readonly connected: number
    readonly people: number
    /** Key evaluations since the process started. */
    readonly keyEvaluations: number
  }
  readonly log: {
    readonly buckets: number
    readonly operations: number
    /** Operations that are the newest version of a row, as estimated by Postgres. */
    readonly rows?: number
    readonly bytes: number
    /** Size of the synced tables with indexes and TOAST. */
    readonly sourceBytes: number
    /** Synced tables whose size is unknown because they are locked. Not included in `sourceBytes`. */
    readonly locked: readonly string[]
    /** Missing if a size is unknown. */
    readonly ratio?: number
  }
  readonly compaction: {
    /** 0 if automatic compaction is off. */
    readonly intervalSeconds: number
    readonly last?: CompactionRound
    readonly sinceStart: Compaction
  }
  /** Data withheld from connected users because it is in more buckets than a device can hold. */
  readonly leftOut: readonly {
    readonly person: string
    readonly table: string
    readonly policy?: string
    readonly buckets: number
    /** Tables whose rows determine the user's buckets. */
    readonly through: readonly string[]
    /** Accounts that changed such rows while the user was connected, with the number of rows. Only changes through the API. */
    readonly authors: readonly FloodAuthor[]
  }[]
  /** Access classes above `syncClassesMax` or above one account's share. Users do not get their rows. */
  readonly leftOutClasses: readonly {
    readonly table: string
    readonly policy?: string
    readonly max: number
    /** Lower bound. */
    readonly leftOut: number
    /** Accounts that exceeded the share of one account, with the minimum number of their omitted classes. */
    readonly authors: readonly { readonly author: string; readonly leftOut: number }[]
  }[]
  /** Policies that Postgres could not evaluate for some row or user since they were compiled, the newest failure first. */
  readonly failing: readonly PolicyFailure[]
  readonly refused: readonly { readonly table: string; readonly policy?: string; readonly reason: string }[]
  /** Queries of declared streams that cannot be followed. */
  readonly refusedStreams: readonly { readonly stream: string; readonly query: string; readonly reason: string }[]
}

export interface TableFill {
  readonly table: string
  readonly state: 'being read' | 'waiting'
  readonly definitions: readonly string[]
  readonly rowsRead: number
  /** An estimate of Postgres. */
  readonly rowsTotal?: number
  readonly rowsPerSecond?: number
}

export interface StatusSource {
  /** As the superuser. */
  readonly pool: Pool
  /** Name of this server. */
  readonly server: string
  /** `undefined` while the first one is being made. */
  readonly plan: SyncPlan | undefined
  readonly failing: readonly PolicyFailure[]
  readonly ready: boolean
  readonly replica: ReplicaStatus | undefined
  readonly reader: {
    readonly state: ReaderState
    readonly problem: string | undefined
    readonly progress: ReaderProgress
    readonly filling: FillProgress | undefined
  }
  readonly checkpoint: { readonly opId: number; readonly position: Lsn }
  readonly devices: SyncStatus['devices']
  readonly leftOut: readonly (OmittedTable & { readonly person: string; readonly authors: readonly FloodAuthor[] })[]
  readonly leftOutClasses: readonly Pick<ClassList, 'table' | 'policy' | 'max' | 'leftOut' | 'leftOutOf'>[]
  readonly compaction: {
    readonly intervalSeconds: number
    readonly last: CompactionRound | undefined
    readonly sinceStart: Compaction
  }
}

/** Asks Postgres for what it knows, and puts it beside what the process knows. Reads every bucket once, and no operation. */
export async function readStatus(source: StatusSource): Promise<SyncStatus> {
  const { pool, reader, checkpoint, compaction } = source
  const { tables = [], refused = [], streams = [] } = source.plan ?? {}
  const [slot, filling, definitions, log] = [
    await readSlot(pool, checkpoint.position),
    await readFilling(pool, tables, reader.filling),
    await readDefinitionCounts(pool),
    await readLog(pool, tables),
  ]
  const { lastCommitMs } = reader.progress
  return {
    ready: source.ready,
    server: source.server,
    servers: await listServers(pool),
    ...(source.replica ? { replica: source.replica } : {}),
    reader: {
      state: reader.state,
      ...(reader.problem === undefined ? {} : { problem: reader.problem }),
      lagSeconds: lagSeconds(reader, slot.lagBytes),
    },
    checkpoint: {
      opId: checkpoint.opId,
      position: formatLsn(checkpoint.position),
      ...(lastCommitMs === undefined ? {} : { lastCommitAt: new Date(lastCommitMs).toISOString() }),
    },
    slot,
    filling,
    definitions,
    devices: source.devices,
    log,
    compaction: {
      intervalSeconds: compaction.intervalSeconds,
      ...(compaction.last ? { last: compaction.last } : {}),
      sinceStart: compaction.sinceStart,
    },
    leftOut: await readLeftOut(pool, source.leftOut),
    leftOutClasses: source.leftOutClasses.map(({ table, policy, max, leftOut, leftOutOf }) => ({
      table,
      ...(policy === undefined ? {} : { policy }),
      max,
      leftOut,
      authors: [...leftOutOf].map(([author, count]) => ({ author, leftOut: count })),
    })),
    failing: source.failing,
    refused: refused.map(({ schema, name, policy, reason }) => ({
      table: `${schema}.${name}`,
      ...(policy === undefined ? {} : { policy }),
      reason,
    })),
    refusedStreams: streams.flatMap(({ name, refused: queries }) => queries.map((one) => ({ stream: name, ...one }))),
  }
}

/** While changes do not arrive, the waiting ones are at least as old as the newest that did. */
function lagSeconds({ state, progress }: StatusSource['reader'], lagBytes: number): number {
  const sinceMs = progress.waitingSinceMs ?? (state === 'following' ? undefined : progress.lastCommitMs)
  if (sinceMs === undefined || lagBytes === 0) return 0
  return Math.max(0, Math.round((Date.now() - sinceMs) / 10) / 100)
}

async function readSlot(db: Queryable, position: Lsn): Promise<SyncStatus['slot']> {
  const name = await readSlotName(db)
  const slot = await findSlot(db, name)
  const [row] = await db.query<{ now: string }>(sql`select pg_current_wal_lsn()::text as now`)
  const now = parseLsn(row?.now ?? '') ?? position
  // Before the reader has started, its start position.
  const from = position > 0n ? position : (slot?.confirmedFlushLsn ?? now)
  return {
    name,
    ...(slot?.walStatus === undefined ? {} : { walStatus: slot.walStatus }),
    ...(slot?.invalidationReason === undefined ? {} : { invalidationReason: slot.invalidationReason }),
    active: slot?.active === true,
    ...(slot?.confirmedFlushLsn === undefined ? {} : { confirmed: formatLsn(slot.confirmedFlushLsn) }),
    lagBytes: Math.max(0, Number(now - from)),
    ...(slot?.restartLsn === undefined ? {} : { keptBytes: Math.max(0, Number(now - slot.restartLsn)) }),
  }
}

async function readFilling(
  db: Pool,
  synced: SyncPlan['tables'],
  current: FillProgress | undefined,
): Promise<readonly TableFill[]> {
  const fills = await db.query<{ id: string; rows: string }>(sql`
    select d.id, f.rows::text from sync.fills f join sync.definitions d on d.number = f.definition where not d.dropped
  `)
  const rowsRead = new Map(fills.map(({ id, rows }) => [id, Number(rows)]))
  const tables = synced.flatMap((table) => {
    const definitions = [...new Set(table.definitions.map(({ id }) => id))].filter((id) => rowsRead.has(id))
    return definitions.length > 0 ? [{ table, definitions }] : []
  })
  const totals = await readEstimates(
    db,
    tables.map(({ table }) => table),
  )
  return tables
    .map(({ table: { oid, schema, name }, definitions }): TableFill => {
      const table = `${schema}.${name}`
      const now = current?.table === table ? current : undefined
      const seconds = now ? (performance.now() - now.sinceMs) / 1000 : 0
      const total = totals.get(oid)
      return {
        table,
        state: now ? 'being read' : 'waiting',
        definitions,
        rowsRead: Math.max(...definitions.map((id) => rowsRead.get(id) ?? 0)),
        ...(total === undefined ? {} : { rowsTotal: total }),
        ...(now && now.rows > 0 && seconds > 0 ? { rowsPerSecond: Math.round(now.rows / seconds) } : {}),
      }
    })
    .toSorted((left, right) => Number(right.state === 'being read') - Number(left.state === 'being read'))
}

async function readLeftOut(db: Queryable, leftOut: StatusSource['leftOut']): Promise<SyncStatus['leftOut']> {
  if (leftOut.length === 0) return []
  const tables = await db.query<{ oid: number; name: string }>(sql`
    select c.oid::int8::int as oid, n.nspname || '.' || c.relname as name
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.oid = any(${leftOut.flatMap(({ through }) => through)}::int8[]::oid[])`)
  const names = new Map(tables.map(({ oid, name }) => [oid, name]))
  return leftOut.map(({ through, ...one }) => ({
    ...one,
    through: through.map((oid) => names.get(oid) ?? String(oid)),
  }))
}

async function readDefinitionCounts(db: Queryable): Promise<SyncStatus['definitions']> {
  const [row] = await db.query<{ served: number; waiting: number; dropped: number }>(sql`
    select count(*) filter (where not dropped and f.definition is null)::int as served,
           count(*) filter (where not dropped and f.definition is not null)::int as waiting,
           count(*) filter (where dropped)::int as dropped
      from sync.definitions d left join sync.fills f on f.definition = d.number
  `)
  return row ?? { served: 0, waiting: 0, dropped: 0 }
}

async function readLog(db: Pool, tables: SyncPlan['tables']): Promise<SyncStatus['log']> {
  const [row] = await db.query<{
    buckets: number
    operations: string
    rows: number | null
    bytes: string
  }>(sql`
    select (select count(*)::int from sync.buckets) as buckets,
           (select coalesce(sum(count), 0)::text from sync.buckets) as operations,
           (select reltuples::float8 from pg_catalog.pg_class where oid = 'sync.ops_current'::regclass and reltuples > 0) as rows,
           (pg_total_relation_size('sync.ops') + pg_total_relation_size('sync.buckets'))::text as bytes
  `)
  const bytes = Number(row?.bytes ?? 0)
  const { bytes: sourceBytes, locked } = await readSizes(db, tables)
  return {
    buckets: row?.buckets ?? 0,
    operations: Number(row?.operations ?? 0),
    ...(row?.rows === null || row?.rows === undefined ? {} : { rows: Math.round(row.rows) }),
    bytes,
    sourceBytes,
    locked,
    ...(sourceBytes > 0 && locked.length === 0 ? { ratio: Math.round((bytes / sourceBytes) * 100) / 100 } : {}),
  }
}
