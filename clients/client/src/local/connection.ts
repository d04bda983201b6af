import type { CommonPowerSyncDatabase, PowerSyncBackendConnector } from '@powersync/common'
import { closeAnyway } from './close-anyway.ts'

/** Until the stream is tried again after it ended, in milliseconds. The SDK's 5 s would show every restart of the server. */
const STREAM_RETRY_MS = 1_000

/** Local writes are sent after at most this long, in milliseconds. */
const UPLOAD_THROTTLE_MS = 100

/** What of the SDK's database is used. */
export type ConnectedDatabase = Pick<
  CommonPowerSyncDatabase,
  'connect' | 'disconnect' | 'close' | 'closed' | 'ready' | 'database'
>

/**
 * The connection of a local database, as the person wants it. Connecting, disconnecting and what must not
 * meet either of them take turns.
 */
export class Connection {
  readonly #database: ConnectedDatabase
  readonly #connector: () => PowerSyncBackendConnector
  readonly #inBackground: (work: Promise<void>) => void
  #isWanted = false
  #turn: Promise<void> = Promise.resolve()

  constructor(
    database: ConnectedDatabase,
    connector: () => PowerSyncBackendConnector,
    inBackground: (work: Promise<void>) => void,
  ) {
    this.#database = database
    this.#connector = connector
    this.#inBackground = inBackground
  }

  readonly isWanted = (): boolean => this.#isWanted

  connect(): void {
    this.#isWanted = true
    this.#inBackground(this.#inTurn(() => this.#connectIfWanted()))
  }

  /** Nothing connects from now on. */
  stop(): void {
    this.#isWanted = false
  }

  disconnect(): Promise<void> {
    this.stop()
    return this.#inTurn(() => this.#database.disconnect())
  }

  /** Opens the stream again. */
  restart(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#isWanted || this.#database.closed) return
      await this.#database.disconnect()
      await this.#connectIfWanted()
    })
  }

  /**
   * Changes something while the database is not connected.
   *
   * @param prepare - runs before; when it returns false, nothing else happens
   */
  async whileDisconnected(prepare: () => Promise<boolean>, change: () => Promise<void>): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#database.closed || !(await prepare())) return
      await this.#database.disconnect()
      await change()
      await this.#connectIfWanted()
    })
  }

  /** Changes something while the database is not connected. What it throws is the caller's; the connection is what it was before. */
  async disconnected(change: () => Promise<void>): Promise<void> {
    await this.#inTurn(async () => {
      await this.#database.disconnect()
      try {
        await change()
      } finally {
        await this.#connectIfWanted()
      }
    })
  }

  close(): Promise<void> {
    this.stop()
    return this.#inTurn(() => closeAnyway(this.#database))
  }

  async #connectIfWanted(): Promise<void> {
    if (!this.#isWanted || this.#database.closed) return
    const delays = { retryDelayMs: STREAM_RETRY_MS, crudUploadThrottleMs: UPLOAD_THROTTLE_MS }
    // The SDK's promise ends with the first connection; waiting for it here would keep `disconnect` waiting while offline.
    this.#inBackground(this.#database.connect(this.#connector(), delays))
  }

  #inTurn(body: () => Promise<void>): Promise<void> {
    const mine = this.#turn.then(body)
    this.#turn = mine.catch(() => undefined) // its caller hears of it; the next in turn must still run
    return mine
  }
}
