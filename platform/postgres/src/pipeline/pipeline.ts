import type { Socket } from 'node:net'
import type { ClientBase } from 'pg'
import { assert } from '@holdfast/foundation'
import { createFramer, LAST } from '../wire/framer.ts'
import { MessageWriter } from '../wire/message-writer.ts'
import { MESSAGE } from '../wire/messages.ts'
import { socketOf } from '../wire/take-over.ts'
import { createExchange, isAnswered, receive, type Exchange, type SegmentAnswer, type SentStep } from './exchange.ts'
import { createPreparedStatements, type PreparedStatements } from './prepared-statements.ts'

/** One statement of a pipeline. */
export interface PipelineStep {
  readonly text: string
  readonly values: readonly unknown[]
  /**
   * Keeps the statement prepared under this key, which must identify its text and everything else its plan depends on. Without a key, Postgres parses and plans
   * it each time.
   */
  readonly key?: string | undefined
}

export interface PipelineOptions {
  /** Timeout in ms after which the connection counts as lost; 0 for none. */
  readonly timeoutMs: number
  /** Row size limit in bytes; larger rows are skipped and fail the segment. */
  readonly rowBytesMax: number
  /** Called with each segment's response on arrival: a committed segment stays committed even if the connection breaks before the next response. */
  readonly onAnswer?: (answer: SegmentAnswer) => void
}

/** A row exceeded {@link PipelineOptions.rowBytesMax}. */
export class RowTooLarge extends Error {
  override readonly name = 'RowTooLarge'
}

/**
 * Sends segments of statements in one write and resolves with all responses. A segment without `begin` is one transaction, committed at its end or rolled back
 * on its first error; later segments run in any case.
 *
 * Implements the wire protocol itself on a lent, idle client: the driver sends and awaits statements one by one and converts every value to a string, which
 * dominates the cost of a small request.
 *
 * @throws if the connection broke; it cannot be reused
 */
export function runPipeline(
  client: ClientBase,
  segments: readonly (readonly PipelineStep[])[],
  options: PipelineOptions,
): Promise<readonly SegmentAnswer[]> {
  let connection = connections.get(client)
  if (!connection) {
    connection = new PipelineConnection(socketOf(client))
    connections.set(client, connection)
  }
  return connection.run(segments, options)
}

const connections = new WeakMap<ClientBase, PipelineConnection>()

/** The exchange in progress. */
interface Current {
  readonly exchange: Exchange
  readonly rowBytesMax: number
  readonly onAnswer: PipelineOptions['onAnswer']
  readonly answered: PromiseWithResolvers<readonly SegmentAnswer[]>
}

/** A driver socket shared with pipelines: data outside a pipeline goes to the driver. */
class PipelineConnection {
  readonly #socket: Socket
  readonly #driverListeners: readonly ((chunk: Buffer) => void)[]
  readonly #writer = new MessageWriter()
  readonly #prepared = createPreparedStatements()
  #current: Current | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    this.#driverListeners = socket.listeners('data') as ((chunk: Buffer) => void)[]
    const feed = createFramer({
      onMessage: (type, buffer, start, end) => {
        const current = this.#current
        if (!current) return LAST
        receive(current.exchange, this.#prepared, type, buffer, start, end)
        // Only `ReadyForQuery` ends a segment.
        if (type !== MESSAGE.readyForQuery) return undefined
        const answer = current.exchange.answers.at(-1)
        if (answer) current.onAnswer?.(answer)
        if (!isAnswered(current.exchange)) return undefined
        this.#current = undefined
        current.answered.resolve(current.exchange.answers)
        return LAST
      },
      isSkipped: (type, length) => {
        if (type !== MESSAGE.dataRow || !this.#current || length <= this.#current.rowBytesMax) return false
        this.#current.exchange.error ??= new RowTooLarge(`a row of ${length} bytes`)
        return true
      },
    })
    socket.removeAllListeners('data')
    socket.on('data', (chunk: Buffer) => {
      if (!this.#current) return this.#tellDriver(chunk)
      let rest: Buffer | undefined
      try {
        rest = feed(chunk)
      } catch (error) {
        this.#current.exchange.error ??= error as Error
        socket.destroy(error as Error)
        return
      }
      // Data after the last response belongs to the driver: a notice, or the end of the connection.
      if (rest) this.#tellDriver(rest)
    })
    socket.once('close', () => {
      const lost = this.#current
      this.#current = undefined
      lost?.answered.reject(lost.exchange.error ?? new Error('Connection terminated unexpectedly'))
    })
  }

  run(
    segments: readonly (readonly PipelineStep[])[],
    { timeoutMs, rowBytesMax, onAnswer }: PipelineOptions,
  ): Promise<readonly SegmentAnswer[]> {
    assert(this.#current === undefined, 'a connection runs one pipeline at a time')
    const socket = this.#socket
    if (socket.destroyed || !socket.writable) return Promise.reject(new Error('Connection terminated unexpectedly'))
    for (const name of this.#prepared.takeEvicted()) this.#writer.close(name)
    const sent = segments.map((steps) => {
      const run = steps.map((step) => writeStep(this.#writer, this.#prepared, step))
      this.#writer.sync()
      return run
    })
    const answered = Promise.withResolvers<readonly SegmentAnswer[]>()
    this.#current = { exchange: createExchange(sent), rowBytesMax, onAnswer, answered }
    socket.cork()
    for (const part of this.#writer.take()) socket.write(part)
    socket.uncork()
    if (timeoutMs === 0) return answered.promise
    const deadline = setTimeout(() => socket.destroy(new Error('Connection terminated: no answer in time')), timeoutMs)
    return answered.promise.finally(() => clearTimeout(deadline))
  }

  #tellDriver(chunk: Buffer): void {
    for (const listener of this.#driverListeners) listener(chunk)
  }
}

function writeStep(writer: MessageWriter, prepared: PreparedStatements, { key, text, values }: PipelineStep): SentStep {
  const known = key === undefined ? undefined : prepared.find(key)
  const statement = known ?? prepared.create(key, text)
  if (!known) {
    writer.parse(statement.name, text)
    writer.describeStatement(statement.name)
  }
  writer.bind(statement.name, values)
  writer.execute()
  return { statement, newKey: known ? undefined : key }
}
