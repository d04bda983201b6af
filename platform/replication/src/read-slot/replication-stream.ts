import { HoldfastError, type Logger } from '@holdfast/foundation'
import { quoteIdentifier, quoteLiteral } from '@holdfast/postgres'
import type pg from 'pg'
import { createBatchQueue } from '../batch-queue.ts'
import {
  publicationMissing,
  replicationConnectionLost,
  replicationSlotBusy,
  replicationSlotLost,
  replicationSlotMissing,
} from '../errors.ts'
import type { ReplicationEvent, ReplicationStream } from '../events.ts'
import { formatLsn, type Lsn } from '../lsn.ts'
import { createDecoder } from '../pgoutput/decode.ts'
import { SLOT_QUERY, readSlotRow, type Slot, type SlotRow } from '../slot.ts'
import { connect, sqlState } from '../wire/connect.ts'
import { MESSAGE, queryMessage, readServerError } from '../wire/messages.ts'
import { takeOver } from '../wire/wire.ts'
import { statusMessage } from './status.ts'

/** Well under `wal_sender_timeout` (60 s by default), after which Postgres gives a silent reader up. */
const STATUS_INTERVAL_MS = 10_000
/** Each status asks for an answer; so many intervals without a byte mean that the other side is gone. */
const SILENT_INTERVALS_MAX = 12
const CONFIRM_DELAY_MS = 1000
/** One WAL segment: so much more to drop is worth a status of its own. */
const CONFIRM_AT_ONCE_BYTES = 16n * 1024n * 1024n
/**
 * Wire bytes waiting for the consumer, from which the socket is paused. Behind it the system's buffers hold some megabytes, as bytes; what waits here is objects,
 * and the garbage collector copies those that do not die young.
 */
const WAITING_BYTES_MAX = 512 * 1024

const XLOG_DATA = 0x77
const XLOG_DATA_HEADER_BYTES = 25
const KEEPALIVE = 0x6b

export interface ReplicationStreamOptions {
  readonly url: string
  readonly slot: string
  readonly publication: string
  /**
   * Continue here instead of at the slot's confirmed position, if this is later; everything before it counts as confirmed. Transactions that
   * committed earlier are not delivered.
   */
  readonly startLsn?: Lsn | undefined
  readonly logger: Logger
}

/**
 * Starts reading a logical slot. One reader per slot; the caller disposes it.
 *
 * Flow control: the socket is read while less than half a megabyte waits for the consumer, so a transaction of any size passes through in
 * pieces. Status goes to the server every ten seconds even while the consumer is busy.
 *
 * @throws {HoldfastError} `replication_slot_missing`, `replication_slot_lost`, `replication_slot_busy`, `replication_publication_missing`,
 *   `replication_not_configured`, `replication_connection_lost`
 */
