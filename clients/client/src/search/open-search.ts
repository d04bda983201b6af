import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { SchemaDescriptor } from '@holdfast/protocol'
import { runAsLeader } from '../attachments/leader.ts'
import { pause } from '../pause.ts'
import { batchedReads } from '../reads/batched-reads.ts'
import { createValue, type Value } from '../value.ts'
import { type Candidates, candidatesSql, INDEXED_WORD_MIN } from './candidates.ts'
import type { SearchedTable } from './search-tables.ts'
import { prepareIndex, readIndexState, readProgress, indexRows } from './index-rows.ts'

/** Returns the searched columns per table. Called again after a schema change. */
export type ChooseSearched = (schema: SchemaDescriptor) => readonly SearchedTable[] | Promise<readonly SearchedTable[]>

/** State of this device's index. */
export type SearchState =
  /** First indexing; `share` from 0 to 1. */
  | { readonly kind: 'building'; readonly share: number }
  | { readonly kind: 'ready' }
  /** Unavailable until the next start, because this SQLite does not support it or it failed. Searches scan all rows. */
  | { readonly kind: 'absent' }

/** A column that references a row of another table. */
export interface SearchedLink {
  readonly column: string
  readonly table: string
}

/** Searches this device's rows by word parts. */
export interface LocalSearch {
  readonly state: Value<SearchState>
  /**
   * Returns a query for ids of rows of `table` that may contain `word` in their searched columns or those of linked rows. Includes all matches and some others,
   * so check the rows. Its `few` tells whether using it pays off. `undefined` if all rows must be scanned: the index is being built, the word has fewer than 3
   * characters, or a table is not searched. During the first pass it returns all rows.
   */
  candidates(table: string, links: readonly SearchedLink[], word: string): Candidates | undefined
}

interface SearchOptions {
  readonly userId: string
  readonly schema: Value<SchemaDescriptor>
  readonly searched: ChooseSearched
  readonly onProblem: (error: unknown) => void
}

/** Pause in ms between steps, for other writers. */
const PAUSE_MS = 20
/** Delay in ms for indexing changed rows, which are scanned until then. */
const CHANGE_THROTTLE_MS = 1_000
/** Poll interval in ms while waiting for a first sync, which is faster without triggers. */
const QUIET_LOOK_MS = 500

/**
 * Maintains the index of a local database in the background, in one of a user's tabs: in small steps, after the first sync. Other tabs read its progress from
 * the database.
 */
export function openSearch(database: CommonPowerSyncDatabase, options: SearchOptions): LocalSearch & Disposable {
  return new IndexedSearch(database, options)
}

class IndexedSearch implements LocalSearch, Disposable {
  readonly state = createValue<SearchState>({ kind: 'building', share: 0 })
  readonly #database: CommonPowerSyncDatabase
  readonly #options: SearchOptions
  readonly #end = new AbortController()
  #round = new AbortController()
  #wanted: readonly SearchedTable[] = []
  /** The index tables have been created. */
  #isMade = false
  #stopSchema: () => void

  constructor(database: CommonPowerSyncDatabase, options: SearchOptions) {
    this.#database = database
    this.#options = options
    this.#stopSchema = options.schema.subscribe(() => this.#begin())
    this.#begin()
  }

