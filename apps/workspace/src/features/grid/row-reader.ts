import type { BatchedReads } from '@holdfast/client'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { wordsOf } from '../../lib/search/word-sql.ts'
import type { SqlPart } from '../../lib/sql.ts'
import { countSql, type GridQuery, windowSql } from './query/grid-query.ts'
import type { GroupLayout } from './row-groups.ts'
import { type GridRow, WINDOW_ROWS, type WindowRows } from './window-cache.ts'

/** The parts of the local database that are used. */
export type RowSource = Pick<BatchedReads, 'get' | 'getAll' | 'urgent'> & Pick<CommonPowerSyncDatabase, 'onChange'>

/** The rows of a window, with the window's number. */
export interface ReadWindow {
  readonly number: number
  readonly rows: WindowRows
}

/** Reads a view from the local database. */
export class RowReader {
  readonly #database: RowSource
  #query: GridQuery
  /** The query, using the text index only for the words where it is faster. */
  #indexed: GridQuery

  constructor(database: RowSource, query: GridQuery) {
    this.#database = database
    this.#query = query
    this.#indexed = { ...query, candidates: undefined }
  }

  get query(): GridQuery {
    return this.#query
  }

  /** Sets another view; takes effect with {@link chooseIndexed}. */
  setQuery(query: GridQuery): void {
    this.#query = query
  }

  /** Decides per search word whether the text index finds few enough rows. With many rows, a full comparison is faster. */
  async chooseIndexed(): Promise<void> {
    const query = this.#query
    const few = new Set<string>()
    for (const word of wordsOf(query.search)) {
      const probe = query.candidates?.(word)?.few
      if (!probe) continue
      const { few: isRare } = await this.#database.urgent.get<{ readonly few: 0 | 1 }>(probe.text, [...probe.values])
      if (isRare) few.add(word)
    }
    this.#indexed = { ...query, candidates: (word) => (few.has(word) ? query.candidates?.(word) : undefined) }
  }

  /** @param isAgain - only the collapsed groups changed. @returns `undefined` for a view without groups */
  async layOut(isAgain: boolean): Promise<GroupLayout | undefined> {
    return this.#query.grouping?.layOut(this.#database, this.#indexed, isAgain)
  }

  async count(): Promise<number> {
    const { rows } = await this.get<{ readonly rows: number }>(countSql)
    return rows
  }

  get<Row extends object>(sqlOf: (query: GridQuery) => SqlPart): Promise<Row> {
    const { text, values } = sqlOf(this.#indexed)
    return this.#database.get<Row>(text, [...values])
  }

  async readWindow(number: number, layout: GroupLayout | undefined): Promise<ReadWindow> {
    return { number, rows: await this.readRows(number * WINDOW_ROWS, WINDOW_ROWS, layout) }
  }

  async readRows(first: number, count: number, layout: GroupLayout | undefined): Promise<WindowRows> {
    if (!layout) {
      const { text, values } = windowSql(this.#indexed, first, count)
      return this.#database.urgent.getAll<GridRow>(text, [...values])
    }
    const { sql, places } = layout.windowAt(first, count)
    const rows = Array.from<GridRow | undefined>({ length: Math.min(count, Math.max(0, layout.places - first)) })
    const read = sql ? await this.#database.urgent.getAll<GridRow>(sql.text, [...sql.values]) : []
    for (const [index, place] of places.entries()) rows[place] = read[index]
    return rows
  }
}
