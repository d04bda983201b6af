import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { SchemaDescriptor } from '@holdfast/protocol'
import { runAsLeader } from '../attachments/leader.ts'
import { pause } from '../pause.ts'
import { batchedReads } from '../reads/batched-reads.ts'
import { createValue, type Value } from '../value.ts'
import { type Candidates, candidatesSql, INDEXED_WORD_MIN } from './candidates.ts'
import type { SearchedTable } from './search-tables.ts'
import { prepareIndex, readIndexState, readProgress, takeInRows } from './take-in-rows.ts'

/** Says which columns of which tables are searched. Called again when the tables of the server change. */
export type ChooseSearched = (schema: SchemaDescriptor) => readonly SearchedTable[] | Promise<readonly SearchedTable[]>

/** How far the index of this device is. */
export type SearchState =
  /** Rows are being taken in for the first time; `share` of 1 have been. */
  | { readonly kind: 'building'; readonly share: number }
  | { readonly kind: 'ready' }
  /** There is none, and will be none before the next start: this SQLite cannot make it, or it failed. All rows are compared. */
  | { readonly kind: 'absent' }

/** A column of the searched table that refers to a row of another table. */
export interface SearchedLink {
  readonly column: string
  readonly table: string
}

/** Finds rows of this device by pieces of words. */
export interface LocalSearch {
  readonly state: Value<SearchState>
  /**
   * A query for the ids of rows of `table` that may have `word` in their searched columns, or in those of the rows that
   * `links` refer to. It answers all that have it,
   * and a few that do not: compare the rows with the word as well. Its `few` says whether that is worth it. `undefined`
   * when the index cannot help, and all rows have to be compared: it is still being made, the word has fewer than 3
   * characters, or a table is not searched. Before the first pass is over it names all rows.
   */
  candidates(table: string, links: readonly SearchedLink[], word: string): Candidates | undefined
}

interface SearchOptions {
  readonly userId: string
  readonly schema: Value<SchemaDescriptor>
  readonly searched: ChooseSearched
  readonly onProblem: (error: unknown) => void
}

/** Between two steps others may write. */
const PAUSE_MS = 20
/** Changed rows are taken in this long after the first of them: until then they are compared one by one. */
const CHANGE_THROTTLE_MS = 1_000
/** A first sync is waited for in looks this far apart: rows that come by the thousand come faster without triggers. */
const QUIET_LOOK_MS = 500

/**
 * Keeps the index of a local database current, in one tab for all of a person's tabs, in the background: a few rows at a time, after the first sync. The others read
 * from the database how far it is.
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
  /** The tables of the index are there, and stay. */
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

  /** Begins with the tables of the schema as it is now; what an earlier schema began ends. */
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
      while (!signal.aborted && !(isPrepared && isWhole) && (await takeInRows(this.#database, wanted))) {
        await pause(PAUSE_MS, signal)
        await this.#untilQuiet(signal)
      }
      await changes.next()
    }
  }

  /** Tells this tab how far the leader is, until all rows have been taken in once. */
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

  /** Until the first sync has ended and nothing is being downloaded. */
  async #untilQuiet(signal: AbortSignal): Promise<void> {
    const isBusy = (): boolean => {
      const { hasSynced, downloading } = this.#database.currentStatus
      return hasSynced !== true || downloading
    }
    while (!signal.aborted && isBusy()) await pause(QUIET_LOOK_MS, signal)
  }
}

/** Whether a table changed since the last question; the answer waits until one has, or the signal aborts. */
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
