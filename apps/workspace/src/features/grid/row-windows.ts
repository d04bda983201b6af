import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { FieldValue } from '../../lib/fields/field.ts'
import { countSql, type GridQuery, tablesOfQuery, windowSql } from './query/grid-query.ts'

/** A row as the local database has it, with `@<column>` for what links are called. */
export type GridRow = Readonly<Record<string, FieldValue>> & { readonly id: string }

export const WINDOW_ROWS = 100
export const WINDOWS_MAX = 30
/** Changes of the tables are looked at at most this often, in milliseconds. */
export const CHANGE_THROTTLE_MS = 50

export interface WindowsState {
  /** Rows of the view; `undefined` before the first count. */
  readonly count: number | undefined
  readonly error: Error | undefined
  /** Grows with every change of the rows that are here. */
  readonly version: number
}

/** The rows of a view, read in windows around what is visible and kept current. */
export interface RowWindows extends Disposable {
  getState(): WindowsState
  subscribe(listener: () => void): () => void
  /** The row at a position of the view, when its window is here. The same object as long as nothing in it changed. */
  row(index: number): GridRow | undefined
  /** Where a row of the windows that are here is. */
  indexOf(id: string): number | undefined
  /** Tells what is visible: its windows are read, one more on each side, and kept current. */
  show(first: number, last: number): void
  /** Another view of the same table. The old rows stay until the new ones are here. */
  setQuery(query: GridQuery): void
  /** Shows a local write before the database has told of it. */
  patch(id: string, values: Readonly<Record<string, FieldValue>>): void
  /** Reads a stretch of the view that need not be visible, for copying. */
  read(first: number, last: number): Promise<readonly GridRow[]>
}

