import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import type { Relation, TableName } from '@holdfast/replication'
import { HEARTBEAT_MS, HEARTBEAT_PATIENCE_MS } from '../../limits.ts'

/** Prefix of the message sent with each update of the heartbeat row. */
export const BEAT_PREFIX = 'holdfast:beat'

/** The table whose only row each heartbeat updates. It has to be published. */
export const HEARTBEAT_TABLE: TableName = { schema: 'sync', name: 'heartbeat' }

/**
 * Periodically sends a row and a message in one transaction through the replication slot. The message always comes back, the row only if its table is
 * published, so a lost publication is noticed even if no event trigger reports it.
 */
export interface Heartbeat extends AsyncDisposable {
  /** Called for each row. @returns whether it is the heartbeat row, which needs no further processing */
  row(relation: Relation): boolean
  /** Called for each message with {@link BEAT_PREFIX}. */
  message(content: string): void
  /** Called at the end of each transaction. @returns whether it was a heartbeat without its row, so rows are not being published */
  committed(): boolean
  /** Called when the publication is repaired. Ignores heartbeats sent before. */
  repaired(): void
  /** Called when any event arrives through the slot. */
  heard(): void
  /** Problem for the operator if heartbeats do not return. */
  readonly problem: string | undefined
}

export interface HeartbeatOptions {
  readonly pool: Pool
  readonly logger: Logger
  readonly intervalMs?: number
  readonly timeoutMs?: number
}

export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { pool, logger, intervalMs = HEARTBEAT_MS, timeoutMs = HEARTBEAT_PATIENCE_MS } = options
  const stopping = new AbortController()
  /** Distinguishes the heartbeats of this attempt from earlier ones that are still in the write-ahead log. */
  const run = `${process.pid} ${Date.now()}`
  let sent = 0
  let ignoredUpTo = 0
  let hasRow = false
  let beat: number | undefined
  /** Time of the oldest heartbeat after which nothing has arrived. */
  let unansweredSinceMs: number | undefined

  async function send(): Promise<void> {
    const number = ++sent
    unansweredSinceMs ??= performance.now()
    await pool.query(sql`
      with changed as (update sync.heartbeat set number = number + 1)
      select pg_logical_emit_message(true, ${BEAT_PREFIX}, ${`${run} ${number}`})`)
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      await send().catch((error: unknown) =>
        logger.log('debug', 'no heartbeat could be sent', { reason: errorMessage(error) }),
      )
      await delay(intervalMs, stopping.signal).catch(() => undefined) // stopping ends the loop
    }
  }

  const looping = loop()
  return {
    row({ schema, name }) {
      if (name !== HEARTBEAT_TABLE.name || schema !== HEARTBEAT_TABLE.schema) return false
      hasRow = true
      return true
    },
    message(content) {
      if (content.startsWith(`${run} `)) beat = Number(content.slice(run.length + 1))
    },
    committed() {
      const isLost = beat !== undefined && beat > ignoredUpTo && !hasRow
      hasRow = false
      beat = undefined
      return isLost
    },
    repaired() {
      ignoredUpTo = sent
    },
    heard() {
      unansweredSinceMs = undefined
    },
    get problem() {
      const silentMs = unansweredSinceMs === undefined ? 0 : performance.now() - unansweredSinceMs
      if (silentMs < timeoutMs) return undefined
      return `Nothing has come through the replication slot for ${Math.round(silentMs / 1_000)} s, though something was written.`
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('the heartbeat has ended'))
      await looping
    },
  }
}
