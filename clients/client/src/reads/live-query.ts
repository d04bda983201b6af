import { toError } from '@holdfast/protocol'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { CoalescedTask } from '../coalesced-task.ts'
import { once } from '../once.ts'
import { createValue, type Value, type WritableValue } from '../value.ts'
import { batchedReads, type Parameter } from './batched-reads.ts'
import { queryTables } from './query-tables.ts'

/** Result of a live query. */
export interface LiveRows<Row> {
  readonly rows: readonly Row[]
  /** Nothing has been read yet. */
  readonly isLoading: boolean
  readonly error: Error | undefined
}

export interface LiveQueryOptions {
  /** Minimum interval between runs in ms. Default: 30, as in the SDK. */
  readonly throttleMs?: number
}

/** A query and the value that publishes its rows. */
interface Query<Row> {
  readonly database: CommonPowerSyncDatabase
  readonly sql: string
  readonly parameters: readonly Parameter[]
  readonly throttleMs: number
  readonly value: WritableValue<LiveRows<Row>>
}

const THROTTLE_MS = 30
/** Minimum interval in ms between retries of a failed query. Every change triggers one, and a first sync causes many changes. */
const RETRY_MS = 1_000

/**
 * A query over the local database whose rows stay current while it has subscribers. Unchanged results are not published. Unlike the SDK's watched queries,
 * concurrent ones are batched ({@link batchedReads}).
 */
export function liveQuery<Row extends object>(
  database: CommonPowerSyncDatabase,
  sql: string,
  parameters: readonly Parameter[] = [],
  { throttleMs = THROTTLE_MS }: LiveQueryOptions = {},
): Value<LiveRows<Row>> {
  const value = createValue<LiveRows<Row>>({ rows: [], isLoading: true, error: undefined })
  let subscribers = 0
  let run: Disposable | undefined

  return {
    get: value.get,
    subscribe(listener) {
      const unsubscribe = value.subscribe(listener)
      if (subscribers++ === 0) run = new Run<Row>({ database, sql, parameters, throttleMs, value })
      return once(() => {
        unsubscribe()
        if (--subscribers === 0) run?.[Symbol.dispose]()
      })
    },
  }
}

/** Runs a query while it has subscribers. */
class Run<Row extends object> implements Disposable {
  readonly #query: Query<Row>
  readonly #stopListening: readonly (() => void)[]
  #asked: Promise<ReadonlySet<string>> | undefined
  /** `undefined`: unknown, so any change may be relevant. `failed`: the query is invalid for now; a schema change may fix it. */
  #tables: ReadonlySet<string> | 'failed' | undefined
  /** The published rows. */
  #text: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #reading = new CoalescedTask(() => this.#read())

  constructor(query: Query<Row>) {
    this.#query = query
    const { database } = query
    this.#begin()
    this.#stopListening = [
      database.database.registerListener({ tablesUpdated: ({ tables }) => this.#follow(tables) }),
      database.registerListener({ schemaChanged: () => this.#begin(), closing: () => this[Symbol.dispose]() }),
    ]
  }

  [Symbol.dispose](): void {
    this.#reading.end()
    clearTimeout(this.#timer)
    for (const stop of this.#stopListening) stop()
  }

  /** Looks up the queried tables and reads the rows. */
  #begin(): void {
    const { database, sql, parameters } = this.#query
    this.#tables = undefined
    const asked = queryTables(database, sql, parameters)
    this.#asked = asked
    asked.then(
      (tables) => {
        if (this.#asked === asked) this.#tables = tables
      },
      // Reading the rows fails, too, and reports why.
      () => {
        if (this.#asked === asked) this.#tables = 'failed'
      },
    )
    void this.#reading.request()
  }

  #follow(changed: readonly string[]): void {
    const tables = this.#tables
    const hasFailed = tables === 'failed'
    if (tables && !hasFailed && !changed.some((table) => tables.has(table))) return
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined
        if (hasFailed) this.#begin()
        else void this.#reading.request()
      },
      hasFailed ? Math.max(RETRY_MS, this.#query.throttleMs) : this.#query.throttleMs,
    )
  }

  async #read(): Promise<void> {
    const { database, sql, parameters } = this.#query
    await batchedReads(database)
      .getAll<Row>(sql, parameters)
      .then((rows) => this.#show(rows))
      // A throwing listener must not end the query for others.
      .catch((error: unknown) => this.#fail(error))
  }

  #show(rows: readonly Row[]): void {
    const { value } = this.#query
    const text = JSON.stringify(rows)
    const { isLoading, error } = value.get()
    if (this.#reading.hasEnded || (text === this.#text && !isLoading && !error)) return
    this.#text = text
    value.set({ rows, isLoading: false, error: undefined })
  }

  #fail(error: unknown): void {
    if (this.#reading.hasEnded) return
    const { value } = this.#query
    value.set({
      ...value.get(),
      isLoading: false,
      error: toError(error),
    })
  }
}
