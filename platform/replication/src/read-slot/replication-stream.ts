import { HoldfastError, type Logger } from '@holdfast/foundation'
import {
  MESSAGE,
  queryMessage,
  quoteIdentifier,
  quoteLiteral,
  readServerError,
  takeOver,
  type Wire,
} from '@holdfast/postgres'
import type pg from 'pg'
import { createBatchQueue } from '../batch-queue.ts'
import { connect, sqlState } from '../connect.ts'
import {
  publicationMissing,
  replicationConnectionLost,
  replicationSlotBusy,
  replicationSlotLost,
  replicationSlotMissing,
} from '../errors.ts'
import type { ReplicationEvent, ReplicationStream } from '../events.ts'
import { formatLsn, parseLsn, type Lsn } from '../lsn.ts'
import { Decoder } from '../pgoutput/decode.ts'
import { SLOT_QUERY, readSlotRow, type Slot, type SlotRow } from '../slot.ts'
import { LargeWork } from './large-work.ts'
import { transition as nextReport, type ProgressEvent, type ProgressReport } from './progress-report.ts'
import { SlotPositions } from './slot-positions.ts'
import { statusMessage } from './status.ts'
import { STARTING, transition, type StreamEffect, type StreamEvent } from './stream-phase.ts'

/** Status interval in ms, well below `wal_sender_timeout` (default 60 s). */
const STATUS_INTERVAL_MS = 10_000
const CONFIRM_DELAY_MS = 1000
/** One WAL segment: enough to confirm immediately. */
const CONFIRM_AT_ONCE_BYTES = 16n * 1024n * 1024n
/**
 * Waiting wire bytes at which the socket is paused. System buffers hold further megabytes as bytes, while these are objects, which the garbage collector copies
 * if they live long.
 */
const WAITING_BYTES_MAX = 512 * 1024

const XLOG_DATA = 0x77
const XLOG_DATA_HEADER_BYTES = 25
const KEEPALIVE = 0x6b

export interface ReplicationStreamOptions {
  readonly url: string
  readonly slot: string
  readonly publication: string
  /** Start here instead of the slot's confirmed position, if later. Everything before counts as confirmed; transactions committed earlier are not delivered. */
  readonly startLsn?: Lsn | undefined
  readonly logger: Logger
  /** When to replace the connection. Default: a second after a transaction of 16 MiB, or after 32 MiB of any WAL. */
  readonly renewal?: Renewal | undefined
}

export interface Renewal {
  /** Wire bytes that make a transaction large. */
  readonly transactionBytes: number
  /** WAL bytes that count as large, even if unsent: changes of unpublished tables use the same memory. */
  readonly walBytes: number
  /** Required idle time in ms. */
  readonly quietMs: number
  /** Check interval in ms. */
  readonly intervalMs: number
}

/** A connection able to read the existing slot. */
export interface SlotConnection {
  readonly client: pg.Client
  readonly found: Slot
  /** End of the written WAL. */
  readonly walEnd: Lsn | undefined
}

/** @throws {HoldfastError} as `openReplicationStream` */
export async function connectToSlot({ url, slot, publication }: ReplicationStreamOptions): Promise<SlotConnection> {
  const client = await connect({ url, applicationName: `holdfast replication ${slot}`, replication: true })
  try {
    return { client, ...(await inspect(client, slot, publication)) }
  } catch (error) {
    await client.end().catch(() => undefined) // report the first error
    throw error instanceof HoldfastError ? error : replicationConnectionLost(error)
  }
}

