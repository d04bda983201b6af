import type { Selection } from './selection.ts'

/** The record that the active cell was on when the rows were last looked at. */
export interface FollowedRecord {
  readonly viewKey: string
  readonly row: number
  readonly id: string | undefined
}

/** The rows of a view as far as they have been read. */
export interface ReadRows {
  row(index: number): { readonly id: string } | undefined
  indexOf(id: string): number | undefined
}

/**
 * Keeps the selection on its record when rows come, go or move.
 *
 * @param last - what the previous call returned; `undefined` at first
 * @returns the record to follow from now on, and the moved selection when the record has another row now
 */
export function followActive(
  last: FollowedRecord | undefined,
  { rows, viewKey, selection }: { readonly rows: ReadRows; readonly viewKey: string; readonly selection: Selection },
): { readonly followed: FollowedRecord; readonly moved: Selection | undefined } {
  const { row } = selection.active
  const id = rows.row(row)?.id
  // A row that was not read, another view and another active row are no move of the record.
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
