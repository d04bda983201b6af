import { errorMessage } from '@holdfast/foundation'
import { replicationConnectionLost } from '../errors.ts'
import type { ReplicationEvent, ReplicationStream } from '../events.ts'
import { formatLsn, type Lsn } from '../lsn.ts'
import {
  connectToSlot,
  SlotStream,
  type Renewal,
  type ReplicationStreamOptions,
  type SlotConnection,
} from './replication-stream.ts'

/** A transaction of 200,000 rows of 500 bytes leaves 80 to 105 MB in its walsender. The quiet time is shorter than the heartbeat interval. */
const RENEWAL: Renewal = {
  transactionBytes: 16 * 1024 * 1024,
  walBytes: 32 * 1024 * 1024,
  quietMs: 1_000,
  intervalMs: 3_000,
}

/** Maximum backoff, in intervals, for checking whether the slot has advanced: an open transaction holds it back. */
const INTERVALS_MAX = 20

/**
 * Starts reading a logical slot. One reader per slot, disposed by the caller.
 *
 * Backpressure: the socket is read while less than half a megabyte is waiting, so transactions of any size stream through. Status is sent every ten seconds,
 * even while the consumer is busy.
 *
 * @throws {HoldfastError} `replication_slot_missing`, `replication_slot_lost`, `replication_slot_busy`, `replication_publication_missing`,
 * `replication_not_configured`, `replication_connection_lost`
 */
export async function openReplicationStream(given: ReplicationStreamOptions): Promise<ReplicationStream> {
  const renewal = given.renewal ?? RENEWAL
  const options = { ...given, renewal }
  const { slot, startLsn, logger } = options
  const connection = await connectToSlot(options)
  const { confirmedFlushLsn, restartLsn } = connection.found
  // Otherwise a soon restart would decode the same WAL again.
  if (Number((connection.walEnd ?? 0n) - (restartLsn ?? 0n)) >= renewal.walBytes) {
    await letSlotGoOn(connection).catch(async (error: unknown) => {
      await connection.client.end().catch(() => undefined) // report the first error
      throw replicationConnectionLost(error)
    })
  }
  const stream = new SlotStream(connection, options)
  await stream.start()
  logger.log('info', 'reading the replication slot', {
    slot,
    confirmedFlushLsn: confirmedFlushLsn && formatLsn(confirmedFlushLsn),
    startLsn: startLsn && formatLsn(startLsn),
  })
  return new RenewedStream(stream, options, renewal)
}

/**
 * Replaces its connection when idle after a large transaction or much WAL, because a walsender's allocator keeps its memory until the process ends.
 *
 * Nothing is lost or repeated: the connection is replaced only while everything delivered is confirmed, and the new one starts there. Undelivered data of the
 * old one is sent again.
 */
class RenewedStream implements ReplicationStream {
  readonly batches: ReplicationStream['batches'] = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const batch = await this.#take()
        return batch === undefined ? { done: true, value: undefined } : { done: false, value: batch }
      },
    }),
  }

  readonly #options: ReplicationStreamOptions
  readonly #quietMs: number
  readonly #timer: NodeJS.Timeout
  #stream: SlotStream
  readonly #intervalMs: number
  #isRenewing = false
  #isClosed = false
  /** Consecutive checks that found the slot held back, and the time of the next one. */
  #heldBack = 0
  #nextLookAtMs = 0

  constructor(stream: SlotStream, options: ReplicationStreamOptions, { quietMs, intervalMs }: Renewal) {
    this.#stream = stream
    this.#options = options
    this.#quietMs = quietMs
    this.#intervalMs = intervalMs
    this.#timer = setInterval(() => void this.#renewIfQuiet(), intervalMs).unref()
  }

  confirm(lsn: Lsn): void {
    this.#stream.confirm(lsn)
  }

  requestProgress(): void {
    this.#stream.requestProgress()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#stream[Symbol.asyncDispose]()
  }

  async #take(): Promise<readonly ReplicationEvent[] | undefined> {
    for (;;) {
      const stream = this.#stream
      const batch = await stream.take()
      if (batch !== undefined || stream === this.#stream) return batch
    }
  }

  /** Whether the connection may be replaced now. */
  #isDue(): boolean {
    return !this.#isClosed && this.#stream.largeEnd !== undefined && this.#stream.isQuiet(this.#quietMs)
  }

  async #renewIfQuiet(): Promise<void> {
    if (this.#isRenewing || performance.now() < this.#nextLookAtMs || !this.#isDue()) return
    this.#isRenewing = true
    const { slot, logger } = this.#options
    try {
      const connection = await connectToSlot(this.#options)
      if (this.#isDue() && this.#isPast(connection)) await this.#renew(connection)
      else await this.#waitForSlot(connection)
    } catch (error) {
      // Failures before closing the old connection are harmless; afterwards the new one reports them.
      logger.log('debug', 'the replication stream could not be renewed', { slot, reason: errorMessage(error) })
    } finally {
      this.#isRenewing = false
    }
  }

  /** Whether the slot has advanced past the large transaction; otherwise a new connection would decode it again. */
  #isPast({ found: { restartLsn } }: SlotConnection): boolean {
    return (restartLsn ?? 0n) >= (this.#stream.largeEnd ?? 0n)
  }

  async #waitForSlot(connection: SlotConnection): Promise<void> {
    try {
      await letSlotGoOn(connection)
    } finally {
      await connection.client.end()
    }
    // The written WAL must be decoded and confirmed.
    if (!this.#isClosed) this.#stream.requestProgress()
    this.#nextLookAtMs = performance.now() + this.#intervalMs * Math.min(2 ** this.#heldBack++, INTERVALS_MAX)
  }

  async #renew(connection: SlotConnection): Promise<void> {
    const { slot, logger } = this.#options
    this.#heldBack = 0
    const last = this.#stream
    // No await until the old stream ends, so nothing is delivered in between.
    this.#stream = new SlotStream(connection, { ...this.#options, startLsn: last.confirmed })
    const next = this.#stream
    await last[Symbol.asyncDispose]()
    if (this.#isClosed) return
    next.requestProgress()
    await next.start()
    logger.log('info', 'reading the replication slot on a new connection, as the last one keeps memory', { slot })
  }
}

/**
 * Logs a running-transactions record, so the slot can advance at once. Does nothing before Postgres 16 or without the right to; Postgres then logs one every 15 s.
 */
async function letSlotGoOn({ client }: SlotConnection): Promise<void> {
  const { rows } = await client.query<{ may: boolean | null }>(`
    select pg_catalog.has_function_privilege(pg_catalog.to_regprocedure('pg_catalog.pg_log_standby_snapshot()')::oid, 'execute') as may`)
  if (rows[0]?.may) await client.query('select pg_catalog.pg_log_standby_snapshot()')
}
