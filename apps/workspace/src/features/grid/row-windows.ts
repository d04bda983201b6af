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

/** Minimum interval in ms between reactions to table changes. */
const CHANGE_THROTTLE_MS = 50

/** Keeps the rows of a view current, in windows around the visible rows. `row-windows-state.ts` decides what is read when. */
export class RowWindows implements Disposable {
  readonly #database: RowSource
  readonly #reader: RowReader
  readonly #windows = new WindowCache()
  readonly #listeners = new Set<() => void>()
  #state = UNREAD
  #visible: VisibleRows = { first: 0, last: 0 }
  #stopWatching: () => void = () => undefined
  /** Resolves when the visible rows have been read. */
  #refreshed: Promise<void> = Promise.resolve()
  /** Positions of the group headers; `undefined`: the shown view is ungrouped. */
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

  /** Returns the row at a position, if its window is loaded. The object stays the same until the row changes. */
  row(index: number): GridRow | undefined {
    return this.#windows.row(index)
  }

  /** Returns the group whose header is at a position. */
  groupAt(index: number): RowGroup | undefined {
    return this.#layout?.groupAt(index)
  }

  /** Returns the record number at a position, from 1, not counting group headers. */
  numberAt(index: number): number {
    return (this.#layout ? this.#layout.recordAt(index) : index) + 1
  }

  /** Toggles a group or, given a boolean, expands or collapses all. */
  toggleGroup(group: string | boolean): void {
    const { grouping } = this.#reader.query
    if (typeof group === 'string') grouping?.toggle(group)
    else grouping?.toggleAll(group)
    this.#dispatch({ kind: 'groups toggled' })
  }

  /** Returns the position of a loaded row. */
  indexOf(id: string): number | undefined {
    return this.#windows.indexOf(id)
  }

  /** Sets the visible range. Its windows and one more on each side are loaded and kept current. */
  show(first: number, last: number): void {
    this.#visible = { first, last }
    this.#windows.use(wantedWindows(this.#visible, this.#state.view.rows))
    this.#dispatch({ kind: 'scrolled' })
    this.#windows.evict()
  }

  /** Sets another view of the same table. The old rows stay until the new ones arrive. */
  setQuery(query: GridQuery): void {
    const isSame = isSameView(query, this.#reader.query)
    this.#reader.setQuery(query)
    // Results of the running read would be discarded and read again.
    if (!isSame) this.#dispatch({ kind: 'view changed' })
  }

  /** Shows a local write before the database reports it. */
  patch(id: string, values: Readonly<Record<string, FieldValue>>): void {
    if (this.#windows.patch(id, values)) this.#dispatch({ kind: 'rows changed' })
  }

  /**
   * Like {@link patch}, for as long as the write takes. On a slow device a read may return rows from before the write, which would revert the typed text.
   *
   * @returns a function that ends it; from then on the database's values apply
   */
  hold(id: string, values: Readonly<Record<string, FieldValue>>): () => void {
    const held = { id, values }
    this.#windows.hold(held)
    this.patch(id, values)
    return () => this.#windows.release(held)
  }

  /** Reads a range of the view, visible or not, for copying. */
  async read(first: number, last: number): Promise<readonly GridRow[]> {
    const rows = await this.#reader.readRows(first, last - first + 1, this.#layout)
    return rows.filter((row) => row !== undefined)
  }

  /** Runs another query on the view, after the visible rows have been read. */
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

  /** Recounts and rereads the visible windows. Drops all other windows and then rereads those next to the visible ones. */
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

  /** Reads the visible windows of a grouped view and applies them together with the headers. */
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
   * Shows the first rows of a view as soon as they are read, because counting may take long. If one window has all rows, that is the count.
   *
   * @returns false if the remaining reads are unnecessary or outdated
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

  /** Reads the missing windows one by one. Determines the next one after each read, so that windows scrolled past are skipped. */
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

  /** Returns the nearest wanted window that is not loaded. */
  #nextMissing(): number | undefined {
    const { kind, view } = this.#state
    if (kind === 'closed' || view.rows === undefined) return undefined
    return wantedWindows(this.#visible, view.rows).find((number) => !this.#windows.has(number))
  }

  #fail(error: unknown): void {
    this.#dispatch({ kind: 'failed', error: toError(error) })
  }
}

/** Whether two queries request the same rows, columns and order. */
function isSameView(a: GridQuery, b: GridQuery): boolean {
  const textOf = (query: GridQuery): string => JSON.stringify({ ...query, grouping: undefined, candidates: undefined })
  const isFoundAlike = a.candidates === b.candidates || a.search.trim() === ''
  return a === b || (isFoundAlike && a.grouping === b.grouping && textOf(a) === textOf(b))
}
