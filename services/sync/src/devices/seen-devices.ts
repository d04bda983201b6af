import { errorMessage, type Logger } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import {
  DEVICE_DAYS,
  DEVICES_PER_PERSON_MAX,
  DEVICES_PURGED_MAX,
  DEVICES_SEEN_MS,
  DEVICES_WRITTEN_MAX,
  DEVICES_WRITTEN_MS,
  ENDED_STREAMS_MAX,
} from '../limits.ts'
import type { Connection } from '../stream/connections.ts'
import type { SessionState } from '../stream/session-state.ts'

export interface SeenDevicesOptions {
  /** May write schema `sync`. */
  readonly pool: Pool
  /** Name of this process. */
  readonly node: string
  readonly connections: () => Iterable<Connection>
  readonly logger: Logger
}

interface Ended extends Pick<Connection, 'userId' | 'clientId' | 'connectedAtMs'> {
  readonly state: SessionState
  readonly atMs: number
  readonly reason: string
}

/** Records in `sync.devices` which devices were connected, in batches and apart from serving them. A lost record costs an operator a detail. */
export class SeenDevices implements AsyncDisposable {
  readonly #options: SeenDevicesOptions
  readonly #interval: NodeJS.Timeout
  #due = new Set<Connection>()
  #ended: Ended[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #passes = 0

  constructor(options: SeenDevicesOptions) {
    this.#options = options
    this.#interval = setInterval(() => this.#seeAll(), DEVICES_SEEN_MS)
    this.#interval.unref()
  }

  /** Called when a stream opens. A device without an id cannot be recognised again, so it is not recorded. */
  connected(connection: Connection): void {
    if (connection.clientId === '') return
    this.#due.add(connection)
    this.#writeSoon()
  }

