import { toError } from '@holdfast/protocol'
import type { FieldValue } from '../../lib/fields/field.ts'
import type { SqlPart } from '../../lib/sql.ts'
import { type GridQuery, tablesOfQuery } from './query/grid-query.ts'
import type { GroupLayout, RowGroup } from './row-groups.ts'
import { RowReader, type RowSource } from './row-reader.ts'
import {
  isCurrent,
  transition,
  UNREAD,
  type RowWindowsEffect,
  type RowWindowsEvent,
  type WindowsState,
} from './row-windows-state.ts'
import { type GridRow, WINDOW_ROWS, WindowCache } from './window-cache.ts'
import { type VisibleRows, wantedWindows, windowsInSight } from './window-numbers.ts'

/** Changes of the tables are looked at at most this often, in milliseconds. */
const CHANGE_THROTTLE_MS = 50

/** The rows of a view, read in windows around the visible ones and kept current. `row-windows-state.ts` decides what is read when. */
export class RowWindows implements Disposable {
  readonly #database: RowSource
  readonly #reader: RowReader
  readonly #windows = new WindowCache()
  readonly #listeners = new Set<() => void>()
  #state = UNREAD
  #visible: VisibleRows = { first: 0, last: 0 }
  #stopWatching: () => void = () => undefined
  /** Over when the rows in sight have been read. */
  #refreshed: Promise<void> = Promise.resolve()
  /** Where the headers of groups are; `undefined`: the view that is shown has none. */
  #layout: GroupLayout | undefined

  constructor(database: RowSource, query: GridQuery) {
    this.#database = database
    this.#reader = new RowReader(database, query)
    this.#dispatch({ kind: 'view changed' })
  }

