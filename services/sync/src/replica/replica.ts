import { delay } from '@holdfast/foundation'
import type { StatementConnection } from '@holdfast/postgres'
import { formatLsn, type Lsn } from '@holdfast/replication'
import { createLogConnections, type LogConnections } from '../storage/log-connections.ts'
import { logStatements, readSlices, type OpsSlice, type ReadOpsInput } from '../storage/log-reader.ts'
import { LOG_SETTINGS } from '../storage/log-settings.ts'
import { REPLICA_CONNECT_MS, REPLICA_POLL_MS, REPLICA_READ_MS, REPLICA_WAIT_MS } from './limits.ts'
import type { LogPosition } from './log-position.ts'

/** How far the replica is. Everything replayed before `lsn` is visible to the next statement of the same connection. */
const POSITION = `
  select pg_is_in_recovery()::int, coalesce(pg_last_wal_replay_lsn(), '0/0'::pg_lsn), coalesce(s.write_checkpoint_floor, 0), coalesce(r.received_tli, 0)
    from sync.state s left join pg_catalog.pg_stat_wal_receiver r on true`

const STATEMENTS = {
  // A promoted replica has changes of its own. If it is in recovery now, it was when the snapshot was taken.
  ...logStatements('where pg_is_in_recovery()'),
  position: { text: POSITION, parameterTypes: [] },
}

type ReplicaConnection = StatementConnection<keyof typeof STATEMENTS>

interface ReplayedPosition extends LogPosition {
  readonly isInRecovery: boolean
}

/**
 * A physical replica of the database. What it answers is never older than the given position of the primary. Position and operations are read over one
 * connection, because an address may stand for several replicas.
 */
export class Replica implements AsyncDisposable {
  readonly #connections: LogConnections<keyof typeof STATEMENTS>

  constructor(options: { readonly url: string; readonly connectionsMax: number }) {
    this.#connections = createLogConnections({
      ...options,
      applicationName: 'holdfast replica reader',
      settings: { ...LOG_SETTINGS, statement_timeout: String(REPLICA_READ_MS) },
      statements: STATEMENTS,
      connectTimeoutMs: REPLICA_CONNECT_MS,
    })
  }

  /**
   * Reads as a `LogReader` does.
   *
   * @param signal - rejects reads that have not begun
   * @throws with the reason if the replica cannot answer in time
   */
  read(input: ReadOpsInput, position: LogPosition, signal: AbortSignal): Promise<OpsSlice[]> {
    return this.#connections.use({ group: input.isBulk ? 'bulk' : 'urgent', signal }, async (connection) => {
      await reach(connection, position)
      const slices = await within(REPLICA_READ_MS, readSlices(connection, input))
      if (slices.length < input.wanted.length) throw promoted()
      return slices
    })
  }

  /** Waits until the replica has everything before a position. @returns how long, in ms. @throws with the reason if it does not in time */
  reach(position: LogPosition): Promise<number> {
    return this.#connections.use({ group: 'urgent' }, (connection) => reach(connection, position))
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#connections[Symbol.asyncDispose]()
  }
}

async function reach(connection: ReplicaConnection, target: LogPosition): Promise<number> {
  const startedMs = performance.now()
  for (let pauseMs = REPLICA_POLL_MS.min; ; pauseMs = Math.min(2 * pauseMs, REPLICA_POLL_MS.max)) {
    const at = await within(REPLICA_WAIT_MS, readPosition(connection))
    if (at?.isInRecovery === false) throw promoted()
    if (at && isAt(at, target)) return performance.now() - startedMs
    if (performance.now() + pauseMs > startedMs + REPLICA_WAIT_MS) throw new Error(describe(at, target))
    await delay(pauseMs)
  }
}

/** The timeline is unknown while the replica is not connected to the primary, and to roles without `pg_monitor`. */
function isAt(at: LogPosition, target: LogPosition): boolean {
  return (
    at.lsn >= target.lsn &&
    at.history === target.history &&
    (at.timeline === target.timeline || at.timeline === UNKNOWN_TIMELINE)
  )
}

const UNKNOWN_TIMELINE = 0

function describe(at: ReplayedPosition | undefined, { lsn, history, timeline }: LogPosition): string {
  if (!at) return 'It has no operation log.'
  if (at.lsn < lsn) return `It is behind: it has replayed up to ${formatLsn(at.lsn)} of ${formatLsn(lsn)}.`
  if (at.history !== history) return 'It is not a replica of the present primary: its operation log is another one.'
  return `It follows timeline ${at.timeline}, and the primary is on timeline ${timeline}.`
}

const promoted = (): Error => new Error('It is not a replica: it takes writes, so it has been promoted.')

async function readPosition(connection: ReplicaConnection): Promise<ReplayedPosition | undefined> {
  let position: ReplayedPosition | undefined
  await connection.run('position', [], (buffer, start) => {
    // An int16 column count, then the length and value of each column: int4, pg_lsn, int8, int4.
    position = {
      isInRecovery: buffer.readInt32BE(start + 6) === 1,
      lsn: buffer.readBigUInt64BE(start + 14) as Lsn,
      history: buffer.readBigInt64BE(start + 26),
      timeline: buffer.readInt32BE(start + 38),
    }
  })
  return position
}

/** @throws if it takes longer. The caller then closes the connection. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It did not answer within ${ms} ms.`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
