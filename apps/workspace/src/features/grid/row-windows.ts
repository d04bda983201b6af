import type { BatchedReads } from '@holdfast/client'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { FieldValue } from '../../lib/fields/field.ts'
import { wordsOf } from '../../lib/search/word-sql.ts'
import type { SqlPart } from '../../lib/sql.ts'
import { countSql, type GridQuery, tablesOfQuery, windowSql } from './query/grid-query.ts'
import type { GroupLayout, RowGroup } from './row-groups.ts'
import { type GridRow, WINDOW_ROWS, WindowCache, type WindowRows } from './window-cache.ts'
import { type VisibleRows, wantedWindows, windowsInSight } from './window-numbers.ts'

/** Changes of the tables are looked at at most this often, in milliseconds. */
const CHANGE_THROTTLE_MS = 50

export interface WindowsState {
  /** Rows of the view; `undefined` before the first count. */
  readonly count: number | undefined
  /** Places that can be shown, rows and headers of groups: all of the view, or until they are counted those that have been read. `undefined`: none have. */
  readonly rows: number | undefined
  readonly error: Error | undefined
  /** Of groups; 0: the view is not grouped, and each place has a row. */
  readonly levels: number
  /** Grows with every change of the rows that are here. */
  readonly version: number
}

/** What of the local database is used. */
export type RowSource = Pick<BatchedReads, 'get' | 'getAll' | 'urgent'> & Pick<CommonPowerSyncDatabase, 'onChange'>

/** The rows of a view, read in windows around the visible ones and kept current. */
export class RowWindows implements Disposable {
  readonly #database: RowSource
  readonly #windows = new WindowCache()
  readonly #listeners = new Set<() => void>()
  #query: GridQuery
  #state: WindowsState = { count: undefined, rows: undefined, error: undefined, levels: 0, version: 0 }
  #visible: VisibleRows = { first: 0, last: 0 }
  /** Answers of an older generation are of another view or another moment. */
  #generation = 0
  #stopWatching: () => void
  #isClosed = false
  #isFilling = false
  #isReading = false
  /** Over when the rows in sight have been read. */
  #settled: Promise<void> = Promise.resolve()
  /** Nothing of this view has been read. */
  #isUnread = true
  /** Where the headers of groups are; `undefined`: the view that is shown has none. */
  #layout: GroupLayout | undefined
  /** The groups are as they were read; only which are collapsed has changed. */
  #isToggled = false
  /** The view with the index of only those words for which it is worth it. */
  #indexed: GridQuery

  constructor(database: RowSource, query: GridQuery) {
    this.#database = database
    this.#query = query
    this.#indexed = { ...query, candidates: undefined }
    this.#stopWatching = this.#watch()
    void this.#refresh()
  }

  readonly getState = (): WindowsState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The row at a position of the view, when its window is here. The same object as long as nothing in it changed. */
  row(index: number): GridRow | undefined {
    return this.#windows.row(index)
  }

  /** The group whose header is at a position of the view. */
  groupAt(index: number): RowGroup | undefined {
    return this.#layout?.groupAt(index)
  }

