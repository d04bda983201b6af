import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { SchemaDescriptor } from '@holdfast/protocol'
import type { KeyValueStore } from '../key-value.ts'
import { guardsOfSchema, linksOfSchema } from '../schema/column-rules.ts'
import { cacheSchema, fetchSchema } from '../schema/fetch-schema.ts'
import { retryDelayMs } from '../upload/backoff.ts'
import type { DependencyRules } from '../queue/depends-on.ts'
import { createValue } from '../value.ts'
import { applyTables } from './apply-tables.ts'
import type { Connection } from './connection.ts'

/** Debounce in ms, because schema changes come in groups. */
const SCHEMA_SETTLES_MS = 5_000

export interface LocalSchemaOptions {
  readonly url: string
  readonly userId: string
  readonly schema: SchemaDescriptor
  /** Names of tables that could not be created in the database. */
  readonly omitted: readonly string[]
  readonly store: KeyValueStore
  readonly fetch: typeof globalThis.fetch
  readonly random: () => number
  readonly token: () => Promise<string | undefined>
  /** The server responded. */
  readonly onAnswer: () => void
  readonly inBackground: (work: Promise<void>) => void
}

/** The schema of an open database, as last received, refreshed on hints of a change. */
export class LocalSchema implements Disposable {
  readonly value
  /** Tables that this device cannot hold; absent from {@link value}. */
  readonly omitted
  /** Always those of the current schema. */
  readonly rules: DependencyRules = {
    linksOf: (table) => this.#linksOf(table),
    guardOf: (table, column) => this.#guardOf(table, column),
  }
  readonly #database: CommonPowerSyncDatabase
  readonly #connection: Connection
  readonly #options: LocalSchemaOptions
  #linksOf
  #guardOf
  #refreshing: Promise<void> | undefined
  /** A change was hinted at since the latest request. */
  #isWanted = false
  /** Consecutive failed requests. */
  #failures = 0
  #askingAgain: ReturnType<typeof setTimeout> | undefined

  constructor(database: CommonPowerSyncDatabase, connection: Connection, options: LocalSchemaOptions) {
    this.#database = database
    this.#connection = connection
    this.#options = options
    this.value = createValue(options.schema)
    this.omitted = createValue(options.omitted)
    this.#linksOf = linksOfSchema(options.schema)
    this.#guardOf = guardsOfSchema(options.schema)
  }

  /**
   * Checks for schema changes and rebuilds the local views if needed. Queued changes stay. One request at a time, so that an old response that comes late
   * does not replace a newer one.
   */
  readonly refresh = (): Promise<void> => {
    this.#isWanted = true
    this.#refreshing ??= this.#refreshWhileWanted().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  };

  [Symbol.dispose](): void {
    clearTimeout(this.#askingAgain)
  }

  async #refreshWhileWanted(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false
      await this.#refreshOnce()
    }
  }

  async #refreshOnce(): Promise<void> {
    const { url, fetch, random, onAnswer } = this.#options
    const token = await this.#options.token()
    if (token === undefined) return
    const answer = await fetchSchema({ url, token, version: this.value.get().version }, fetch)
    // The server fails briefly while compiling policies.
    if (answer.kind === 'failed') return this.#askAgain(retryDelayMs(++this.#failures, undefined, random))
    this.#failures = 0
    onAnswer()
    if (answer.kind === 'unchanged') return
    await this.#change(answer.schema)
    this.#askAgain(SCHEMA_SETTLES_MS)
  }

  async #change(schema: SchemaDescriptor): Promise<void> {
    const { store, userId } = this.#options
    await this.#connection.whileDisconnected(
      async () => {
        if (schema.version === this.value.get().version) return false
        await cacheSchema(store, userId, schema)
        return true
      },
      async () => {
        const applied = await applyTables(this.#database, schema)
        this.#linksOf = linksOfSchema(applied.schema)
        this.#guardOf = guardsOfSchema(applied.schema)
        this.value.set(applied.schema)
        this.omitted.set(applied.omitted)
      },
    )
  }

  /** Retries later, because the change notification is not repeated. */
  #askAgain(afterMs: number): void {
    this.#askingAgain ??= setTimeout(() => {
      this.#askingAgain = undefined
      // The next connection asks anyway.
      if (this.#database.connected) this.#options.inBackground(this.refresh())
    }, afterMs)
    ;(this.#askingAgain as { unref?: () => void }).unref?.()
  }
}
