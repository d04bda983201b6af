import { useRecords } from '@holdfast/react'
import type { JSX } from 'react'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import { MarkLink } from '../charts/mark-link.tsx'
import { DataTable } from '../charts/data-table.tsx'
import { allOf } from '../data/drill.ts'
import { measureText } from '../data/tile-data.ts'
import { numberSql, type TileQuery } from '../data/tile-sql.ts'
import { TILE_PAUSE_MS } from '../data/use-tile.ts'
import { Figures, type ShownTile } from './shown-tile.tsx'
import { measureLabel } from './tile-title.ts'

/** One large number. */
export function NumberTile({
  query,
  table,
  workspace,
  title,
  isSeen,
  isTable,
  isAlone,
  onFigures,
}: ShownTile & { readonly query: TileQuery }): JSX.Element {
  const asked = numberSql(query)
  const { rows, isLoading, error } = useRecords<{ readonly n: number; readonly v: number | null }>(
    isSeen ? asked.text : '',
    isSeen ? asked.values : [],
    { throttleMs: TILE_PAUSE_MS },
  )
  const [row] = rows
  const { measure } = query
  const text = measureText(measure.field, measure.kind, row?.v ?? null)
  const figures = [[measureLabel(table, measure)], [text]]
  return (
    <Figures {...{ error, figures, onFigures }} isEmpty={false} isLoading={isLoading && !row}>
      {isTable ? (
        <DataTable caption={title} rows={figures} isHidden={false} />
      ) : (
        <div className="flex min-h-0 flex-1 flex-col justify-center">
          <MarkLink
            {...{ workspace }}
            table={table.name}
            filter={allOf(query.fields, [query.filter])}
            label={`${title}: ${text}`}
            isFirst
            className={
              isAlone
                ? 'w-fit max-w-full rounded-sm text-[4rem] leading-tight font-semibold tabular-nums no-underline [overflow-wrap:anywhere]'
                : 'w-fit max-w-full rounded-sm text-[2.25rem] leading-tight font-semibold tabular-nums no-underline [overflow-wrap:anywhere] hover:text-accent'
            }
          >
            {text}
          </MarkLink>
          {measure.kind === 'count' ? null : <p className="text-small text-muted">{words.records(row?.n ?? 0)}</p>}
        </div>
      )}
    </Figures>
  )
}
