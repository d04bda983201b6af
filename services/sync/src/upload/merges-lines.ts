import { isLongText } from '@holdfast/protocol'

/** What is known of a column that may hold long texts. */
interface TextColumn {
  readonly column: string
  /** As `format_type` prints its base type, with or without a length. */
  readonly type: string
  /** The table compares whole rows: nothing in them is merged. */
  readonly row_guarded: boolean
}

/**
 * Whether versions of a column are merged by lines.
 *
 * @param declared - what `sync.merge_lines` said of it; `null`: nothing about its table, so that its name decides
 */
export function mergesLines(declared: boolean | null, { column, type, row_guarded }: TextColumn): boolean {
  if (row_guarded) return false
  return declared ?? ((type === 'text' || type.startsWith('character varying')) && isLongText(column))
}