  readonly getState = (): WindowsState => this.#state.view

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
    const { grouping } = this.#reader.query
    if (typeof group === 'string') grouping?.toggle(group)
    else grouping?.toggleAll(group)
    this.#dispatch({ kind: 'groups toggled' })
  }

  /** The position of a row of the windows that are here. */
  indexOf(id: string): number | undefined {
    return this.#windows.indexOf(id)
  }

  /** Sets the visible range: its windows are read, one more on each side, and kept current. */
  show(first: number, last: number): void {
    this.#visible = { first, last }
    this.#windows.use(wantedWindows(this.#visible, this.#state.view.rows))
    this.#dispatch({ kind: 'scrolled' })
    this.#windows.evict()
  }

  /** Another view of the same table. The old rows stay until the new ones are here. */
  setQuery(query: GridQuery): void {
    const isSame = isSameView(query, this.#reader.query)
    this.#reader.setQuery(query)
    // What is being read would be thrown away, and read once more.
    if (!isSame) this.#dispatch({ kind: 'view changed' })
  }

  /** Shows a local write before the database has told of it. */
  patch(id: string, values: Readonly<Record<string, FieldValue>>): void {
    if (this.#windows.patch(id, values)) this.#dispatch({ kind: 'rows changed' })
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
    const rows = await this.#reader.readRows(first, last - first + 1, this.#layout)
    return rows.filter((row) => row !== undefined)
  }

  /** Asks for something else of the view than its rows, and after those that are in sight. */
  async ask<Row extends object>(sqlOf: (query: GridQuery) => SqlPart): Promise<Row> {
    await this.#refreshed
    return this.#reader.get(sqlOf)
  }

  [Symbol.dispose](): void {
    this.#dispatch({ kind: 'closed' })
  }

  #dispatch(event: RowWindowsEvent): void {
    const before = this.#state
    const { state, effects } = transition(before, event)
    this.#state = state
    if (state.view !== before.view) for (const listener of this.#listeners) listener()
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: RowWindowsEffect): void {
    switch (effect) {
      case 'watch tables':
        this.#stopWatching()
        this.#stopWatching = this.#watch()
        break
      case 'start refresh':
        this.#refreshed = this.#refresh()
        break
      case 'start fill':
        void this.#fill()
        break
      case 'release everything':
        this.#stopWatching()
        this.#listeners.clear()
        break
      default:
        effect satisfies never
    }
  }

  #watch(): () => void {
    return this.#database.onChange(
      {
        onChange: () => {
          const { isRefreshing } = this.#state
          this.#dispatch({ kind: 'tables changed' })
          return isRefreshing ? undefined : this.#refreshed
        },
      },
      { tables: [...tablesOfQuery(this.#reader.query)], throttleMs: CHANGE_THROTTLE_MS },
    )
  }

  /** Counts again and reads the visible windows again; the other windows are forgotten, and those beside it read after it. */
  async #refresh(): Promise<void> {
    try {
      let generation: number
      do {
        ;({ generation } = this.#state)
        await this.#readAgain(generation)
      } while (!isCurrent(this.#state, generation) && this.#state.kind === 'open')
    } finally {
      this.#dispatch({ kind: 'refresh ended' })
    }
  }

  async #readAgain(generation: number): Promise<void> {
    try {
      await this.#reader.chooseIndexed()
      if (!isCurrent(this.#state, generation)) return
      if (this.#reader.query.grouping) await this.#readGrouped(generation)
      else await this.#readUngrouped(generation)
    } catch (error) {
      if (isCurrent(this.#state, generation)) this.#fail(error)
    }
  }

  async #readUngrouped(generation: number): Promise<void> {
    const isFirst = this.#state.content === 'unread' && this.#visible.first < WINDOW_ROWS
    if (isFirst && !(await this.#readFirst(generation))) return
    const numbers = windowsInSight(this.#visible, this.#state.view.rows)
    const [read, count] = await Promise.all([
      Promise.all(numbers.map((number) => this.#reader.readWindow(number, undefined))),
      this.#reader.count(),
    ])
    if (!isCurrent(this.#state, generation)) return
    this.#layout = undefined
    this.#dispatch({ kind: 'rows read', count, hasChanged: this.#windows.replaceAll(read) })
  }

  /** Reads the windows in sight of a grouped view, and takes them together with its headers. */
  async #readGrouped(generation: number): Promise<void> {
    const layout = await this.#reader.layOut(this.#state.content === 'toggled')
    if (!layout || !isCurrent(this.#state, generation)) return
    const numbers = windowsInSight(this.#visible, layout.places)
    const read = await Promise.all(numbers.map((number) => this.#reader.readWindow(number, layout)))
    if (!isCurrent(this.#state, generation)) return
    this.#layout = layout
    this.#windows.replaceAll(read)
    this.#dispatch({ kind: 'groups read', records: layout.records, places: layout.places, levels: layout.levels })
  }

  /**
   * Shows the first rows of a view as soon as they are read: counting all may take longer than a person waits. A view of
   * which one window has all rows is counted with that.
   *
   * @returns false when the rest of the reading is not needed, or no longer wanted
   */
  async #readFirst(generation: number): Promise<boolean> {
    const first = await this.#reader.readWindow(0, undefined)
    if (!isCurrent(this.#state, generation)) return false
    const isAll = first.rows.length < WINDOW_ROWS
    this.#layout = undefined
    this.#windows.replaceAll([first])
    this.#dispatch({ kind: 'first rows read', rows: first.rows.length, isAll })
    return !isAll
  }

  /**
   * Reads the missing windows, one after another. Which ones are missing is looked up again after each: a window that
   * was scrolled past in the meantime is not read.
   */
  async #fill(): Promise<void> {
    try {
      for (let number = this.#nextMissing(); number !== undefined; number = this.#nextMissing()) {
        const { generation } = this.#state
        const { rows } = await this.#reader.readWindow(number, this.#layout)
        if (!isCurrent(this.#state, generation)) continue
        this.#windows.set(number, rows)
        this.#dispatch({ kind: 'rows changed' })
      }
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#dispatch({ kind: 'fill ended' })
    }
  }

  /** The nearest wanted window that is not here. */
  #nextMissing(): number | undefined {
    const { kind, view } = this.#state
    if (kind === 'closed' || view.rows === undefined) return undefined
    return wantedWindows(this.#visible, view.rows).find((number) => !this.#windows.has(number))
  }

  #fail(error: unknown): void {
    this.#dispatch({ kind: 'failed', error: toError(error) })
  }
}

/** Whether two queries ask for the same rows, columns and order. */
function isSameView(a: GridQuery, b: GridQuery): boolean {
  const textOf = (query: GridQuery): string => JSON.stringify({ ...query, grouping: undefined, candidates: undefined })
  const isFoundAlike = a.candidates === b.candidates || a.search.trim() === ''
  return a === b || (isFoundAlike && a.grouping === b.grouping && textOf(a) === textOf(b))
}