export async function openReplicationStream(options: ReplicationStreamOptions): Promise<ReplicationStream> {
  const { slot, logger } = options
  const client = await connect({ url: options.url, applicationName: `holdfast replication ${slot}`, replication: true })
  let found: Slot
  try {
    found = await inspect(client, slot, options.publication)
  } catch (error) {
    await client.end().catch(() => undefined) // the first error tells why
    throw error instanceof HoldfastError ? error : replicationConnectionLost(error)
  }

  const decoder = createDecoder()
  const started = Promise.withResolvers<void>()
  let state: 'starting' | 'reading' | 'closed' = 'starting'
  let serverError: Error | undefined
  let events: ReplicationEvent[] = []
  let confirmed: bigint = options.startLsn ?? 0n
  /** What has to be confirmed before nothing delivered is outstanding. */
  let outstanding = 0n
  /** Up to here the server has sent all there is. */
  let received: bigint = 0n
  let flushedSent = 0n
  /** The last `progress`; the server repeats itself. */
  let told: bigint = 0n
  let progressOwed = false
  let progressRequested = false
  let paused = false
  let silentIntervals = 0
  let confirmTimer: NodeJS.Timeout | undefined

  const queue = createBatchQueue<ReplicationEvent>({
    itemsMin: 1,
    itemsMax: Number.POSITIVE_INFINITY,
    bytesMax: WAITING_BYTES_MAX,
    onFull: () => {
      paused = true
      wire.pause()
    },
    onRoom: () => {
      paused = false
      wire.resume()
    },
  })

  const wire = takeOver(client, {
    onMessage(type, buffer, start, end) {
      if (type === MESSAGE.copyData) {
        if (buffer[start] === XLOG_DATA) readData(buffer, start + XLOG_DATA_HEADER_BYTES, end)
        else if (buffer[start] === KEEPALIVE) readKeepalive(buffer, start)
      } else if (type === MESSAGE.copyBoth) {
        state = 'reading'
        started.resolve()
      } else if (type === MESSAGE.error) {
        serverError = readServerError(buffer, start, end)
        if (state === 'starting') fail(serverError)
      } else if (type === MESSAGE.copyDone) {
        fail(serverError ?? new Error('Postgres ended the stream, as it does when it shuts down'))
      }
    },
    onChunkEnd(bytes) {
      silentIntervals = 0
      handOn(bytes)
    },
    onLost: (cause) => fail(serverError ?? cause),
  })

  const statusTimer = setInterval(() => {
    if (state !== 'reading') return
    if (!paused && ++silentIntervals > SILENT_INTERVALS_MAX)
      fail(new Error('nothing came from Postgres for two minutes'))
    else sendStatus(true)
  }, STATUS_INTERVAL_MS)
  statusTimer.unref()

  wire.send(queryMessage(startCommand(options)))
  await started.promise
  logger.log('info', 'reading the replication slot', {
    slot,
    confirmedFlushLsn: found.confirmedFlushLsn && formatLsn(found.confirmedFlushLsn),
    startLsn: options.startLsn && formatLsn(options.startLsn),
  })

  return {
    batches: {
      [Symbol.asyncIterator]: () => ({
        async next() {
          const batch = await queue.take()
          return batch === undefined ? { done: true, value: undefined } : { done: false, value: batch }
        },
      }),
    },
    confirm(lsn) {
      if (lsn <= confirmed) return
      confirmed = lsn
      if (confirmed - flushedSent >= CONFIRM_AT_ONCE_BYTES) sendStatus(false)
      else confirmTimer ??= setTimeout(() => sendStatus(false), CONFIRM_DELAY_MS).unref()
    },
    requestProgress() {
      progressRequested = true
      sendStatus(true)
    },
    async [Symbol.asyncDispose]() {
      if (state === 'reading') sendStatus(false)
      stop()
      queue.discard()
      await wire.close()
    },
  }

  function handOn(bytes: number): void {
    if (events.length === 0) return
    const batch = events
    events = []
    queue.push(batch, bytes)
  }

  function readData(buffer: Buffer, start: number, end: number): void {
    const before = events.length
    decoder.decode(buffer, start, end, events)
    const event = events.length > before ? events[before] : undefined
    if (event === undefined) return
    if (event.kind === 'commit') {
      outstanding = event.endLsn
      received = max(received, event.endLsn)
      if (progressOwed) emitProgress(event.endLsn)
    } else if (event.kind === 'message' && !event.transactional) {
      outstanding = event.lsn
      received = max(received, event.lsn)
    }
  }

  /** A keepalive carries the position up to which the server has decoded, and comes after all that it has sent. */
  function readKeepalive(buffer: Buffer, start: number): void {
    const walEnd = buffer.readBigUInt64BE(start + 1) as Lsn
    received = max(received, walEnd)
    if (decoder.isInTransaction()) progressOwed = true
    else if (walEnd > told || progressRequested) emitProgress(walEnd)
    if (buffer[start + 17] === 1) sendStatus(false)
  }

  function emitProgress(lsn: Lsn): void {
    told = lsn
    progressOwed = false
    progressRequested = false
    events.push({ kind: 'progress', lsn })
  }

  function sendStatus(wantsReply: boolean): void {
    if (state !== 'reading') return
    clearTimeout(confirmTimer)
    confirmTimer = undefined
    // When all that was delivered is confirmed, the WAL after it holds nothing for us. Saying so lets Postgres drop it, and lets it
    // shut down: it waits for its readers.
    const isIdle = confirmed >= outstanding && !decoder.isInTransaction()
    const flushed = isIdle ? max(confirmed, received) : confirmed
    flushedSent = flushed
    wire.send(statusMessage({ written: max(received, flushed), flushed, nowMs: Date.now(), wantsReply }))
  }

  function fail(cause: Error): void {
    if (state === 'closed') return
    const wasStarting = state === 'starting'
    stop()
    wire.destroy()
    if (wasStarting) {
      started.reject(startError(slot, found, cause))
      return
    }
    const error = cause instanceof HoldfastError ? cause : readError(slot, cause)
    logger.log('warn', 'reading the replication slot ended', { slot, code: error.code, cause: cause.message })
    handOn(0)
    queue.end(error)
  }

  function stop(): void {
    state = 'closed'
    clearInterval(statusTimer)
    clearTimeout(confirmTimer)
  }
}

function startCommand({ slot, publication, startLsn }: ReplicationStreamOptions): string {
  const names = quoteLiteral(quoteIdentifier(publication)).trim()
  const start = formatLsn(startLsn ?? (0n as Lsn))
  return `START_REPLICATION SLOT ${quoteIdentifier(slot)} LOGICAL ${start} (proto_version '1', publication_names ${names}, messages 'true')`
}

/** Refuses early what Postgres would say less clearly, or (a missing publication) not at all. */
async function inspect(client: pg.Client, slot: string, publication: string): Promise<Slot> {
  const slots = await client.query<SlotRow>(`${SLOT_QUERY} where slot_name = ${quoteLiteral(slot)}`)
  const row = slots.rows[0]
  if (row === undefined) throw replicationSlotMissing(slot)
  const found = readSlotRow(row)
  if (found.invalidationReason !== undefined || found.walStatus === 'lost') {
    throw replicationSlotLost(slot, found.invalidationReason ?? 'the WAL it needs was removed')
  }
  const publications = await client.query(
    `select from pg_catalog.pg_publication where pubname = ${quoteLiteral(publication)}`,
  )
  if (publications.rows.length === 0) throw publicationMissing(publication)
  return found
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

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
