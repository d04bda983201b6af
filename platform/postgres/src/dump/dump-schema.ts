import type { Client } from 'pg'
import { MESSAGE } from '../wire/messages.ts'
import { takeOver, type Wire } from '../wire/take-over.ts'
import { runDumpThread } from './dump-thread.ts'
import { openQuietClient } from '../wire/quiet-client.ts'

export interface DumpOptions {
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  /** Name of a snapshot exported by another session, which the dump uses. */
  readonly snapshot: string
  /** Further arguments of `pg_dump`: sections, schemas. */
  readonly args: readonly string[]
  /** Timeout in ms of a silent statement. */
  readonly silenceMs: number
}

/** Encryption requests before the first message; encryption is up to the driver's connection. @see PostgreSQL manual, "SSLRequest" */
const NEGOTIATIONS: readonly number[] = [80877103, 80877104]
const HEAD_BYTES = 5
const QUERY = 0x51
const TERMINATE = 0x58

/** Server parameters that `pg_dump` needs before its first statement. */
const PARAMETERS = ['server_version', 'server_encoding', 'client_encoding', 'standard_conforming_strings'] as const

/**
 * Dumps a database's definitions with `pg_dump` of Postgres 18, which supports all older versions. Uses the driver's connection, so the URL appears in no
 * process list. `pg_dump` runs in a read-only transaction.
 *
 * @returns plain format, entry by entry
 * @throws errors of Postgres; a lost connection; an `Error` with `pg_dump`'s messages
 */
export async function dumpSchema({ url, applicationName, snapshot, args, silenceMs }: DumpOptions): Promise<string> {
  const client = await openQuietClient(url, applicationName)
  const parameters = await readParameters(client).catch(async (error: unknown) => {
    await client.end().catch(() => undefined) // possibly broken already
    throw error
  })
  const answers = new AnswerReader(silenceMs)
  const wire = takeOver(client, answers)
  const session = new DumpSession(wire, answers, renderGreeting(parameters))
  try {
    return await runDumpThread(['--no-password', `--snapshot=${snapshot}`, ...args], (bytes) => session.exchange(bytes))
  } finally {
    await wire.close()
  }
}

async function readParameters(client: Client): Promise<ReadonlyMap<string, string>> {
  await client.query(`set client_encoding = 'UTF8'; set standard_conforming_strings = on`)
  const found = new Map<string, string>()
  for (const name of PARAMETERS) {
    const { rows } = await client.query<{ value: string }>(`select pg_catalog.current_setting('${name}') as value`)
    found.set(name, rows[0]?.value ?? '')
  }
  return found
}

/** Renders the server's startup messages, as the driver received them: authentication, settings, ready. */
function renderGreeting(parameters: ReadonlyMap<string, string>): Buffer {
  const message = (type: string, body: Buffer): Buffer => {
    const head = Buffer.alloc(HEAD_BYTES)
    head.write(type, 'latin1')
    head.writeInt32BE(body.length + 4, 1)
    return Buffer.concat([head, body])
  }
  const settings = [...parameters].map(([name, value]) => message('S', Buffer.from(`${name}\0${value}\0`)))
  return Buffer.concat([
    message('R', Buffer.alloc(4)),
    ...settings,
    message('K', Buffer.alloc(8)),
    message('Z', Buffer.from('I')),
  ])
}

/** Collects the server's complete response to a message. */
class AnswerReader {
  readonly #silenceMs: number
  #parts: Buffer[] = []
  #waiting: PromiseWithResolvers<Buffer> | undefined
  #timer: NodeJS.Timeout | undefined
  #lost: Error | undefined

  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs
  }

  next(): Promise<Buffer> {
    this.#waiting = Promise.withResolvers<Buffer>()
    if (this.#lost) this.#waiting.reject(this.#lost)
    this.#watch()
    return this.#waiting.promise
  }

  onMessage = (type: number, buffer: Buffer, start: number, end: number): void => {
    this.#parts.push(Buffer.from(buffer.subarray(start - HEAD_BYTES, end)))
    if (type !== MESSAGE.readyForQuery) return
    const answer = Buffer.concat(this.#parts)
    this.#parts = []
    clearTimeout(this.#timer)
    this.#waiting?.resolve(answer)
    this.#waiting = undefined
  }

  onChunkEnd = (): void => {
    if (this.#waiting) this.#watch()
  }

  onLost = (cause: Error): void => {
    clearTimeout(this.#timer)
    this.#lost = cause
    this.#waiting?.reject(cause)
  }

  #watch(): void {
    clearTimeout(this.#timer)
    const error = new Error(`Postgres has been silent for ${this.#silenceMs / 1000} s`)
    this.#timer = setTimeout(() => this.#waiting?.reject(error), this.#silenceMs)
  }
}

/** The server side of the connection, as seen by `pg_dump`. */
class DumpSession {
  readonly #wire: Wire
  readonly #answers: AnswerReader
  readonly #greeting: Buffer
  #isGreeted = false
  #pending: Buffer = Buffer.alloc(0)

  constructor(wire: Wire, answers: AnswerReader, greeting: Buffer) {
    this.#wire = wire
    this.#answers = answers
    this.#greeting = greeting
  }

  async exchange(bytes: Buffer): Promise<Buffer> {
    this.#pending = Buffer.concat([this.#pending, bytes])
    const out: Buffer[] = []
    for (let next = this.#take(); next !== undefined; next = this.#take()) out.push(await this.#answer(next))
    return Buffer.concat(out)
  }

  /** @returns the next complete message */
  #take(): Buffer | undefined {
    const head = this.#isGreeted ? 1 : 0
    if (this.#pending.length < head + 4) return undefined
    const length = head + this.#pending.readInt32BE(head)
    if (this.#pending.length < length) return undefined
    const message = this.#pending.subarray(0, length)
    this.#pending = this.#pending.subarray(length)
    return message
  }

  async #answer(message: Buffer): Promise<Buffer> {
    if (!this.#isGreeted) {
      if (message.length === 8 && NEGOTIATIONS.includes(message.readInt32BE(4))) return Buffer.from('N')
      this.#isGreeted = true
      return this.#greeting
    }
    if (message[0] === TERMINATE) return Buffer.alloc(0)
    if (message[0] !== QUERY) throw new Error(`pg_dump sent a message of a type that is not passed on: ${message[0]}`)
    const answer = this.#answers.next()
    this.#wire.send(message)
    return await answer
  }
}
