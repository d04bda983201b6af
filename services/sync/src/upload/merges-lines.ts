import { isLongText } from '@holdfast/protocol'

/** A column that may contain long texts. */
interface TextColumn {
  readonly column: string
  /** Base type as printed by `format_type`, with or without a length. */
  readonly type: string
  /** Whether the table compares whole rows, which disables merging. */
  readonly row_guarded: boolean
}

/**
 * Whether versions of a column are merged line by line.
 *
 * @param declared - set with `sync.merge_lines`; `null` if nothing was declared for the table, so the column's name decides
 */
export function mergesLines(declared: boolean | null, { column, type, row_guarded }: TextColumn): boolean {
  if (row_guarded) return false
  return declared ?? ((type === 'text' || type.startsWith('character varying')) && isLongText(column))
}