export function openRowWindows(database: CommonPowerSyncDatabase, firstQuery: GridQuery): RowWindows {
  let query = firstQuery
  let state: WindowsState = { count: undefined, error: undefined, version: 0 }
  /** By number of the window, the longest unused first. */
  const windows = new Map<number, readonly GridRow[]>()
  const listeners = new Set<() => void>()
  let visible = { first: 0, last: 0 }
  /** Answers of an older generation are of another view or another moment. */
  let generation = 0
  let stopWatching = watch()
  let isClosed = false
  let isFilling = false
  void refresh()

  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    row(index) {
      return windows.get(Math.floor(index / WINDOW_ROWS))?.[index % WINDOW_ROWS]
    },
    indexOf(id) {
      for (const [number, rows] of windows) {
        const at = rows.findIndex((row) => row.id === id)
        if (at >= 0) return number * WINDOW_ROWS + at
      }
      return undefined
    },
    show(first, last) {
      visible = { first, last }
      for (const number of wanted()) {
        const rows = windows.get(number)
        if (!rows) continue
        windows.delete(number)
        windows.set(number, rows)
      }
      void fill()
      for (const number of windows.keys()) {
        if (windows.size <= WINDOWS_MAX) break
        windows.delete(number)
      }
    },
    setQuery(next) {
      query = next
      // That nothing fitted the last view says nothing about this one.
      if (state.count === 0) change({ count: undefined })
      stopWatching()
      stopWatching = watch()
      void refresh()
    },
    patch(id, values) {
      for (const [number, rows] of windows) {
        if (!rows.some((row) => row.id === id)) continue
        windows.set(
          number,
          rows.map((row) => (row.id === id ? { ...row, ...values } : row)),
        )
        change({})
        return
      }
    },
    async read(first, last) {
      const { text, values } = windowSql(query, first, last - first + 1)
      return database.getAll<GridRow>(text, [...values])
    },
    [Symbol.dispose]() {
      isClosed = true
      generation += 1
      stopWatching()
      listeners.clear()
    },
  }

  function watch(): () => void {
    return database.onChange(
      {
        onChange: () => refresh(),
      },
      { tables: [...tablesOfQuery(query)], throttleMs: CHANGE_THROTTLE_MS },
    )
  }

  /** Counts again and reads what is in sight again; the other windows are forgotten, and those beside it read after it. */
  async function refresh(): Promise<void> {
    const mine = ++generation
    try {
      const { text, values } = countSql(query)
      const [counted, ...read] = await Promise.all([
        database.get<{ readonly rows: number }>(text, [...values]),
        ...inSight().map((number) => readWindow(number)),
      ])
      if (mine !== generation) return
      const fresh = new Map(read.map(({ number, rows }) => [number, shareRows(windows.get(number), rows)]))
      const isSame =
        counted.rows === state.count &&
        [...fresh].every(([number, rows]) => rows === windows.get(number)) &&
        !state.error
      for (const number of windows.keys()) if (!fresh.has(number)) windows.delete(number)
      for (const [number, rows] of fresh) windows.set(number, rows)
      if (!isSame) change({ count: counted.rows, error: undefined })
      void fill()
    } catch (error) {
      if (mine === generation && !isClosed) change({ error: error instanceof Error ? error : new Error(String(error)) })
    }
  }

  /**
   * Reads what is wanted and not here, one window after another. What is wanted is asked again after each: a window that
   * was scrolled past in the meantime is not read.
   */
  async function fill(): Promise<void> {
    if (isFilling) return
    isFilling = true
    try {
      for (;;) {
        const number = state.count === undefined ? undefined : missing()
        if (number === undefined) return
        const mine = generation
        const { rows } = await readWindow(number)
        if (mine !== generation) continue
        windows.set(number, rows)
        change({})
      }
    } catch (error) {
      if (!isClosed) change({ error: error instanceof Error ? error : new Error(String(error)) })
    } finally {
      isFilling = false
    }
  }

  /** The nearest wanted window that is not here. */
  function missing(): number | undefined {
    if (isClosed) return undefined
    const middle = Math.floor((visible.first + visible.last) / 2 / WINDOW_ROWS)
    return wanted()
      .filter((number) => !windows.has(number))
      .toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0]
  }

  async function readWindow(number: number): Promise<{ readonly number: number; readonly rows: readonly GridRow[] }> {
    const { text, values } = windowSql(query, number * WINDOW_ROWS, WINDOW_ROWS)
    return { number, rows: await database.getAll<GridRow>(text, [...values]) }
  }

  function inSight(): readonly number[] {
    return numbersFrom(Math.floor(visible.first / WINDOW_ROWS), Math.floor(visible.last / WINDOW_ROWS))
  }

  /** The visible windows and one on each side. */
  function wanted(): readonly number[] {
    return numbersFrom(Math.floor(visible.first / WINDOW_ROWS) - 1, Math.floor(visible.last / WINDOW_ROWS) + 1)
  }

  /** Numbers of windows that the view can have. */
  function numbersFrom(from: number, end: number): readonly number[] {
    const first = Math.max(0, from)
    const last = state.count === undefined ? end : Math.min(end, Math.max(0, Math.ceil(state.count / WINDOW_ROWS) - 1))
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
  }

  function change(part: Partial<WindowsState>): void {
    state = { ...state, ...part, version: state.version + 1 }
    for (const listener of listeners) listener()
  }
}

/** The new rows, with the old object for each one in which nothing changed; the old list when nothing changed at all. */
export function shareRows(old: readonly GridRow[] | undefined, fresh: readonly GridRow[]): readonly GridRow[] {
  if (!old) return fresh
  const byId = new Map(old.map((row) => [row.id, row]))
  const shared = fresh.map((row) => {
    const known = byId.get(row.id)
    return known && isSameRow(known, row) ? known : row
  })
  return shared.length === old.length && shared.every((row, index) => row === old[index]) ? old : shared
}

function isSameRow(a: GridRow, b: GridRow): boolean {
  const names = Object.keys(b)
  return names.length === Object.keys(a).length && names.every((name) => a[name] === b[name])
}
