import { Semaphore } from '@holdfast/foundation'
import type { DeviceComparison, DeviceDelay, DeviceDetails, DeviceTable, ListedDevice } from '@holdfast/protocol'
import { sql, type Connections as Pooled, type Pool } from '@holdfast/postgres'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { Device } from '../checkpoints/write-checkpoints.ts'
import { comparisonTooLong, comparisonUnderWay, notReady } from '../errors.ts'
import {
  COMPARISON_TIMEOUT_MS,
  COMPARISONS_MAX,
  COUNT_ROWS_TIMEOUT_MS,
  GROUPED_UPLOADS_MAX,
  LISTED_UPLOADS,
} from '../limits.ts'
import type { DeviceNotices } from '../followers/device-notices.ts'
import type { Connection, Connections } from '../stream/connections.ts'
import type { OmittedTables } from '../stream/omitted-tables.ts'
import { compareDevice } from './compare-device.ts'
import { act, askElsewhere, type DeviceAction, ELSEWHERE_CONNECTED } from './device-actions.ts'
import { findDelay, type DelayFacts } from './find-delay.ts'
import { readRejections, readUploads } from './read-uploads.ts'
import type { SeenDevices } from './seen-devices.ts'
import type { UploadProblems } from './upload-problems.ts'

/** A device as sync knows it; whose account it is, others know. */
export type SeenDevice = Omit<ListedDevice, 'email'>

export interface DeviceFilter {
  readonly state?: 'connected' | 'behind' | 'offline' | undefined
  /** Only devices of these users, or with this id. */
  readonly users?: readonly string[] | undefined
  readonly clientId?: string | undefined
  /** Position of the last device of the previous page. */
  readonly after?: DevicePosition | undefined
  readonly limit: number
}

export interface DevicePosition {
  readonly seenAt: string
  readonly userId: string
  readonly clientId: string
}

export interface DevicesOptions {
  /** Reads schema `sync`. */
  readonly pool: Pool
  /** Connects as `authenticator`. */
  readonly requestPool: Pooled
  readonly node: string
  readonly connections: Connections
  /** Tells other servers about devices. */
  readonly notices: Pick<DeviceNotices, 'tell'>
  readonly seen: Pick<SeenDevices, 'flush'>
  readonly problems: UploadProblems
  readonly omittedTables: Pick<OmittedTables, 'incomplete'>
  readonly active: () => ActivePlan | undefined
  /** `hasOthers`: other servers on this database serve devices, too. */
  readonly sync: () => DelayFacts['sync'] & { readonly hasOthers: boolean }
}

interface Row {
  readonly user_id: string
  readonly client_id: string
  readonly node: string
  readonly user_agent: string
  readonly app_metadata: string | null
  readonly address: string
  readonly connected_at: string
  readonly seen_at: string
  readonly ended_at: string | null
  readonly end_reason: string | null
  readonly checkpoint: string | null
  readonly completed_at: string | null
  readonly buckets: number
  readonly operations: string
  readonly rejected: number
}

/** What {@link Devices.read} tells beside the device. */
export interface SeenDeviceDetails {
  readonly device: SeenDevice
  readonly stream: Readonly<Record<string, unknown>> | null
  readonly tables: readonly DeviceTable[]
  readonly uploads: Awaited<ReturnType<typeof readUploads>>
  readonly rejections: Awaited<ReturnType<typeof readRejections>>
  readonly uploadProblem: DeviceDetails['uploadProblem']
}

/** Devices that may be behind at once; more are not listed. */
const BEHIND_MAX = 200

/** Connected and recently seen devices, for operators. */
export class Devices {
  readonly #options: DevicesOptions
  readonly #comparisons = new Semaphore({ permits: COMPARISONS_MAX, refuse: comparisonUnderWay })

  constructor(options: DevicesOptions) {
    this.#options = options
  }

