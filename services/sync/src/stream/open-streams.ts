import type { LineSink } from './line-sink.ts'
import type { StreamSession } from './stream-context.ts'

/** One open stream. */
export interface Connection {
  readonly userId: string
  readonly clientId: string
  readonly session: StreamSession
  readonly sink: LineSink
  /** End of the token, in seconds since the epoch. */
  readonly expiresAtS: number | undefined
  /** Ends the stream for a reason. */
  end(reason: unknown): void
}

/** The remembered facts of an open stream. */
interface Remembered {
  nextKeepaliveMs: number
  warned: boolean
}

/** The open streams, by device and by person. */
export class OpenStreams {
  readonly #all = new Map<Connection, Remembered>()
  readonly #byDevice = new Map<string, readonly Connection[]>()
  readonly #perPerson = new Map<string, number>()

  get size(): number {
    return this.#all.size
  }
  /** How many different people they are of. */
  get people(): number {
    return this.#perPerson.size
  }

  has(connection: Connection): boolean {
    return this.#all.has(connection)
  }
  all(): Iterable<Connection> {
    return this.#all.keys()
  }
  entries(): Iterable<readonly [Connection, Remembered]> {
    return this.#all
  }
  countOf(userId: string): number {
    return this.#perPerson.get(userId) ?? 0
  }
  of(userId: string, clientId: string): readonly Connection[] {
    return this.#byDevice.get(deviceOf(userId, clientId)) ?? []
  }

  add(connection: Connection, nextKeepaliveMs: number): void {
    this.#all.set(connection, { nextKeepaliveMs, warned: false })
    const { userId, clientId } = connection
    this.#perPerson.set(userId, this.countOf(userId) + 1)
    this.#byDevice.set(deviceOf(userId, clientId), [...this.of(userId, clientId), connection])
  }

  remove(connection: Connection): void {
    if (!this.#all.delete(connection)) return
    const { userId, clientId } = connection
    const left = (this.#perPerson.get(userId) ?? 1) - 1
    if (left > 0) this.#perPerson.set(userId, left)
    else this.#perPerson.delete(userId)
    const others = this.of(userId, clientId).filter((other) => other !== connection)
    if (others.length > 0) this.#byDevice.set(deviceOf(userId, clientId), others)
    else this.#byDevice.delete(deviceOf(userId, clientId))
  }
}

function deviceOf(userId: string, clientId: string): string {
  return `${userId}/${clientId}`
}
