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

/** A transaction of 200,000 rows of 500 bytes leaves 80 to 105 MB with its walsender. The quiet time is less than the pause between two heartbeats. */
const RENEWAL: Renewal = {
  transactionBytes: 16 * 1024 * 1024,
  walBytes: 32 * 1024 * 1024,
  quietMs: 1_000,
  intervalMs: 3_000,
}

/** So many intervals pass at most until the next look for whether the slot has let go: an open transaction holds it for as long as it lasts. */
const INTERVALS_MAX = 20

/**
 * Starts reading a logical slot. One reader per slot; the caller disposes it.
 *
 * Flow control: the socket is read while less than half a megabyte waits for the consumer, so a transaction of any size passes through in
 * pieces. Status goes to the server every ten seconds even while the consumer is busy.
 *
 * @throws {HoldfastError} `replication_slot_missing`, `replication_slot_lost`, `replication_slot_busy`, `replication_publication_missing`,
 *   `replication_not_configured`, `replication_connection_lost`
 */
export async function openReplicationStream(given: ReplicationStreamOptions): Promise<ReplicationStream> {
  const renewal = given.renewal ?? RENEWAL
  const options = { ...given, renewal }
  const { slot, startLsn, logger } = options
  const connection = await connectToSlot(options)
  const { confirmedFlushLsn, restartLsn } = connection.found
  // Otherwise the next start soon after this one would decode the same again.
  if (Number((connection.walEnd ?? 0n) - (restartLsn ?? 0n)) >= renewal.walBytes) {
    await letSlotGoOn(connection).catch(async (error: unknown) => {
      await connection.client.end().catch(() => undefined) // the first error tells why
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
 * A stream whose connection is replaced once it is quiet after a large transaction, or after much WAL: the allocator of a walsender keeps what
 * decoding took until the process ends.
 *
 * Nothing is lost and nothing comes twice: the connection is replaced only while all that it delivered is confirmed, and the next one starts
 * there. What the old one has received and not delivered by then comes again.
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
  /** Looks that found the slot held back, in a row, and when the next one may be. */
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
      // Before the old connection is closed a failure changes nothing; afterwards the consumer gets it from the new one.
      logger.log('debug', 'the replication stream could not be renewed', { slot, reason: errorMessage(error) })
    } finally {
      this.#isRenewing = false
    }
  }

  /** Whether the slot has let go of the large transaction: otherwise the new connection would decode it again, and skip it. */
  #isPast({ found: { restartLsn } }: SlotConnection): boolean {
    return (restartLsn ?? 0n) >= (this.#stream.largeEnd ?? 0n)
  }

  async #waitForSlot(connection: SlotConnection): Promise<void> {
    try {
      await letSlotGoOn(connection)
    } finally {
      await connection.client.end()
    }
    // What that wrote has to be decoded and confirmed.
    if (!this.#isClosed) this.#stream.requestProgress()
    this.#nextLookAtMs = performance.now() + this.#intervalMs * Math.min(2 ** this.#heldBack++, INTERVALS_MAX)
  }

  async #renew(connection: SlotConnection): Promise<void> {
    const { slot, logger } = this.#options
    this.#heldBack = 0
    const last = this.#stream
    // No await up to the end of the old stream's reading: nothing is delivered in between.
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
 * Has Postgres write down which transactions run, from which a slot learns that it needs nothing older. By itself Postgres does so every 15 s. Before version 16, and
 * where only superusers may, that is waited for.
 */
async function letSlotGoOn({ client }: SlotConnection): Promise<void> {
  const { rows } = await client.query<{ may: boolean | null }>(`
    select pg_catalog.has_function_privilege(pg_catalog.to_regprocedure('pg_catalog.pg_log_standby_snapshot()')::oid, 'execute') as may`)
  if (rows[0]?.may) await client.query('select pg_catalog.pg_log_standby_snapshot()')
}