  /** Lists devices, last seen first. */
  async list(
    filter: DeviceFilter,
  ): Promise<{ readonly devices: readonly SeenDevice[]; readonly next?: DevicePosition }> {
    await this.#options.seen.flush()
    const { after, limit, users, clientId } = filter
    const conditions = [
      ...this.#stateConditions(filter.state),
      ...(users === undefined && clientId === undefined
        ? []
        : [sql`(d.user_id = any(${users ?? []}::text[]) or d.client_id = ${clientId ?? null}::text)`]),
      ...(after
        ? [
            sql`(d.seen_at < ${after.seenAt}::timestamptz or (d.seen_at = ${after.seenAt}::timestamptz
                 and (d.user_id, d.client_id) > (${after.userId}, ${after.clientId})))`,
          ]
        : []),
    ]
    const rows = await this.#readRows(conditions, limit)
    const devices = rows.map((row) => this.#describe(row))
    const last = rows.length === limit ? rows.at(-1) : undefined
    return {
      devices,
      ...(last && { next: { seenAt: last.seen_at, userId: last.user_id, clientId: last.client_id } }),
    }
  }

  /** @returns `undefined` for an unknown device */
  async read(userId: string, clientId: string): Promise<SeenDeviceDetails | undefined> {
    const { pool, seen, problems } = this.#options
    await seen.flush()
    const [row] = await this.#readRows([sql`d.user_id = ${userId} and d.client_id = ${clientId}`], 1)
    if (!row) return undefined
    const connection = this.#find(userId, clientId)
    const [tables, uploads, rejections] = await Promise.all([
      connection ? this.#readTables(connection) : [],
      readUploads(pool, { userId, clientId }, LISTED_UPLOADS),
      readRejections(pool, { userId, clientId }, GROUPED_UPLOADS_MAX),
    ])
    const problem = problems.of(userId, clientId)
    const stream = connection && { ...connection.session.state(), waitsSinceMs: connection.sink.waitsSinceMs }
    return {
      device: this.#describe(row),
      stream: stream ?? null,
      tables,
      uploads,
      rejections,
      uploadProblem: problem ? { ...problem, at: new Date(problem.atMs).toISOString() } : null,
    }
  }

  /** Ends a device's stream. It fetches a token and connects again within seconds. @returns whether it has one, here or on another server */
  end(userId: string, clientId: string): Promise<boolean> {
    return this.#act({ userId, clientId }, 'end')
  }

  /** Makes a connected device download all its rows again. @returns whether it is connected, here or to another server */
  resync(userId: string, clientId: string): Promise<boolean> {
    return this.#act({ userId, clientId }, 'resync')
  }

  /**
   * Compares what a connected device has with what Postgres shows its user. @returns `undefined` if it is not connected here
   *
   * @throws {HoldfastError} `device_too_large`, `comparison_under_way`, `comparison_too_long`
   */
  async compare(userId: string, clientId: string, signal: AbortSignal): Promise<DeviceComparison | undefined> {
    const { pool, requestPool } = this.#options
    const connection = this.#find(userId, clientId)
    if (!connection) return undefined
    const active = this.#options.active()
    if (!active) throw notReady()
    const release = this.#comparisons.acquireNow({})
    const timeout = AbortSignal.timeout(COMPARISON_TIMEOUT_MS)
    try {
      const both = AbortSignal.any([signal, timeout])
      return await compareDevice({ pool, requestPool, active, session: connection.session, signal: both })
    } catch (error) {
      throw timeout.aborted ? comparisonTooLong() : error
    } finally {
      release()
    }
  }

  async #act(device: Device, action: DeviceAction): Promise<boolean> {
    const { connections, pool, node, notices, sync } = this.#options
    if (act(connections, device, action)) return true
    if (!sync().hasOthers || !(await askElsewhere(pool, device, action, node))) return false
    await notices.tell(device, 'action')
    return true
  }

  #find(userId: string, clientId: string): Connection | undefined {
    return [...this.#options.connections.of(userId, clientId)].at(-1)
  }

