import type { Socket } from 'node:net'
import type { ClientBase } from 'pg'
import { assert } from '@holdfast/foundation'
import {
  ANSWER,
  createMessageWriter,
  parseAffected,
  parseColumns,
  parseDataRow,
  parseServerError,
  type MessageWriter,
} from './messages.ts'

/** One statement of a pipeline. */
export interface PipelineStep {
  readonly text: string
  readonly values: readonly unknown[]
  /**
   * Keeps the statement prepared on the connection under this key, which stands for its text and for all else that its plan depends on. Without it
   * Postgres parses and plans it each time.
   */
  readonly key?: string | undefined
}

export interface PipelineColumn {
  readonly name: string
  readonly typeOid: number
}

/** Answer of a step that ran: rows by position, every value as the bytes of its text form. */
export interface StepAnswer {
  readonly columns: readonly PipelineColumn[]
  readonly rows: readonly (readonly (Buffer | null)[])[]
  /** Rows that the statement read or wrote; 0 where Postgres counts none. */
  readonly affected: number
}

export interface SegmentAnswer {
  /** Of the steps that ran before the first failure. */
  readonly steps: readonly StepAnswer[]
  /** What Postgres refused; the steps after it were skipped. */
  readonly error: Error | undefined
  /** `I` idle, `T` in a transaction, `E` in a transaction that failed. */
  readonly status: string
}

export interface PipelineOptions {
  /** Milliseconds after which the connection counts as lost; 0 for no bound. */
  readonly timeoutMs: number
  /** Bytes that one row may have; more is read past, and the segment counts as failed. */
  readonly rowBytesMax: number
}

/** A row was larger than {@link PipelineOptions.rowBytesMax}. */
export class RowTooLarge extends Error {
  override readonly name = 'RowTooLarge'
}

/** Statements that a connection keeps. Each costs Postgres some ten kilobytes. */
const PREPARED_MAX = 256

/**
 * Sends segments of statements in one write and resolves when all are answered. A segment without `begin` is one transaction, committed at its end
 * or rolled back by its first failure; the next segment runs in any case.
 *
 * It speaks the wire protocol itself on a client that is lent and idle, because the driver sends and awaits each statement by itself and turns
 * every value into a string, which costs more than all the rest of a small request.
 *
 * @throws when the connection broke: it cannot be used again
 */
export function runPipeline(
  client: ClientBase,
  segments: readonly (readonly PipelineStep[])[],
  options: PipelineOptions,
): Promise<readonly SegmentAnswer[]> {
  let wire = wires.get(client)
  if (!wire) {
    wire = new Wire(client)
    wires.set(client, wire)
  }
  return wire.run(segments, options)
}

const wires = new WeakMap<ClientBase, Wire>()

/** What was sent and is not answered yet. */
interface Exchange {
  readonly segments: readonly (readonly SentStep[])[]
  readonly answers: SegmentAnswer[]
  readonly rowBytesMax: number
  steps: StepAnswer[]
  rows: (readonly (Buffer | null)[])[]
  error: Error | undefined
  resolve(answers: readonly SegmentAnswer[]): void
  reject(error: Error): void
}

interface Statement {
  readonly name: string
  columns: readonly PipelineColumn[]
}

interface SentStep {
  readonly statement: Statement
  /** Under which the statement is kept once Postgres has parsed it. */
  readonly newKey: string | undefined
}

const NO_COLUMNS: readonly PipelineColumn[] = []

/** Speaks the wire protocol on a client of the driver. One per connection: it remembers which statements are prepared there. */
class Wire {
  readonly #socket: Socket
  readonly #driverListeners: ((chunk: Buffer) => void)[]
  readonly #writer = createMessageWriter()
  readonly #prepared = new Map<string, Statement>()
  readonly #evicted: string[] = []
  #names = 0
  #current: Exchange | undefined
  #chunks: Buffer[] = []
  #have = 0
  /** Bytes that the next message needs before it can be read. */
  #need = 5
  /** Bytes of a row that is too large, which are read past. */
  #skip = 0

