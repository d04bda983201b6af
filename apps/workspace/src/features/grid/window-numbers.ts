import { WINDOW_ROWS } from './window-cache.ts'

/** The visible rows of a view. */
export interface VisibleRows {
  readonly first: number
  readonly last: number
}

/** @param count - number of rows in the view; `undefined` before they are counted */
export function windowsInSight({ first, last }: VisibleRows, count: number | undefined): readonly number[] {
  return numbersBetween(windowOf(first), windowOf(last), count)
}

/** Returns the visible windows and one on each side, nearest to the middle first. */
export function wantedWindows({ first, last }: VisibleRows, count: number | undefined): readonly number[] {
  const middle = windowOf((first + last) / 2)
  return numbersBetween(windowOf(first) - 1, windowOf(last) + 1, count).toSorted(
    (a, b) => Math.abs(a - middle) - Math.abs(b - middle),
  )
}

function windowOf(row: number): number {
  return Math.floor(row / WINDOW_ROWS)
}

/** Returns window numbers, limited to those that exist in the view. */
function numbersBetween(from: number, to: number, count: number | undefined): readonly number[] {
  const first = Math.max(0, from)
  const last = count === undefined ? to : Math.min(to, Math.max(0, Math.ceil(count / WINDOW_ROWS) - 1))
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
}