  /** Which record of the view stands at a position, from 1: headers of groups are not counted. */
  numberAt(index: number): number {
    return (this.#layout ? this.#layout.recordAt(index) : index) + 1
  }

  /** Collapses or expands a group, or with a boolean all of them. */
  toggleGroup(group: string | boolean): void {
    const { grouping } = this.#query
    if (typeof group === 'string') grouping?.toggle(group)
    else grouping?.toggleAll(group)
    this.#isToggled = this.#layout !== undefined
    void this.#refresh()
  }

  /** The position of a row of the windows that are here. */
  indexOf(id: string): number | undefined {
    return this.#windows.indexOf(id)
  }

  /** Sets the visible range: its windows are read, one more on each side, and kept current. */
  show(first: number, last: number): void {
    this.#visible = { first, last }
    this.#windows.use(wantedWindows(this.#visible, this.#state.rows))
    void this.#fill()
    this.#windows.evict()
  }

  /** Another view of the same table. The old rows stay until the new ones are here. */
  setQuery(query: GridQuery): void {
    const isSame = isSameView(query, this.#query)
    this.#query = query
    // What is being read would be thrown away, and read once more.
    if (isSame) return
    this.#isUnread = true
    this.#isToggled = false
    // That nothing fitted the last view says nothing about this one.
    if (this.#state.count === 0) this.#change({ count: undefined, rows: undefined })
    this.#stopWatching()
    this.#stopWatching = this.#watch()
    void this.#refresh()
  }

  /** Shows a local write before the database has told of it. */
  patch(id: string, values: Readonly<Record<string, FieldValue>>): void {
    if (this.#windows.patch(id, values)) this.#change({})
  }

  /**
   * The same for as long as the write takes: a slow device reads rows as they were before it, and what was typed would turn back into what stood there.
   *
   * @returns ends it; from then on the database has the last word
   */
  hold(id: string, values: Readonly<Record<string, FieldValue>>): () => void {
    const held = { id, values }
    this.#windows.hold(held)
    this.patch(id, values)
    return () => this.#windows.release(held)
  }

  /** Reads a stretch of the view that need not be visible, for copying. */
  async read(first: number, last: number): Promise<readonly GridRow[]> {
    const rows = await this.#readRows(first, last - first + 1, this.#layout)
    return rows.filter((row) => row !== undefined)
  }

  /** Asks for something else of the view than its rows, and after those that are in sight. */
  async ask<Row extends object>(sqlOf: (query: GridQuery) => SqlPart): Promise<Row> {
    await this.#settled
    const { text, values } = sqlOf(this.#indexed)
    return this.#database.get<Row>(text, [...values])
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#generation += 1
    this.#stopWatching()
    this.#listeners.clear()
  }

  #watch(): () => void {
    return this.#database.onChange(
      {
        onChange: () => {
          this.#isToggled = false
          return this.#refresh()
        },
      },
      { tables: [...tablesOfQuery(this.#query)], throttleMs: CHANGE_THROTTLE_MS },
    )
  }

  /**
   * Counts again and reads the visible windows again; the other windows are forgotten, and those beside it read after it.
   * One reading at a time: a local database answers one question after the other, and what was asked last should not
   * wait for what nobody waits for.
   */
  async #refresh(): Promise<void> {
    this.#generation += 1
    if (this.#isReading) return
    const settled = Promise.withResolvers<void>()
    this.#settled = settled.promise
    this.#isReading = true
    try {
      let generation: number
      do {
        generation = this.#generation
        await this.#readAgain(generation)
      } while (generation !== this.#generation && !this.#isClosed)
    } finally {
      this.#isReading = false
      settled.resolve()
    }
    void this.#fill()
  }

  async #readAgain(generation: number): Promise<void> {
    try {
      await this.#chooseIndexed()
      if (generation !== this.#generation) return
      const { grouping } = this.#query
      if (grouping) {
        const layout = await grouping.layOut(this.#database, this.#indexed, this.#isToggled)
        if (generation === this.#generation) await this.#readGrouped(generation, layout)
        return
      }
      if (this.#isUnread && this.#visible.first < WINDOW_ROWS && !(await this.#readFirst(generation))) return
      const { text, values } = countSql(this.#indexed)
      const numbers = windowsInSight(this.#visible, this.#state.rows)
      const [read, counted] = await Promise.all([
        Promise.all(numbers.map((number) => this.#readWindow(number, undefined))),
        this.#database.get<{ readonly rows: number }>(text, [...values]),
      ])
      if (generation !== this.#generation) return
      this.#isUnread = false
      const { count, error, levels } = this.#state
      this.#layout = undefined
      const hasChanged = this.#windows.replaceAll(read)
      if (!hasChanged && !error && levels === 0 && counted.rows === count && counted.rows === this.#state.rows) return
      this.#change({ count: counted.rows, rows: counted.rows, error: undefined, levels: 0 })
    } catch (error) {
      if (generation === this.#generation) this.#fail(error)
    }
  }

  /** Reads the windows in sight of a grouped view, and takes them together with its headers. */
  async #readGrouped(generation: number, layout: GroupLayout): Promise<void> {
    const numbers = windowsInSight(this.#visible, layout.places)
    const read = await Promise.all(numbers.map((number) => this.#readWindow(number, layout)))
    if (generation !== this.#generation) return
    this.#isUnread = false
    this.#isToggled = false
    this.#layout = layout
    this.#windows.replaceAll(read)
    this.#change({ count: layout.records, rows: layout.places, error: undefined, levels: layout.levels })
  }

  /**
   * Shows the first rows of a view as soon as they are read: counting all may take longer than a person waits. A view of
   * which one window has all rows is counted with that.
   *
   * @returns false when the rest of the reading is not needed, or no longer wanted
   */
  async #readFirst(generation: number): Promise<boolean> {
    const first = await this.#readWindow(0, undefined)
    if (generation !== this.#generation) return false
    this.#isUnread = false
    this.#layout = undefined
    const isAll = first.rows.length < WINDOW_ROWS
    this.#windows.replaceAll([first])
    const read = first.rows.length
    // The length of the last view is kept, if there was one, so that what is below does not come and go.
    this.#change({
      levels: 0,
      ...(isAll ? { count: read, rows: read } : { count: undefined, rows: Math.max(read, this.#state.rows ?? 0) }),
    })
    if (this.#state.error) this.#change({ error: undefined })
    return !isAll
  }

  /** Asks for each searched word whether the index has few rows for it; comparing all rows is faster than looking at many. */
  async #chooseIndexed(): Promise<void> {
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

  /**
   * Reads the missing windows, one after another. Which ones are missing is looked up again after each: a window that
   * was scrolled past in the meantime is not read.
   */
  async #fill(): Promise<void> {
    if (this.#isFilling || this.#isReading || this.#isClosed) return
    this.#isFilling = true
    try {
      for (let number = this.#nextMissing(); number !== undefined; number = this.#nextMissing()) {
        const generation = this.#generation
        const { rows } = await this.#readWindow(number, this.#layout)
        if (generation !== this.#generation) continue
        this.#windows.set(number, rows)
        this.#change({})
      }
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#isFilling = false
    }
  }

  /** The nearest wanted window that is not here. */
  #nextMissing(): number | undefined {
    const { rows } = this.#state
    if (this.#isClosed || rows === undefined) return undefined
    return wantedWindows(this.#visible, rows).find((number) => !this.#windows.has(number))
  }

  async #readWindow(
    number: number,
    layout: GroupLayout | undefined,
  ): Promise<{ readonly number: number; readonly rows: WindowRows }> {
    return { number, rows: await this.#readRows(number * WINDOW_ROWS, WINDOW_ROWS, layout) }
  }

  async #readRows(first: number, count: number, layout: GroupLayout | undefined): Promise<WindowRows> {
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

  #fail(error: unknown): void {
    if (!this.#isClosed) this.#change({ error: error instanceof Error ? error : new Error(String(error)) })
  }

  #change(part: Partial<WindowsState>): void {
    this.#state = { ...this.#state, ...part, version: this.#state.version + 1 }
    for (const listener of this.#listeners) listener()
  }
}

/** Whether two queries ask for the same rows, columns and order. */
function isSameView(a: GridQuery, b: GridQuery): boolean {
  const textOf = (query: GridQuery): string => JSON.stringify({ ...query, grouping: undefined, candidates: undefined })
  const isFoundAlike = a.candidates === b.candidates || a.search.trim() === ''
  return a === b || (isFoundAlike && a.grouping === b.grouping && textOf(a) === textOf(b))
}