  ended(connection: Connection, reason: string): void {
    const { userId, clientId, connectedAtMs, session } = connection
    if (clientId === '' || this.#ended.length >= ENDED_STREAMS_MAX) return
    this.#ended.push({
      userId,
      clientId,
      connectedAtMs,
      state: session.state(),
      reason,
      atMs: Date.now(),
    })
    this.#writeSoon()
  }

  /** Resolves when everything reported so far is in the table, or could not be written. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write())
    await this.#writing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#interval)
    await this.flush()
  }

  #writeSoon(): void {
    if (this.#timer) return
    this.#timer = setTimeout(() => void this.flush(), DEVICES_WRITTEN_MS)
    this.#timer.unref()
  }

  #seeAll(): void {
    for (const connection of this.#options.connections()) if (connection.clientId !== '') this.#due.add(connection)
    this.#passes += 1
    if (this.#due.size > 0) this.#writeSoon()
    if (this.#passes % PASSES_PER_PURGE === 0) void this.#purge()
  }

  async #write(): Promise<void> {
    const [due, ended] = [[...this.#due], this.#ended]
    this.#due = new Set()
    this.#ended = []
    try {
      for (let start = 0; start < due.length; start += DEVICES_WRITTEN_MAX)
        await this.#writeSeen(due.slice(start, start + DEVICES_WRITTEN_MAX))
      for (let start = 0; start < ended.length; start += DEVICES_WRITTEN_MAX)
        await this.#writeEnded(ended.slice(start, start + DEVICES_WRITTEN_MAX))
    } catch (error) {
      // Devices that stay connected are recorded again within minutes.
      this.#options.logger.log('warn', 'connected devices could not be recorded', { reason: errorMessage(error) })
    }
  }

  async #writeSeen(connections: readonly Connection[]): Promise<void> {
    const { pool, node } = this.#options
    // Of several streams of one device, the newest.
    const newest = new Map(connections.map((one) => [JSON.stringify([one.userId, one.clientId]), one]))
    const rows = [...newest.values()].map((connection) => ({ connection, state: connection.session.state() }))
    const column = (of: (row: (typeof rows)[number]) => string | number | null): (string | null)[] =>
      rows.map((row) => {
        const value = of(row)
        return value === null ? null : String(value)
      })
    const isNew = await pool.query<{ user_id: string }>(sql`
      with seen as (
        insert into sync.devices as d (user_id, client_id, node, user_agent, app_metadata, address, connected_at, seen_at,
                                       checkpoint, completed_at, buckets, operations)
        select user_id, client_id, ${node}, user_agent, app_metadata, address, to_timestamp(connected_at / 1000), now(),
               checkpoint, to_timestamp(completed_at / 1000), buckets, operations
          from unnest(${column(({ connection }) => connection.userId)}::text[],
                      ${column(({ connection }) => connection.clientId)}::text[],
                      ${column(({ connection }) => connection.device.userAgent)}::text[],
                      ${column(({ connection }) => connection.device.appMetadata ?? null)}::text[],
                      ${column(({ connection }) => connection.device.address)}::text[],
                      ${column(({ connection }) => connection.connectedAtMs)}::float8[],
                      ${column(({ state }) => state.completed?.opId ?? null)}::int8[],
                      ${column(({ state }) => state.completed?.atMs ?? null)}::float8[],
                      ${column(({ state }) => state.buckets)}::int4[],
                      ${column(({ state }) => state.operations)}::int8[])
               as s (user_id, client_id, user_agent, app_metadata, address, connected_at, checkpoint, completed_at, buckets, operations)
            on conflict (user_id, client_id) do update
           set node = excluded.node, user_agent = excluded.user_agent, app_metadata = excluded.app_metadata,
               address = excluded.address, connected_at = excluded.connected_at, seen_at = excluded.seen_at,
               ended_at = null, end_reason = null, checkpoint = coalesce(excluded.checkpoint, d.checkpoint),
               completed_at = coalesce(excluded.completed_at, d.completed_at),
               buckets = case when excluded.completed_at is null then d.buckets else excluded.buckets end,
               operations = case when excluded.completed_at is null then d.operations else excluded.operations end
        returning user_id, xmax = 0 as is_new
      )
      select distinct user_id from seen where is_new`)
    if (isNew.length > 0) await this.#forgetOldest(isNew.map(({ user_id }) => user_id))
  }

  /** A stream that another process has replaced since does not end the device. */
  async #writeEnded(ended: readonly Ended[]): Promise<void> {
    const { pool, node } = this.#options
    await pool.execute(sql`
      update sync.devices d
         set ended_at = to_timestamp(e.ended_at / 1000), seen_at = greatest(d.seen_at, to_timestamp(e.ended_at / 1000)),
             end_reason = e.reason, checkpoint = coalesce(e.checkpoint, d.checkpoint),
             completed_at = coalesce(to_timestamp(e.completed_at / 1000), d.completed_at),
             buckets = case when e.completed_at is null then d.buckets else e.buckets end,
             operations = case when e.completed_at is null then d.operations else e.operations end
        from unnest(${ended.map(({ userId }) => userId)}::text[],
                    ${ended.map(({ clientId }) => clientId)}::text[],
                    ${ended.map(({ connectedAtMs }) => String(connectedAtMs))}::float8[],
                    ${ended.map(({ atMs }) => String(atMs))}::float8[],
                    ${ended.map(({ reason }) => reason)}::text[],
                    ${ended.map(({ state }) => state.completed?.opId.toString() ?? null)}::int8[],
                    ${ended.map(({ state }) => state.completed?.atMs.toString() ?? null)}::float8[],
                    ${ended.map(({ state }) => String(state.buckets))}::int4[],
                    ${ended.map(({ state }) => String(state.operations))}::int8[])
             as e (user_id, client_id, connected_at, ended_at, reason, checkpoint, completed_at, buckets, operations)
       where d.user_id = e.user_id and d.client_id = e.client_id and d.node = ${node}
         and d.connected_at = to_timestamp(e.connected_at / 1000)`)
  }

  async #forgetOldest(userIds: readonly string[]): Promise<void> {
    await this.#options.pool.execute(sql`
      delete from sync.devices d
       using (select user_id, client_id, row_number() over (partition by user_id order by seen_at desc, client_id) as number
                from sync.devices where user_id = any(${userIds}::text[])) own
       where d.user_id = own.user_id and d.client_id = own.client_id and own.number > ${DEVICES_PER_PERSON_MAX}`)
  }

  async #purge(): Promise<void> {
    const { pool, logger } = this.#options
    try {
      await pool.execute(sql`
        delete from sync.devices where (user_id, client_id) in (
          select user_id, client_id from sync.devices
           where seen_at < now() - make_interval(days => ${DEVICE_DAYS}) order by seen_at limit ${DEVICES_PURGED_MAX})`)
    } catch (error) {
      // Repeated within the hour.
      logger.log('warn', 'old devices could not be forgotten', { reason: errorMessage(error) })
    }
  }
}

/** Passes between two purges: an hour. */
const PASSES_PER_PURGE = 12
