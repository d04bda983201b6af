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

/** Changes of a schema come in groups, and this one may have been the middle of one. Milliseconds. */
const SCHEMA_SETTLES_MS = 5_000

export interface LocalSchemaOptions {
  readonly url: string
  readonly userId: string
  readonly schema: SchemaDescriptor
  /** Names of tables that the description has and the database could not be given. */
  readonly omitted: readonly string[]
  readonly store: KeyValueStore
  readonly fetch: typeof globalThis.fetch
  readonly random: () => number
  readonly token: () => Promise<string | undefined>
  /** The server has answered. */
  readonly onAnswer: () => void
  readonly inBackground: (work: Promise<void>) => void
}

/** The tables of an open database: as the server described them last, and asked for again when there is a hint of others. */
export class LocalSchema implements Disposable {
  readonly value
  /** Names of the tables that this device cannot hold; they are not in {@link value}. */
  readonly omitted
  /** Always those of the last description. */
  readonly rules: DependencyRules = {
    linksOf: (table) => this.#linksOf(table),
    guardOf: (table, column) => this.#guardOf(table, column),
  }
  readonly #database: CommonPowerSyncDatabase
  readonly #connection: Connection
  readonly #options: LocalSchemaOptions
  #linksOf
  #guardOf
  /** Requests in a row that failed. */
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

  /** Asks whether the tables have changed, and rebuilds the local views if so. Waiting changes stay. */
  readonly refresh = async (): Promise<void> => {
    const { url, fetch, random, onAnswer } = this.#options
    const token = await this.#options.token()
    if (token === undefined) return
    const answer = await fetchSchema({ url, token, version: this.value.get().version }, fetch)
    // A server that compiles its policies again has no answer for a moment.
    if (answer.kind === 'failed') return this.#askAgain(retryDelayMs(++this.#failures, undefined, random))
    this.#failures = 0
    onAnswer()
    if (answer.kind === 'unchanged') return
    await this.#change(answer.schema)
    this.#askAgain(SCHEMA_SETTLES_MS)
  };

  [Symbol.dispose](): void {
    clearTimeout(this.#askingAgain)
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

  /** Asks once more, in a while: the notification that there is something new is not repeated. */
  #askAgain(afterMs: number): void {
    this.#askingAgain ??= setTimeout(() => {
      this.#askingAgain = undefined
      // The next connection asks by itself.
      if (this.#database.connected) this.#options.inBackground(this.refresh())
    }, afterMs)
    ;(this.#askingAgain as { unref?: () => void }).unref?.()
  }
}