  #stateConditions(state: DeviceFilter['state']): ReturnType<typeof sql>[] {
    const { node, sync } = this.#options
    // Without other servers, another's open rows are those of a process that ended without telling.
    const isConnected = sync().hasOthers
      ? sql`d.ended_at is null and (d.node = ${node} or d.seen_at > now() - ${ELSEWHERE_CONNECTED})`
      : sql`d.ended_at is null and d.node = ${node}`
    if (state === undefined) return []
    if (state === 'connected') return [isConnected]
    if (state === 'offline') return [sql`not (${isConnected})`]
    const behind = this.#findBehind()
    return [
      sql`(d.user_id, d.client_id) in (select * from unnest(${behind.map(({ userId }) => userId)}::text[],
                                                            ${behind.map(({ clientId }) => clientId)}::text[]))`,
    ]
  }

  #findBehind(): readonly Connection[] {
    const behind: Connection[] = []
    for (const connection of this.#options.connections.all()) {
      if (behind.length >= BEHIND_MAX) break
      if (this.#delayOf(connection.userId, connection.clientId, connection).causes.length > 0) behind.push(connection)
    }
    return behind
  }

  async #readRows(conditions: readonly ReturnType<typeof sql>[], limit: number): Promise<readonly Row[]> {
    const where = conditions.length === 0 ? sql`true` : sql.join(conditions, ' and ')
    return await this.#options.pool.query<Row>(sql`
      select d.user_id, d.client_id, d.node, d.user_agent, d.app_metadata, d.address, ${iso('d.connected_at')} as connected_at,
             ${iso('d.seen_at')} as seen_at, ${iso('d.ended_at')} as ended_at, d.end_reason, d.checkpoint::text,
             ${iso('d.completed_at')} as completed_at, d.buckets, d.operations::text,
             case when d.client_id ~ ${UUID} then (
               select count(*)::int from (
                 select u.status from sync.uploads u
                  where u.user_id = d.user_id and u.client_id = d.client_id::uuid
                  order by u."position" desc limit ${LISTED_UPLOADS}) u
                where u.status = 'refused') else 0 end as rejected
        from sync.devices d
       where ${where}
       order by d.seen_at desc, d.user_id, d.client_id
       limit ${limit}`)
  }

  #describe(row: Row): SeenDevice {
    const { node, sync } = this.#options
    const { user_id: userId, client_id: clientId } = row
    const connection = this.#find(userId, clientId)
    const session = connection?.session.state()
    const isElsewhere =
      !connection && row.ended_at === null && sync().hasOthers && row.node !== node && isRecent(row.seen_at)
    const checkpoint =
      session?.completed !== undefined
        ? { opId: session.completed.opId, at: new Date(session.completed.atMs).toISOString() }
        : row.checkpoint !== null && row.completed_at !== null
          ? { opId: Number(row.checkpoint), at: row.completed_at }
          : null
    const isConnected = connection !== undefined || isElsewhere
    return {
      userId,
      clientId,
      isConnected,
      userAgent: row.user_agent,
      appMetadata: parseMetadata(row.app_metadata),
      address: row.address,
      node: row.node,
      connectedAt: row.connected_at,
      seenAt: connection ? new Date().toISOString() : row.seen_at,
      endedAt: isConnected ? null : (row.ended_at ?? row.seen_at),
      endReason: isConnected ? null : (row.end_reason ?? 'PSYNC_S2003'),
      checkpoint,
      buckets: session?.completed ? session.buckets : row.buckets,
      operations: session?.completed ? session.operations : Number(row.operations),
      delay: isElsewhere ? { causes: [], seconds: 0 } : this.#delayOf(userId, clientId, connection, row),
      rejected: row.rejected,
    }
  }

  #delayOf(userId: string, clientId: string, connection: Connection | undefined, row?: Row): DeviceDelay {
    const { sync, omittedTables, problems } = this.#options
    const endedAt = row && (row.ended_at ?? row.seen_at)
    return findDelay({
      nowMs: Date.now(),
      session: connection?.session.state(),
      waitsSinceMs: connection?.sink.waitsSinceMs,
      ended:
        endedAt === undefined ? undefined : { atMs: Date.parse(endedAt), reason: row?.end_reason ?? 'PSYNC_S2003' },
      incomplete: connection ? (omittedTables.incomplete({ userId, clientId }) ?? []) : [],
      upload: problems.of(userId, clientId),
      sync: sync(),
    })
  }

  /** Counts what a device has by table. Counting rows reads an index of the log and is given up after a while. */
  async #readTables({ session }: Connection): Promise<readonly DeviceTable[]> {
    const { pool } = this.#options
    const ids = session.bucketIds()
    if (ids.length === 0) return []
    const sizes = await pool.query<{ id: string; buckets: number; operations: string }>(sql`
      select d.id, count(*)::int as buckets, sum(b.count)::text as operations
        from sync.buckets b join sync.definitions d on d.number = b.definition
       where b.id = any(${ids}::int4[]) group by d.id`)
    const rows = await this.#countRows(ids)
    const tables = new Map<string, { buckets: number; operations: number; rows: number | null }>()
    const names = this.#tableNames()
    for (const { id, buckets, operations } of sizes) {
      const name = names.get(id) ?? id
      const before = tables.get(name) ?? { buckets: 0, operations: 0, rows: rows ? 0 : null }
      tables.set(name, {
        buckets: before.buckets + buckets,
        operations: before.operations + Number(operations),
        rows: rows && (before.rows ?? 0) + (rows.get(id) ?? 0),
      })
    }
    return [...tables]
      .map(([table, size]) => ({ table, ...size }))
      .toSorted((one, other) => other.operations - one.operations || (one.table < other.table ? -1 : 1))
  }

  async #countRows(ids: readonly number[]): Promise<ReadonlyMap<string, number> | null> {
    try {
      const rows = await this.#options.pool.transaction(async (tx) => {
        await tx.execute(sql`select set_config('statement_timeout', ${String(COUNT_ROWS_TIMEOUT_MS)}, true)`)
        return await tx.query<{ id: string; rows: string }>(sql`
          select d.id, count(*)::text as rows
            from sync.ops o join sync.buckets b on b.id = o.bucket_id join sync.definitions d on d.number = b.definition
           where o.bucket_id = any(${ids}::int4[]) and o.row_key is not null group by d.id`)
      })
      return new Map(rows.map(({ id, rows: count }) => [id, Number(count)]))
    } catch (error) {
      if ((error as { code?: string }).code === QUERY_CANCELED) return null
      throw error
    }
  }

  #tableNames(): ReadonlyMap<string, string> {
    const tables = [...(this.#options.active()?.tables.values() ?? [])]
    return new Map(
      tables.flatMap(({ table, definitions }) =>
        definitions.map(({ stored }) => [stored.id, `${table.schema}.${table.name}`] as const),
      ),
    )
  }
}

const QUERY_CANCELED = '57014'
const UUID = '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$'
const ELSEWHERE_CONNECTED_MS = 12 * 60_000

function isRecent(iso: string): boolean {
  return Date.now() - Date.parse(iso) < ELSEWHERE_CONNECTED_MS
}

function iso(column: string): ReturnType<typeof sql> {
  return sql`to_char(${sql.identifier(...column.split('.'))} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

function parseMetadata(text: string | null): Readonly<Record<string, string>> | null {
  return text === null ? null : (JSON.parse(text) as Readonly<Record<string, string>>)
}
