import { type JSX, useMemo } from 'react'
import { VisuallyHidden } from '../../components/visually-hidden.tsx'
import { useToday } from '../../hooks/use-today.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useSpacedRecords } from '../../lib/data/use-spaced-records.ts'
import { useFields } from '../../lib/fields/use-fields.ts'
import { formatCount } from '../../lib/format.ts'
import type { SavedView } from '../../lib/views/use-views.ts'
import { shellMessages as words } from '../../messages/shell.ts'
import { VIEW_COUNT_MAX, viewCountQuery } from './view-count-sql.ts'

/** The number of a view's records, live; nothing for views that have no count ({@link viewCountQuery}) and until it is known. */
export function ViewCount({
  table,
  view,
}: {
  readonly table: TableInfo
  readonly view: SavedView
}): JSX.Element | null {
  const count = useViewCount(table, view)
  if (count === undefined) return null
  const isCut = count > VIEW_COUNT_MAX
  const shown = isCut ? `${formatCount(VIEW_COUNT_MAX)}+` : formatCount(count)
  return (
    <span className="pl-2 text-small font-regular text-muted tabular-nums">
      <span aria-hidden>{shown}</span>
      <VisuallyHidden>{isCut ? shown : words.rows(count)}</VisuallyHidden>
    </span>
  )
}

function useViewCount(table: TableInfo, { type, settings }: SavedView): number | undefined {
  const today = useToday()
  const fields = useFields(table.descriptor, today)
  const query = useMemo(
    () => viewCountQuery(table, { type, settings }, fields, today),
    [table, type, settings, fields, today],
  )
  const { sql, tables } = query ?? NOT_COUNTED
  return useSpacedRecords<{ readonly rows: number }>(sql.text, sql.values, tables)?.[0]?.rows
}

const NOT_COUNTED = { sql: { text: '', values: [] }, tables: [] }