  candidates(table: string, links: readonly SearchedLink[], word: string): Candidates | undefined {
    if (!this.#isMade || [...word].length < INDEXED_WORD_MIN) return undefined
    const searchedOf = (name: string): SearchedTable | undefined => this.#wanted.find((one) => one.table === name)
    const searched = searchedOf(table)
    const linked = links.flatMap((link) => {
      const target = searchedOf(link.table)
      return target ? [{ column: link.column, searched: target }] : []
    })
    return searched && linked.length === links.length ? candidatesSql(searched, linked, word) : undefined
  }

  [Symbol.dispose](): void {
    this.#stopSchema()
    this.#end.abort()
    this.#round.abort()
  }

  /** Starts with the current schema, ending earlier runs. */
  #begin(): void {
    this.#round.abort()
    this.#round = new AbortController()
    const signal = AbortSignal.any([this.#end.signal, this.#round.signal])
    void this.#inBackground(this.#choose(signal), signal)
  }

  async #choose(signal: AbortSignal): Promise<void> {
    const wanted = await this.#options.searched(this.#options.schema.get())
    if (signal.aborted) return
    this.#wanted = wanted
    this.state.set({ kind: 'building', share: 0 })
    const lead = (): Promise<void> => this.#lead(wanted, signal)
    void this.#inBackground(runAsLeader(`hf-search-${this.#options.userId}`, signal, lead), signal)
    await this.#follow(wanted, signal)
  }

  async #inBackground(work: Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await work
    } catch (error) {
      if (signal.aborted || this.#database.closed) return
      this.state.set({ kind: 'absent' })
      this.#options.onProblem(error)
    }
  }

  async #lead(wanted: readonly SearchedTable[], signal: AbortSignal): Promise<void> {
    const changes = followChanges(this.#database, wanted, signal)
    while (!signal.aborted) {
      await this.#untilQuiet(signal)
      if (signal.aborted) return
      const { isPrepared, isWhole } = await readIndexState(this.#database, wanted)
      if (!isPrepared) await prepareIndex(this.#database, wanted)
      while (!signal.aborted && !(isPrepared && isWhole) && (await indexRows(this.#database, wanted))) {
        await pause(PAUSE_MS, signal)
        await this.#untilQuiet(signal)
      }
      await changes.next()
    }
  }

  /** Follows the leader's progress until the first pass is complete. */
  async #follow(wanted: readonly SearchedTable[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.state.get().kind === 'building') {
      await this.#look(wanted)
      if (this.state.get().kind === 'building') await pause(QUIET_LOOK_MS, signal)
    }
  }

  async #look(wanted: readonly SearchedTable[]): Promise<void> {
    const reads = batchedReads(this.#database)
    const [made] = await reads.getAll(`select 1 from sqlite_master where name = 'hf_search_state'`)
    if (!made) return
    this.#isMade = true
    const states = await reads.getAll<{ tbl: string; columns: string }>(
      `select tbl, columns from hf_search_state where done = 1`,
    )
    const isDone = wanted.every(({ table, columns }) =>
      states.some((one) => one.tbl === table && one.columns === JSON.stringify(columns)),
    )
    if (isDone) return this.state.set({ kind: 'ready' })
    const { rows, taken } = await readProgress(this.#database, wanted)
    this.state.set({ kind: 'building', share: rows === 0 ? 0 : Math.min(taken / rows, 0.99) })
  }

  /** Waits until the first sync has ended and nothing is being downloaded. */
  async #untilQuiet(signal: AbortSignal): Promise<void> {
    const isBusy = (): boolean => {
      const { hasSynced, downloading } = this.#database.currentStatus
      return hasSynced !== true || downloading
    }
    while (!signal.aborted && isBusy()) await pause(QUIET_LOOK_MS, signal)
  }
}

/** Waits until a table has changed since the last call, or the signal aborts. */
function followChanges(
  database: CommonPowerSyncDatabase,
  wanted: readonly SearchedTable[],
  signal: AbortSignal,
): { readonly next: () => Promise<void> } {
  let hasChanged = false
  let tell: (() => void) | undefined
  const onChange = (): void => {
    hasChanged = true
    tell?.()
  }
  database.onChangeWithCallback(
    { onChange },
    { tables: wanted.map(({ table }) => table), throttleMs: CHANGE_THROTTLE_MS, signal },
  )
  signal.addEventListener('abort', onChange)
  return {
    async next() {
      if (!hasChanged && !signal.aborted) {
        await new Promise<void>((resolve) => {
          tell = resolve
        })
      }
      hasChanged = false
    },
  }
}
