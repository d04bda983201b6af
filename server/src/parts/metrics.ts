import { errorMessage, type Logger } from '@holdfast/foundation'
import { sql, type Cluster, type Pool } from '@holdfast/postgres'
import type { ReplicaStatus, SyncService } from '@holdfast/sync'
import { single, type Family } from '../gateway/metrics/families.ts'
import { VERSION } from '../version.ts'
import type { OpenPool, PartContext } from './part-context.ts'

/** Timeout in ms for Postgres's slot metrics, which are then omitted. */
const SLOTS_MS = 2_000

/** Collects current metrics of all parts for `/metrics`. */
export async function readMetrics(
  { pools, logger }: Pick<PartContext, 'pools' | 'logger'>,
  { cluster, sync }: { readonly cluster: Cluster; readonly sync: SyncService },
): Promise<readonly Family[]> {
  const status = sync.status()
  const uploads = Object.entries(status.uploads).map(([result, value]) => ({ labels: { result }, value }))
  return [
    ...processFamilies(),
    single('gauge', 'holdfast_database_up', 'Whether Postgres is there.', Number(cluster.isUp())),
    ...poolFamilies(pools),
    single('gauge', 'holdfast_sync_ready', 'Whether devices can sync.', Number(status.ready)),
    single(
      'gauge',
      'holdfast_sync_standby',
      'Whether another server has the lease, and this one cannot follow it.',
      Number(status.standby),
    ),
    single(
      'gauge',
      'holdfast_sync_following',
      'Whether this server serves devices from the log of another.',
      Number(status.following),
    ),
    single('gauge', 'holdfast_sync_streams', 'Devices that are connected.', status.connections),
    single('gauge', 'holdfast_sync_lag_seconds', 'Age of the oldest change that is not in the log.', status.lagSeconds),
    {
      name: 'holdfast_sync_uploads_total',
      type: 'counter',
      help: 'Transactions of devices, by what became of them.',
      samples: uploads,
    },
    ...(status.replica ? replicaFamilies(status.replica) : []),
    ...(cluster.isUp() ? await slotFamilies(pools, logger) : []),
  ]
}

function replicaFamilies({ used, lagSeconds, reads }: ReplicaStatus): readonly Family[] {
  return [
    single('gauge', 'holdfast_replica_used', 'Whether operations are read from DATABASE_REPLICA_URL.', Number(used)),
    single('gauge', 'holdfast_replica_lag_seconds', 'Time that the replica needs to have everything.', lagSeconds),
    {
      name: 'holdfast_replica_reads_total',
      type: 'counter',
      help: 'Reads of operations for devices, by the Postgres that answered.',
      samples: Object.entries(reads).map(([source, value]) => ({ labels: { source }, value })),
    },
  ]
}

function processFamilies(): readonly Family[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  const startedS = Date.now() / 1_000 - process.uptime()
  return [
    {
      name: 'holdfast_build_info',
      type: 'gauge',
      help: 'Release that runs.',
      samples: [{ labels: { version: VERSION }, value: 1 }],
    },
    single('counter', 'process_cpu_seconds_total', 'Time of processors, without Postgres.', (user + system) / 1e6),
    single('gauge', 'process_start_time_seconds', 'Start of the process, since the epoch.', startedS),
    single('gauge', 'process_resident_memory_bytes', 'Memory of the process, without Postgres.', rss),
    single('gauge', 'nodejs_heap_size_used_bytes', 'Memory of JavaScript that is in use.', heapUsed),
  ]
}

function poolFamilies(pools: PartContext['pools']): readonly Family[] {
  const each = (value: (pool: OpenPool) => number): Family['samples'] =>
    [...pools].map(([name, pool]) => ({ labels: { pool: name }, value: value(pool) }))
  const family = (name: string, help: string, samples: Family['samples']): Family => ({
    name: `holdfast_pool_${name}`,
    type: 'gauge',
    help,
    samples,
  })
  return [
    family(
      'connections_used',
      'Connections of a pool that are lent.',
      each(({ pool }) => pool.usage().open - pool.usage().idle),
    ),
    family(
      'connections_idle',
      'Connections of a pool that are free.',
      each(({ pool }) => pool.usage().idle),
    ),
    family(
      'connections_max',
      'Connections that a pool may have.',
      each(({ connectionsMax }) => connectionsMax),
    ),
    family(
      'waiting',
      'Callers that wait for a connection of a pool.',
      each(({ waiting }) => waiting()),
    ),
  ]
}

interface Slot {
  readonly slot: string
  readonly kept: number | null
  readonly behind: number | null
}

/** Reads slot metrics. Byte counts too large for a JavaScript number arrive as text. */
async function slotFamilies(pools: PartContext['pools'], logger: Logger): Promise<readonly Family[]> {
  const pool = pools.get(OWN_POOL)?.pool
  if (!pool) return []
  const slots = await readSlots(pool).catch((error: unknown) => {
    logger.log('warn', 'metrics lack the replication slots', { error: errorMessage(error) })
    return []
  })
  const samples = (value: (slot: Slot) => number | null): Family['samples'] =>
    slots.map((slot) => ({ labels: { slot: slot.slot }, value: value(slot) ?? 0 }))
  return [
    {
      name: 'holdfast_slot_retained_bytes',
      type: 'gauge',
      help: 'WAL that Postgres keeps for a replication slot of this database.',
      samples: samples(({ kept }) => kept),
    },
    {
      name: 'holdfast_slot_behind_bytes',
      type: 'gauge',
      help: 'WAL that the reader of a slot has not confirmed.',
      samples: samples(({ behind }) => behind),
    },
  ]
}

/** The server's own pool, with full read access. */
const OWN_POOL = 'holdfast'

async function readSlots(pool: Pool): Promise<readonly Slot[]> {
  return await pool.transaction(async (tx) => {
    await tx.execute(sql`select set_config('statement_timeout', ${String(SLOTS_MS)}, true)`)
    return await tx.query<Slot>(sql`
      select slot_name as slot, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 as kept,
             pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::float8 as behind
        from pg_replication_slots where database = current_database()
    `)
  })
}
