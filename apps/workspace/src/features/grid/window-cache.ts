import type { FieldValue } from '../../lib/fields/field.ts'

/** A row as the local database has it, with `@<column>` for what links are called. */
export type GridRow = Readonly<Record<string, FieldValue>> & { readonly id: string }

export const WINDOW_ROWS = 100
export const WINDOWS_MAX = 30

/** The rows of a window by their places; in a grouped view there are headers between them. */
export type WindowRows = readonly (GridRow | undefined)[]

/** Values of a row that are on their way to the database. */
export interface HeldValues {
  readonly id: string
  readonly values: Readonly<Record<string, FieldValue>>
}

/** The rows of a view that have been read, in windows of {@link WINDOW_ROWS} by number. The longest unused are evicted first. */
export class WindowCache {
  /** In the order of use. */
  readonly #windows = new Map<number, WindowRows>()
  /** What was typed and is not stored yet, the latest last: it stands above what is read. */
  readonly #held = new Set<HeldValues>()

  has(number: number): boolean {
    return this.#windows.has(number)
  }

  row(index: number): GridRow | undefined {
    return this.#windows.get(Math.floor(index / WINDOW_ROWS))?.[index % WINDOW_ROWS]
  }

  indexOf(id: string): number | undefined {
    for (const [number, rows] of this.#windows) {
      const at = rows.findIndex((row) => row?.id === id)
      if (at >= 0) return number * WINDOW_ROWS + at
    }
    return undefined
  }

  set(number: number, rows: WindowRows): void {
    this.#windows.set(number, this.#withHeld(rows))
  }

  /** Says that these windows are in use now. */
  use(numbers: readonly number[]): void {
    for (const number of numbers) {
      const rows = this.#windows.get(number)
      if (!rows) continue
      this.#windows.delete(number)
      this.#windows.set(number, rows)
    }
  }

  evict(): void {
    for (const number of this.#windows.keys()) {
      if (this.#windows.size <= WINDOWS_MAX) return
      this.#windows.delete(number)
    }
  }

  /** Changes values of one row. @returns whether the row is here */
  patch(id: string, values: Readonly<Record<string, FieldValue>>): boolean {
    for (const [number, rows] of this.#windows) {
      if (!rows.some((row) => row?.id === id)) continue
      this.#windows.set(
        number,
        rows.map((row) => (row?.id === id ? { ...row, ...values } : row)),
      )
      return true
    }
    return false
  }

  /** Keeps values of a row above what is read, until they are {@link release}d. */
  hold(held: HeldValues): void {
    this.#held.add(held)
  }

  release(held: HeldValues): void {
    this.#held.delete(held)
  }

  /**
   * Takes windows that were read again and forgets all others. A row in which nothing changed stays the same object.
   *
   * @returns whether anything changed in the given windows
   */
  replaceAll(read: readonly { readonly number: number; readonly rows: WindowRows }[]): boolean {
    const fresh = new Map(
      read.map(({ number, rows }) => [number, shareRows(this.#windows.get(number), this.#withHeld(rows))]),
    )
    const hasChanged = [...fresh].some(([number, rows]) => rows !== this.#windows.get(number))
    for (const number of this.#windows.keys()) if (!fresh.has(number)) this.#windows.delete(number)
    for (const [number, rows] of fresh) this.#windows.set(number, rows)
    return hasChanged
  }

  #withHeld(rows: WindowRows): WindowRows {
    if (this.#held.size === 0) return rows
    return rows.map((row) => {
      const own = row ? [...this.#held].filter(({ id }) => id === row.id) : []
      return row && own.length > 0 ? Object.assign({}, row, ...own.map(({ values }) => values)) : row
    })
  }
}

/** The new rows, with the old object for each one in which nothing changed; the old list when nothing changed at all. */
export function shareRows(old: WindowRows | undefined, fresh: WindowRows): WindowRows {
  if (!old) return fresh
  const byId = new Map(old.flatMap((row) => (row ? [[row.id, row] as const] : [])))
  const shared = fresh.map((row) => {
    const known = row && byId.get(row.id)
    return row && known && isSameRow(known, row) ? known : row
  })
  return shared.length === old.length && shared.every((row, index) => row === old[index]) ? old : shared
}

function isSameRow(a: GridRow, b: GridRow): boolean {
  const names = Object.keys(b)
  return names.length === Object.keys(a).length && names.every((name) => a[name] === b[name])
}
