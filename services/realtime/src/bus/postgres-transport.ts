import { randomUUID } from 'node:crypto'
import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import { listen, sql, type Pool } from '@holdfast/postgres'
import {
  BUS_CLEANUP_MS,
  BUS_CLOSE_PATIENCE_MS,
  BUS_NOTIFIED_BYTES_MAX,
  BUS_RETRY_MS,
  BUS_STALE_MS,
  BUS_STATEMENT_BYTES_MAX,
  BUS_STATEMENT_FRAMES_MAX,
  BUS_STORED_BYTES_MAX,
  BUS_STORED_S,
  BUS_WAITING_BYTES_MAX,
  BUS_WAITING_MAX,
} from '../limits.ts'
import { BoundedQueue } from './bounded-queue.ts'
import type { OpenTransport, Transport, TransportEvents } from './transport.ts'

const CHANNEL = 'holdfast_bus'

/** Begins the payload of a notification about a stored frame; its id follows. Not in the alphabet of base64. */
const STORED = '#'

export interface PostgresTransportOptions {
  /** As the owner of schema `realtime`, for the listening connection. */
  readonly url: string
  /** As the same owner, for sending and for stored frames. */
  readonly pool: Pool
  readonly logger: Logger
}

interface Outgoing {
  readonly frame: Buffer
  readonly queuedAtMs: number
}

/** A received frame, or the id of a stored one. */
type Incoming = Buffer | string

/** Carries frames by NOTIFY; those that are too long for it through the unlogged table `realtime.bus_frames`. */
export function postgresTransport(options: PostgresTransportOptions): OpenTransport {
  return async (events) => {
    const transport = new PostgresTransport(options, events)
    await transport.open(options.url)
    return transport
  }
}

class PostgresTransport implements Transport {
  readonly frameBytesMax = BUS_STORED_BYTES_MAX
  readonly #pool: Pool
  readonly #logger: Logger
  readonly #events: TransportEvents
  readonly #outgoing = new BoundedQueue<Outgoing>(BUS_WAITING_MAX, BUS_WAITING_BYTES_MAX)
  readonly #incoming = new BoundedQueue<Incoming>(BUS_WAITING_MAX, BUS_WAITING_BYTES_MAX)
  readonly #stopping = new AbortController()
  #sending: Promise<void> | undefined
  #reading: Promise<void> | undefined
  #listening: AsyncDisposable | undefined
  #hasStored = true

  constructor({ pool, logger }: PostgresTransportOptions, events: TransportEvents) {
    this.#pool = pool
    this.#logger = logger
    this.#events = events
  }

  async open(url: string): Promise<void> {
    let hasListened = false
    this.#listening = await listen({
      url,
      channels: [CHANNEL],
      applicationName: 'holdfast bus',
      onNotify: (_channel, payload) => this.#receive(payload),
      onListening: () => {
        if (hasListened) this.#events.onResumed()
        hasListened = true
      },
      logger: this.#logger,
    })
    void this.#deleteExpired()
    const timer = setInterval(() => void this.#deleteExpired(), BUS_CLEANUP_MS)
    timer.unref()
    this.#stopping.signal.addEventListener('abort', () => clearInterval(timer))
  }

  send(frame: Buffer): boolean {
    const isQueued = this.#outgoing.push({ frame, queuedAtMs: performance.now() }, frame.length)
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined))
    return isQueued
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.race([this.#sending, delay(BUS_CLOSE_PATIENCE_MS)])
    this.#stopping.abort()
    await this.#listening?.[Symbol.asyncDispose]()
    await Promise.all([this.#sending, this.#reading])
  }

  async #sendAll(): Promise<void> {
    await Promise.resolve() // what is published in this turn goes together
    while (!this.#outgoing.isEmpty && !this.#stopping.signal.aborted) {
      const batch = this.#outgoing.peek(BUS_STATEMENT_FRAMES_MAX, BUS_STATEMENT_BYTES_MAX)
      try {
        await this.#sendBatch(batch.map(({ frame }) => frame))
        this.#outgoing.drop(batch.length)
      } catch (error) {
        this.#logger.log('debug', 'messages to other servers could not be sent', { error: errorMessage(error) })
        // The others are sent again; receivers ignore repeated frames.
        const stale = performance.now() - BUS_STALE_MS
        this.#outgoing.drop(batch.filter(({ queuedAtMs }) => queuedAtMs < stale).length)
        await delay(BUS_RETRY_MS, this.#stopping.signal).catch(() => undefined) // ends the loop
      }
    }
  }

  async #sendBatch(frames: readonly Buffer[]): Promise<void> {
    const stored = new Map<string, Buffer>()
    const payloads = frames.map((frame) => {
      if (frame.length <= BUS_NOTIFIED_BYTES_MAX) return frame.toString('base64')
      const id = randomUUID()
      stored.set(id, frame)
      return STORED + id
    })
    if (stored.size > 0) {
      this.#hasStored = true
      await this.#pool.execute(sql`
        insert into realtime.bus_frames (id, frame)
        select * from unnest(${[...stored.keys()]}::uuid[], ${[...stored.values()]}::bytea[])`)
    }
    await this.#pool.execute(sql`
      select count(pg_catalog.pg_notify(${CHANNEL}, payload)) from unnest(${payloads}::text[]) payload`)
  }

  #receive(payload: string): void {
    const item = payload.startsWith(STORED) ? payload.slice(STORED.length) : Buffer.from(payload, 'base64')
    if (typeof item !== 'string' && this.#incoming.isEmpty) return this.#events.onFrame(item)
    // A frame for which there is no room is missing in the numbers.
    this.#incoming.push(item, item.length)
    this.#reading ??= this.#readAll().finally(() => (this.#reading = undefined))
  }

  /** Passes on frames in their order, which wait for stored ones. */
  async #readAll(): Promise<void> {
    while (!this.#incoming.isEmpty && !this.#stopping.signal.aborted) {
      const [item] = this.#incoming.peek(1, 0)
      const frame = typeof item === 'string' ? await this.#readStored(item) : item
      this.#incoming.drop(1)
      if (frame) this.#events.onFrame(frame)
    }
  }

  async #readStored(id: string): Promise<Buffer | undefined> {
    try {
      const [row] = await this.#pool.query<{ frame: Buffer }>(sql`
        select frame from realtime.bus_frames where id = ${id}::uuid`)
      this.#hasStored = true
      return row?.frame
    } catch (error) {
      this.#logger.log('debug', 'a message of another server could not be read', { error: errorMessage(error) })
      return undefined
    }
  }

  async #deleteExpired(): Promise<void> {
    if (!this.#hasStored) return
    try {
      await this.#pool.execute(sql`
        delete from realtime.bus_frames where stored_at < now() - make_interval(secs => ${BUS_STORED_S})`)
      const [left] = await this.#pool.query<{ id: string }>(sql`select id from realtime.bus_frames limit 1`)
      this.#hasStored = left !== undefined
    } catch (error) {
      this.#logger.log('debug', 'expired messages could not be deleted', { error: errorMessage(error) })
    }
  }
}
