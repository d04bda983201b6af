import { CompactMultimap } from '../buckets/compact-multimap.ts'
import type { DeviceDescription } from './device-description.ts'
import type { LineSink } from './line-sink.ts'
import type { StreamSession } from './stream-context.ts'

/** One open stream. */
export interface Connection {
  readonly userId: string
  readonly clientId: string
  readonly device: DeviceDescription
  /** Milliseconds since the epoch. */
  readonly connectedAtMs: number
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

/** The open streams by device and by user. */
export class OpenStreams {
  readonly #all = new Map<Connection, Remembered>()
  readonly #byUser = new CompactMultimap<Connection>()

  get size(): number {
    return this.#all.size
  }
  /** Number of distinct users. */
  get people(): number {
    return this.#byUser.size
  }

  has(connection: Connection): boolean {
    return this.#all.has(connection)
  }
  all(): Iterable<Connection> {
    return this.#all.keys()
  }
  /** Runs every second for each stream, so it allocates nothing, unlike an iterator over entries. */
  forEach(look: (connection: Connection, remembered: Remembered) => void): void {
    this.#all.forEach((remembered, connection) => look(connection, remembered))
  }
  countOf(userId: string): number {
    return this.#byUser.countOf(userId)
  }
  of(userId: string, clientId: string): readonly Connection[] {
    return [...this.#byUser.of(userId)].filter((connection) => connection.clientId === clientId)
  }

  add(connection: Connection, nextKeepaliveMs: number): void {
    this.#all.set(connection, { nextKeepaliveMs, warned: false })
    this.#byUser.add(connection.userId, connection)
  }

  remove(connection: Connection): void {
    if (this.#all.delete(connection)) this.#byUser.delete(connection.userId, connection)
  }
}
