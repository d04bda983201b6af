import type { CommonPowerSyncDatabase, PowerSyncBackendConnector } from '@powersync/common'
import { SerialQueue } from '../serial-queue.ts'
import { closeDatabase } from './close-database.ts'

/** Delay in ms before reopening an ended stream. The SDK's 5 s would make every server restart visible. */
const STREAM_RETRY_MS = 1_000

/** Delay in ms for batching local writes. */
const UPLOAD_THROTTLE_MS = 100

/** The used part of the SDK's database. */
export type ConnectedDatabase = Pick<
  CommonPowerSyncDatabase,
  'connect' | 'disconnect' | 'close' | 'closed' | 'ready' | 'database'
>

/** Connects a local database as the user wishes. Serializes connecting, disconnecting and operations that must not overlap with either. */
export class Connection {
  readonly #database: ConnectedDatabase
  readonly #connector: () => PowerSyncBackendConnector
  readonly #inBackground: (work: Promise<void>) => void
  #isWanted = false
  readonly #queue = new SerialQueue()

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
    this.#inBackground(this.#queue.run(() => this.#connectIfWanted()))
  }

  /** Prevents further connections. */
  stop(): void {
    this.#isWanted = false
  }

  disconnect(): Promise<void> {
    this.stop()
    return this.#queue.run(() => this.#database.disconnect())
  }

  /** Reopens the stream. */
  restart(): Promise<void> {
    return this.#queue.run(async () => {
      if (!this.#isWanted || this.#database.closed) return
      await this.#database.disconnect()
      await this.#connectIfWanted()
    })
  }

  /**
   * Changes something while the database is disconnected.
   *
   * @param prepare - runs first; returns false to cancel
   */
  async whileDisconnected(prepare: () => Promise<boolean>, change: () => Promise<void>): Promise<void> {
    await this.#queue.run(async () => {
      if (this.#database.closed || !(await prepare())) return
      await this.#database.disconnect()
      await change()
      await this.#connectIfWanted()
    })
  }

  /** Changes something while the database is disconnected, then restores the previous state. Rejects with the error of `change`. */
  async disconnected(change: () => Promise<void>): Promise<void> {
    await this.#queue.run(async () => {
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
    return this.#queue.run(() => closeDatabase(this.#database))
  }

  async #connectIfWanted(): Promise<void> {
    if (!this.#isWanted || this.#database.closed) return
    const delays = { retryDelayMs: STREAM_RETRY_MS, crudUploadThrottleMs: UPLOAD_THROTTLE_MS }
    // The SDK's promise resolves with the first connection; awaiting it here would block `disconnect` while offline.
    this.#inBackground(this.#database.connect(this.#connector(), delays))
  }
}