/** One connection that reads a slot. The caller starts it, and disposes it. `stream-phase.ts` decides how it begins and ends. */
export class SlotStream implements Omit<ReplicationStream, 'batches'> {
  readonly #slot: string
  readonly #found: Slot
  readonly #logger: Logger
  readonly #decoder = new Decoder()
  readonly #started = Promise.withResolvers<void>()
  readonly #wire: Wire
  readonly #statusTimer: NodeJS.Timeout
  readonly #queue = createBatchQueue<ReplicationEvent>({
    itemsMin: 1,
    itemsMax: Number.POSITIVE_INFINITY,
    bytesMax: WAITING_BYTES_MAX,
    onFull: () => {
      this.#dispatch({ kind: 'paused' })
      this.#wire.pause()
    },
    onRoom: () => {
      this.#dispatch({ kind: 'resumed' })
      this.#wire.resume()
    },
  })
  readonly #command: string
  readonly #positions: SlotPositions
  readonly #largeWork: LargeWork
  #phase = STARTING
  #report: ProgressReport = 'none'
  #events: ReplicationEvent[] = []
  #confirmTimer: NodeJS.Timeout | undefined
  /** Time of the last event other than `progress`. */
  #heardAtMs = performance.now()

  constructor({ client, found }: SlotConnection, options: ReplicationStreamOptions) {
    const { slot, logger, startLsn, renewal } = options
    this.#command = startCommand(options)
    this.#largeWork = new LargeWork({
      transactionBytes: renewal?.transactionBytes ?? Number.POSITIVE_INFINITY,
      walBytes: renewal?.walBytes ?? Number.POSITIVE_INFINITY,
      startLsn: found.restartLsn ?? 0n,
    })
    this.#slot = slot
    this.#found = found
    this.#logger = logger
    this.#positions = new SlotPositions(startLsn ?? 0n)
    this.#wire = takeOver(client, {
      onMessage: (type, buffer, start, end) => this.#onMessage(type, buffer, start, end),
      onChunkEnd: (bytes) => {
        this.#dispatch({ kind: 'bytes arrived' })
        this.#handOn(bytes)
      },
      onLost: (cause) => this.#dispatch({ kind: 'lost', cause }),
    })
    this.#statusTimer = setInterval(() => this.#dispatch({ kind: 'interval elapsed' }), STATUS_INTERVAL_MS)
    this.#statusTimer.unref()
  }

  /** Resolves when the server has started sending. */
  start(): Promise<void> {
    this.#wire.send(queryMessage(this.#command))
    return this.#started.promise
  }

  /** See `ReplicationStream.batches`; `undefined` at the end. */
  take(): Promise<readonly ReplicationEvent[] | undefined> {
    return this.#queue.take()
  }

  /** End of the last large piece of work decoded by this connection. */
  get largeEnd(): Lsn | undefined {
    return this.#largeWork.end
  }

  get confirmed(): Lsn {
    return this.#positions.confirmed
  }

  /** Whether everything delivered is confirmed, and nothing has arrived for this long. */
  isQuiet(forMs: number): boolean {
    const isIdle = this.#positions.isIdle && !this.#decoder.isInTransaction()
    return this.#phase.kind === 'reading' && isIdle && performance.now() - this.#heardAtMs >= forMs
  }

  confirm(lsn: Lsn): void {
    if (!this.#positions.confirm(lsn)) return
    if (this.#positions.unsentBytes >= CONFIRM_AT_ONCE_BYTES) this.#sendStatusWhileReading(false)
    else this.#confirmTimer ??= setTimeout(() => this.#sendStatusWhileReading(false), CONFIRM_DELAY_MS).unref()
  }

  requestProgress(): void {
    this.#isReportDue('requested')
    this.#sendStatusWhileReading(true)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#dispatch({ kind: 'closed' })
    this.#queue.discard()
    await this.#wire.close()
  }

  #dispatch(event: StreamEvent): void {
    const { phase, effects } = transition(this.#phase, event)
    this.#phase = phase
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: StreamEffect): void {
    switch (effect.kind) {
      case 'resolve start':
        this.#started.resolve()
        if (this.#report === 'requested') this.#sendStatus(true)
        break
      case 'send status':
        this.#sendStatus(effect.wantsReply)
        break
      case 'stop timers':
        clearInterval(this.#statusTimer)
        clearTimeout(this.#confirmTimer)
        break
      case 'reject start':
        this.#rejectStart(effect.cause)
        break
      case 'end with error':
        this.#endWithError(effect.cause)
        break
      default:
        effect satisfies never
    }
  }

  #onMessage(type: number, buffer: Buffer, start: number, end: number): void {
    if (type === MESSAGE.copyData) {
      if (buffer[start] === XLOG_DATA) this.#readData(buffer, start + XLOG_DATA_HEADER_BYTES, end)
      else if (buffer[start] === KEEPALIVE) this.#readKeepalive(buffer, start)
    } else if (type === MESSAGE.copyBoth) {
      this.#dispatch({ kind: 'started' })
    } else if (type === MESSAGE.error) {
      this.#dispatch({ kind: 'server error', error: readServerError(buffer, start, end) })
    } else if (type === MESSAGE.copyDone) {
      this.#dispatch({ kind: 'lost', cause: new Error('Postgres ended the stream, as it does when it shuts down') })
    }
  }

  #handOn(bytes: number): void {
    if (this.#events.length === 0) return
    const batch = this.#events
    this.#events = []
    this.#queue.push(batch, bytes)
  }

  #readData(buffer: Buffer, start: number, end: number): void {
    const before = this.#events.length
    this.#decoder.decode(buffer, start, end, this.#events)
    const event = this.#events.length > before ? this.#events[before] : undefined
    if (event === undefined) return
    this.#heardAtMs = performance.now()
    this.#largeWork.count(event, end - start)
    if (event.kind === 'commit') {
      this.#deliver(event.endLsn)
      if (this.#isReportDue('commit')) this.#emitProgress(event.endLsn)
    } else if (event.kind === 'message' && !event.transactional) this.#deliver(event.lsn)
  }

  #deliver(lsn: Lsn): void {
    this.#positions.deliver(lsn)
    this.#largeWork.reach(lsn)
  }

  /** A keepalive contains the decoded position and follows everything sent. */
  #readKeepalive(buffer: Buffer, start: number): void {
    const walEnd = buffer.readBigUInt64BE(start + 1) as Lsn
    this.#positions.receive(walEnd)
    this.#largeWork.reach(walEnd)
    const event = this.#positions.isNews(walEnd) ? 'keepalive with news' : 'keepalive'
    if (this.#isReportDue(this.#decoder.isInTransaction() ? 'keepalive in transaction' : event))
      this.#emitProgress(walEnd)
    if (buffer[start + 17] === 1) this.#sendStatusWhileReading(false)
  }

  #isReportDue(event: ProgressEvent): boolean {
    const { report, isDue } = nextReport(this.#report, event)
    this.#report = report
    return isDue
  }

  #emitProgress(lsn: Lsn): void {
    this.#positions.report(lsn)
    this.#events.push({ kind: 'progress', lsn })
  }

  #sendStatusWhileReading(wantsReply: boolean): void {
    if (this.#phase.kind === 'reading') this.#sendStatus(wantsReply)
  }

  #sendStatus(wantsReply: boolean): void {
    clearTimeout(this.#confirmTimer)
    this.#confirmTimer = undefined
    const positions = this.#positions.takeStatus(this.#decoder.isInTransaction())
    this.#wire.send(statusMessage({ ...positions, nowMs: Date.now(), wantsReply }))
  }

  #rejectStart(cause: Error): void {
    this.#wire.destroy()
    const error = startError(this.#slot, this.#found, cause)
    this.#started.reject(error)
    this.#queue.end(error)
  }

  #endWithError(cause: Error): void {
    this.#wire.destroy()
    const error = cause instanceof HoldfastError ? cause : readError(this.#slot, cause)
    this.#logger.log('warn', 'reading the replication slot ended', {
      slot: this.#slot,
      code: error.code,
      cause: cause.message,
    })
    this.#handOn(0)
    this.#queue.end(error)
  }
}

