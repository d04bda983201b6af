import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import { openOwnConnection, sql, type Queryable } from '@holdfast/postgres'
import { formatLsn, parseLsn } from '@holdfast/replication'
import type { Device, WriteCheckpoint } from '../checkpoints/write-checkpoints.ts'
import { FOLLOW_RETRY_MS } from '../limits.ts'

/** Channel on which servers tell each other about write checkpoints. */
const CHANNEL = 'holdfast_sync_write_checkpoints'

/** Passes write checkpoints on to the server that has the device's stream, which may be another one than the device asked. */
export interface WriteCheckpointNotices extends AsyncDisposable {
  /** Call when other servers are on this database. */
  start(): void
  tell(device: Device, checkpoint: WriteCheckpoint): Promise<void>
}

export interface WriteCheckpointNoticesOptions {
  readonly url: string
  readonly instance: string
  readonly pool: Queryable
  /** Called with write checkpoints that another server created. */
  readonly onTold: (device: Device, checkpoint: WriteCheckpoint) => void
  readonly logger: Logger
}

interface Notice extends Device {
  readonly from: string
  readonly id: string
  readonly lsn: string
}

export function createWriteCheckpointNotices(options: WriteCheckpointNoticesOptions): WriteCheckpointNotices {
  const { url, instance, pool, onTold, logger } = options
  const stopping = new AbortController()
  let listening: Promise<void> | undefined

  function receive(payload: string | undefined): void {
    const { from, userId, clientId, id, lsn: text } = JSON.parse(payload ?? '{}') as Notice
    const lsn = parseLsn(text)
    if (from !== instance && lsn !== undefined) onTold({ userId, clientId }, { id: BigInt(id), lsn })
  }

  async function listenOnce(): Promise<void> {
    const ended = Promise.withResolvers<void>()
    await using connection = await openOwnConnection({ url, applicationName: `holdfast notices ${instance}` })
    connection.onEnd(() => ended.resolve())
    stopping.signal.addEventListener('abort', () => ended.resolve(), { once: true })
    connection.onNotification(({ payload }) => receive(payload))
    await connection.execute(sql`listen ${sql.identifier(CHANNEL)}`)
    if (!stopping.signal.aborted) await ended.promise
  }

  async function listen(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await listenOnce()
      } catch (error) {
        logger.log('debug', 'write checkpoints of other servers cannot be heard', { reason: errorMessage(error) })
      }
      await delay(FOLLOW_RETRY_MS, stopping.signal).catch(() => undefined) // stopping ends the loop
    }
  }

  return {
    start: () => void (listening ??= listen()),
    async tell({ userId, clientId }, { id, lsn }) {
      if (!listening) return
      const notice: Notice = { from: instance, userId, clientId, id: String(id), lsn: formatLsn(lsn) }
      await pool.query(sql`select pg_notify(${CHANNEL}, ${JSON.stringify(notice)})`)
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('the server is stopping'))
      await listening
    },
  }
}
