import type { Selection } from './selection.ts'

/** The record in the active row at the last check. */
export interface FollowedRecord {
  readonly viewKey: string
  readonly row: number
  readonly id: string | undefined
}

/** The loaded rows of a view. */
export interface ReadRows {
  row(index: number): { readonly id: string } | undefined
  indexOf(id: string): number | undefined
}

/**
 * Keeps the selection on its record when rows are added, removed or moved.
 *
 * @param last - result of the previous call; `undefined` at first
 * @returns the record to follow from now on and, if its row changed, the moved selection
 */
export function followActive(
  last: FollowedRecord | undefined,
  { rows, viewKey, selection }: { readonly rows: ReadRows; readonly viewKey: string; readonly selection: Selection },
): { readonly followed: FollowedRecord; readonly moved: Selection | undefined } {
  const { row } = selection.active
  const id = rows.row(row)?.id
  // A row that is not loaded, another view or another active row does not mean that the record moved.
  const isElsewhere = last?.viewKey === viewKey && last.row === row && last.id !== undefined && id !== last.id
  const index = isElsewhere && last.id !== undefined ? rows.indexOf(last.id) : undefined
  if (index === undefined) return { followed: { viewKey, row, id }, moved: undefined }
  return {
    followed: { viewKey, row: index, id: last?.id },
    moved: {
      active: { ...selection.active, row: index },
      anchor: { ...selection.anchor, row: Math.max(0, selection.anchor.row + index - row) },
    },
  }
}