function startCommand({ slot, publication, startLsn }: ReplicationStreamOptions): string {
  const names = quoteLiteral(quoteIdentifier(publication)).trim()
  const start = formatLsn(startLsn ?? (0n as Lsn))
  return `START_REPLICATION SLOT ${quoteIdentifier(slot)} LOGICAL ${start} (proto_version '1', publication_names ${names}, messages 'true')`
}

/** Refuses early what Postgres reports unclearly, or (a missing publication) not at all. */
async function inspect(client: pg.Client, slot: string, publication: string): Promise<Omit<SlotConnection, 'client'>> {
  const slots = await client.query<SlotRow>(`${SLOT_QUERY} where slot_name = ${quoteLiteral(slot)}`)
  const row = slots.rows[0]
  if (row === undefined) throw replicationSlotMissing(slot)
  const found = readSlotRow(row)
  if (found.invalidationReason !== undefined || found.walStatus === 'lost') {
    throw replicationSlotLost(slot, found.invalidationReason ?? 'the WAL it needs was removed')
  }
  const publications = await client.query<{ wal_end: string }>(
    `select pg_catalog.pg_current_wal_insert_lsn()::text as wal_end
       from pg_catalog.pg_publication where pubname = ${quoteLiteral(publication)}`,
  )
  const [there] = publications.rows
  if (there === undefined) throw publicationMissing(publication)
  return { found, walEnd: parseLsn(there.wal_end) }
}

function startError(slot: string, found: Slot, cause: Error): HoldfastError {
  switch (sqlState(cause)) {
    case '42704':
      return replicationSlotMissing(slot, cause)
    case '55006':
      return replicationSlotBusy(slot, found.activePid, cause)
    case '55000':
      return replicationSlotLost(slot, cause.message, cause)
    default:
      return readError(slot, cause)
  }
}

function readError(slot: string, cause: Error): HoldfastError {
  // 58P01: "requested WAL segment … has already been removed"
  return sqlState(cause) === '58P01'
    ? replicationSlotLost(slot, cause.message, cause)
    : replicationConnectionLost(cause)
}
