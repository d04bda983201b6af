import pg from 'pg'
import { HoldfastError, errorMessage } from '@holdfast/foundation'
import { shuttingDown } from '../errors.ts'
import { LOG_SETTINGS } from './log-settings.ts'

/** Consecutive operations of one bucket, documents back to back. */
export interface OpsSlice {
  readonly bucketId: number
  readonly count: number
  /** More operations follow within the range that was asked for. */
  readonly hasMore: boolean
  readonly lastOpId: number
  /** Where superseded operations of the bucket had become one when this was read: up to here, in so many steps. */
  readonly floor: number
  readonly compactions: number
  readonly docs: Buffer
}

export interface ReadOpsInput {
  readonly wanted: readonly { readonly bucketId: number; readonly after: number }[]
  /** Operations after this one are left out. */
  readonly upTo: number
  /** At most so many of each bucket. */
  readonly opsMax: number
  /** About so many bytes of each bucket; one operation is always read. */
  readonly bytesMax: number
  /** One of many slices: it waits for those of streams that have little to read, and leaves them connections. */
  readonly isBulk?: boolean
}

/** Reads operations of the log as bytes. */
export interface LogReader extends AsyncDisposable {
  /**
   * Reads the operations of some buckets after a position each, in ascending order: one slice per bucket, in the order asked for. Postgres joins
   * the documents, so that a thousand operations cost one row.
   */
  read(input: ReadOpsInput): Promise<OpsSlice[]>
}

/** The bytes are counted before they are fetched: the length of a large document is known without reading it. */
const STATEMENT = `
  select w.bucket_id, x.ops, coalesce(x.last_op_id, 0), x.has_more::int, coalesce(b.floor, 0), coalesce(b.compactions, 0), coalesce(x.docs, ''::bytea)
    from unnest($1::int[], $2::bigint[]) with ordinality w (bucket_id, after, position)
    left join lateral (select floor, compactions from sync.buckets where id = w.bucket_id) b on true
   cross join lateral (
     select count(*) filter (where o.bytes_before < $5)::int as ops,
            max(o.op_id) filter (where o.bytes_before < $5) as last_op_id,
            count(*) = $4 or coalesce(bool_or(o.bytes_before >= $5), false) as has_more,
            string_agg(o.doc, ''::bytea order by o.op_id) filter (where o.bytes_before < $5) as docs
       from (select op_id, doc, sum(octet_length(doc)) over (order by op_id rows unbounded preceding) - octet_length(doc) as bytes_before
               from sync.ops
              where bucket_id = w.bucket_id and op_id > w.after and op_id <= $3::bigint
              order by op_id limit $4::bigint) o
   ) x
   order by w.position`

const DATA_ROW = 0x44
const ERROR_RESPONSE = 0x45
const READY_FOR_QUERY = 0x5a

/**
 * Opens up to `connectionsMax` connections when they are needed.
 *
 * They speak the wire protocol themselves once the driver has connected and prepared them: the driver turns every value into a string, which would
 * cost more than all the rest of a read.
 */
export function createLogReader(options: { readonly url: string; readonly connectionsMax: number }): LogReader {
  const idle: Connection[] = []
  const all = new Set<Connection>()
  const waiting: { readonly urgent: (() => void)[]; readonly bulk: (() => void)[] } = { urgent: [], bulk: [] }
  /** So that however much is downloaded, live changes and first lines find a connection. */
  const bulkMax = Math.max(1, options.connectionsMax - Math.ceil(options.connectionsMax / 3))
  let bulk = 0
  let opening = 0
  let closed = false

  async function acquire(isBulk: boolean): Promise<Connection> {
    for (;;) {
      if (closed) throw shuttingDown()
      if (!isBulk || bulk < bulkMax) {
        const free = idle.pop()
        if (!free && all.size + opening >= options.connectionsMax) {
          await new Promise<void>((resolve) => (isBulk ? waiting.bulk : waiting.urgent).push(resolve))
          continue
        }
        if (isBulk) bulk++
        try {
          return free ?? (await open())
        } catch (error) {
          if (isBulk) bulk--
          throw error
        }
      }
      await new Promise<void>((resolve) => (isBulk ? waiting.bulk : waiting.urgent).push(resolve))
    }
  }

  function wakeNext(): void {
    const next = waiting.urgent.shift() ?? (bulk < bulkMax ? waiting.bulk.shift() : undefined)
    next?.()
  }

  async function open(): Promise<Connection> {
    opening++
    try {
      const connection = await openConnection(options.url, () => {
        all.delete(connection)
        const index = idle.indexOf(connection)
        if (index >= 0) idle.splice(index, 1)
      })
      all.add(connection)
      if (closed) connection.close()
      return connection
    } catch (error) {
      wakeNext() // its turn to try
      throw logReadFailed(errorMessage(error), error)
    } finally {
      opening--
    }
  }

  return {
    async read(input) {
      const isBulk = input.isBulk === true
      const connection = await acquire(isBulk)
      try {
        const slices = await connection.read(input)
        if (!connection.isLost()) idle.push(connection)
        return slices
      } catch (error) {
        all.delete(connection)
        connection.close()
        throw error
      } finally {
        if (isBulk) bulk--
        wakeNext()
      }
    },
    async [Symbol.asyncDispose]() {
      closed = true
      for (const connection of all) connection.close()
      for (const resolve of [...waiting.urgent.splice(0), ...waiting.bulk.splice(0)]) resolve()
    },
  }
}

/** The log could not be read because there is no connection, so that it can be in a moment. */
function logReadFailed(message: string, cause?: unknown): HoldfastError {
  return new HoldfastError('sync_log_read', 503, message, { cause })
}