  constructor(client: ClientBase) {
    this.#socket = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream
    this.#driverListeners = this.#socket.listeners('data') as ((chunk: Buffer) => void)[]
    this.#socket.removeAllListeners('data')
    this.#socket.on('data', (chunk: Buffer) => {
      if (this.#current) this.#receive(chunk)
      else for (const listener of this.#driverListeners) listener(chunk)
    })
    this.#socket.once('close', () => {
      const lost = this.#current
      this.#current = undefined
      lost?.reject(lost.error ?? new Error('Connection terminated unexpectedly'))
    })
  }

  run(
    segments: readonly (readonly PipelineStep[])[],
    { timeoutMs, rowBytesMax }: PipelineOptions,
  ): Promise<readonly SegmentAnswer[]> {
    assert(this.#current === undefined, 'a connection runs one pipeline at a time')
    if (this.#socket.destroyed || !this.#socket.writable) {
      return Promise.reject(new Error('Connection terminated unexpectedly'))
    }
    const sent = segments.map((steps, index) => {
      if (index === 0) for (const name of this.#evicted.splice(0)) this.#writer.close(name)
      const run = steps.map((step) => this.#send(step))
      this.#writer.sync()
      return run
    })
    const { promise, resolve, reject } = Promise.withResolvers<readonly SegmentAnswer[]>()
    this.#current = {
      segments: sent,
      answers: [],
      rowBytesMax,
      steps: [],
      rows: [],
      error: undefined,
      resolve,
      reject,
    }
    this.#socket.cork()
    for (const part of this.#writer.take()) this.#socket.write(part)
    this.#socket.uncork()
    if (timeoutMs === 0) return promise
    const deadline = setTimeout(
      () => this.#socket.destroy(new Error('Connection terminated: no answer in time')),
      timeoutMs,
    )
    return promise.finally(() => clearTimeout(deadline))
  }

  #receive(chunk: Buffer): void {
    if (this.#skip > 0) {
      const past = Math.min(this.#skip, chunk.length)
      this.#skip -= past
      if (past === chunk.length) return
      chunk = chunk.subarray(past)
    }
    this.#chunks.push(chunk)
    this.#have += chunk.length
    if (this.#have < this.#need) return
    let buffer = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#have)
    this.#chunks = []
    this.#have = 0
    this.#need = 5
    while (buffer.length > 0) {
      if (!this.#current) {
        // No pipeline waits for what follows the last answer: a notice, or the end of the connection.
        for (const listener of this.#driverListeners) listener(buffer)
        return
      }
      if (buffer.length < 5) break
      const length = 1 + buffer.readInt32BE(1)
      if (buffer[0] === ANSWER.dataRow && length > this.#current.rowBytesMax) {
        this.#current.error ??= new RowTooLarge(`a row of ${length} bytes`)
        const past = Math.min(length, buffer.length)
        this.#skip = length - past
        buffer = buffer.subarray(past)
        continue
      }
      if (buffer.length < length) {
        this.#need = length
        break
      }
      this.#onMessage(this.#current, buffer[0] as number, buffer.subarray(5, length))
      buffer = buffer.subarray(length)
    }
    if (buffer.length > 0) {
      this.#chunks = [buffer]
      this.#have = buffer.length
    }
  }

  #onMessage(exchange: Exchange, type: number, body: Buffer): void {
    const sent = exchange.segments[exchange.answers.length]?.[exchange.steps.length]
    switch (type) {
      case ANSWER.rowDescription:
        if (sent) sent.statement.columns = parseColumns(body)
        break
      case ANSWER.parseComplete:
        if (sent?.newKey !== undefined) this.#keep(sent.newKey, sent.statement)
        break
      case ANSWER.dataRow:
        exchange.rows.push(parseDataRow(body))
        break
      case ANSWER.commandComplete:
      case ANSWER.emptyQuery:
        exchange.steps.push({
          columns: sent?.statement.columns ?? NO_COLUMNS,
          rows: exchange.rows,
          affected: parseAffected(body),
        })
        exchange.rows = []
        break
      case ANSWER.error:
        exchange.error ??= parseServerError(body)
        break
      case ANSWER.readyForQuery:
        exchange.answers.push({
          steps: exchange.steps,
          error: exchange.error,
          status: String.fromCharCode(body[0] ?? 0),
        })
        exchange.steps = []
        exchange.rows = []
        exchange.error = undefined
        if (exchange.answers.length === exchange.segments.length) {
          this.#current = undefined
          exchange.resolve(exchange.answers)
        }
        break
      default: // notices, changed settings and the like
    }
  }

  #keep(key: string, statement: Statement): void {
    this.#prepared.set(key, statement)
    if (this.#prepared.size <= PREPARED_MAX) return
    const [oldest] = this.#prepared
    if (!oldest) return
    this.#prepared.delete(oldest[0])
    this.#evicted.push(oldest[1].name)
  }

  #send(step: PipelineStep): SentStep {
    const { key, text, values } = step
    const known = key === undefined ? undefined : this.#prepared.get(key)
    if (known && key !== undefined) {
      this.#prepared.delete(key)
      this.#prepared.set(key, known)
      sendRun(this.#writer, known.name, values)
      return { statement: known, newKey: undefined }
    }
    const statement: Statement = { name: key === undefined ? '' : `hf_${this.#names++}`, columns: NO_COLUMNS }
    this.#writer.parse(statement.name, text)
    this.#writer.describeStatement(statement.name)
    sendRun(this.#writer, statement.name, values)
    return { statement, newKey: key }
  }
}

function sendRun(writer: MessageWriter, name: string, values: readonly unknown[]): void {
  writer.bind(name, values)
  writer.execute()
}
