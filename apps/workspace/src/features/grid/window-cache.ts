import type { FieldValue } from '../../lib/fields/field.ts'

/** A row of the local database, with the titles of links in `@<column>`. */
export type GridRow = Readonly<Record<string, FieldValue>> & { readonly id: string }

export const WINDOW_ROWS = 100
export const WINDOWS_MAX = 30

/** The rows of a window by position; undefined at the headers of a grouped view. */
export type WindowRows = readonly (GridRow | undefined)[]

/** Values of a row that are being written to the database. */
export interface HeldValues {
  readonly id: string
  readonly values: Readonly<Record<string, FieldValue>>
}

/** The loaded rows of a view, in windows of {@link WINDOW_ROWS} by number. Evicts the least recently used. */
export class WindowCache {
  /** In order of use. */
  readonly #windows = new Map<number, WindowRows>()
  /** Values not stored yet, latest last. They override the loaded rows. */
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

  /** Marks these windows as used. */
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

  /** Changes values of one row. @returns whether the row is loaded */
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

  /** Overrides values of a row until they are {@link release}d. */
  hold(held: HeldValues): void {
    this.#held.add(held)
  }

  release(held: HeldValues): void {
    this.#held.delete(held)
  }

  /**
   * Replaces all windows with the given ones. Unchanged rows stay the same objects.
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

/** Returns the new rows, reusing the old object of each unchanged row; returns the old list if nothing changed. */
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