/** Whether reading failed for a reason that may be gone in a moment. */
export function isLogReadFailure(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === 'sync_log_read'
}

interface Connection {
  isLost(): boolean
  read(input: ReadOpsInput): Promise<OpsSlice[]>
  close(): void
}

async function openConnection(url: string, onLost: () => void): Promise<Connection> {
  const client = new pg.Client({ connectionString: url, application_name: 'holdfast log reader', keepAlive: true })
  client.on('error', () => undefined) // whoever reads sees the failure in what it awaits
  await client.connect()
  for (const [name, value] of Object.entries(LOG_SETTINGS)) await client.query(`set ${name} = ${value}`)
  await client.query(`prepare read_ops (int[], bigint[], bigint, bigint, bigint) as ${STATEMENT}`)
  const socket = (client as unknown as { readonly connection: { readonly stream: import('node:net').Socket } })
    .connection.stream
  let current:
    | {
        readonly slices: OpsSlice[]
        error: Error | undefined
        resolve(slices: OpsSlice[]): void
        reject(error: Error): void
      }
    | undefined
  let chunks: Buffer[] = []
  let have = 0
  /** Bytes that the next message needs before it can be read. */
  let need = 5

  function onData(chunk: Buffer): void {
    chunks.push(chunk)
    have += chunk.length
    if (have < need) return
    let buffer = chunks.length === 1 ? chunk : Buffer.concat(chunks, have)
    for (;;) {
      need = buffer.length < 5 ? 5 : 1 + buffer.readInt32BE(1)
      if (buffer.length < need) break
      onMessage(buffer[0] as number, buffer.subarray(5, need))
      buffer = buffer.subarray(need)
    }
    chunks = buffer.length > 0 ? [buffer] : []
    have = buffer.length
  }

  function onMessage(type: number, body: Buffer): void {
    if (type === DATA_ROW) current?.slices.push(parseSlice(body))
    else if (type === ERROR_RESPONSE && current) current.error = serverError(body)
    else if (type === READY_FOR_QUERY && current) {
      const done = current
      current = undefined
      if (done.error) done.reject(done.error)
      else done.resolve(done.slices)
    }
  }

  socket.removeAllListeners('data')
  socket.on('data', onData)
  socket.once('close', () => {
    onLost()
    current?.reject(current.error ?? logReadFailed('The connection to Postgres was lost'))
    current = undefined
  })

  return {
    isLost: () => socket.destroyed,
    read(input) {
      return new Promise((resolve, reject) => {
        if (socket.destroyed) {
          reject(logReadFailed('The connection to Postgres was lost'))
          return
        }
        current = { slices: [], error: undefined, resolve, reject }
        socket.write(executeMessages(input))
      })
    },
    close: () => socket.destroy(),
  }
}

/** Columns in binary: bucket, count, last operation, whether more follow, documents. The documents are not copied: they keep the message's memory alive. */
function parseSlice(body: Buffer): OpsSlice {
  // Int16 columns, then length and value of each: int4, int4, int8, int4, int8, int4, bytea.
  return {
    bucketId: body.readInt32BE(6),
    count: body.readInt32BE(14),
    lastOpId: Number(body.readBigInt64BE(22)),
    hasMore: body.readInt32BE(34) === 1,
    floor: Number(body.readBigInt64BE(42)),
    compactions: body.readInt32BE(54),
    docs: body.subarray(62),
  }
}

/** SQLSTATEs of a server that goes down, comes up or has no room: passing. */
const PASSING_STATES = /^(08|53|57)/

function serverError(body: Buffer): Error {
  const fields = new Map<string, string>()
  for (let at = 0; at < body.length && body[at] !== 0;) {
    const end = body.indexOf(0, at + 1)
    fields.set(String.fromCharCode(body[at] as number), body.toString('utf8', at + 1, end))
    at = end + 1
  }
  const message = fields.get('M') ?? 'Postgres refused to read the log'
  return PASSING_STATES.test(fields.get('C') ?? '') ? logReadFailed(message) : new Error(message)
}

/** Bind, Execute and Sync: parameters as text, results in binary. */
function executeMessages({ wanted, upTo, opsMax, bytesMax }: ReadOpsInput): Buffer {
  const parameters = [
    `{${wanted.map((entry) => entry.bucketId).join(',')}}`,
    `{${wanted.map((entry) => entry.after).join(',')}}`,
    String(upTo),
    String(opsMax),
    String(bytesMax),
  ].map((text) => Buffer.from(text, 'latin1'))
  const statement = Buffer.from('read_ops\0', 'latin1')
  const bindLength = 4 + 1 + statement.length + 2 + 2 + parameters.reduce((sum, value) => sum + 4 + value.length, 0) + 4
  const message = Buffer.alloc(1 + bindLength + 10 + 5)
  message[0] = 0x42 // Bind: unnamed portal
  let at = message.writeInt32BE(bindLength, 1) + 1
  at += statement.copy(message, at)
  at = message.writeInt16BE(0, at) // all parameters as text
  at = message.writeInt16BE(parameters.length, at)
  for (const value of parameters) {
    at = message.writeInt32BE(value.length, at)
    at += value.copy(message, at)
  }
  at = message.writeInt16BE(1, at) // one format for all results
  at = message.writeInt16BE(1, at) // binary
  message[at] = 0x45 // Execute: unnamed portal, all rows
  at = message.writeInt32BE(9, at + 1) + 1
  at = message.writeInt32BE(0, at)
  message[at] = 0x53 // Sync
  message.writeInt32BE(4, at + 1)
  return message
}
