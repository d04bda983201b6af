import { useRecords } from '@holdfast/react'
import { type JSX, useMemo } from 'react'
import { pageLocale } from '../../../lib/language.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import { ColumnsChart } from '../charts/columns-chart.tsx'
import { DataTable, figuresOf } from '../charts/data-table.tsx'
import { RowsChart } from '../charts/rows-chart.tsx'
import { drillFilter } from '../data/drill.ts'
import { chartData, measureText } from '../data/tile-data.ts'
import { groupsSql, type TileQuery, type TileRow } from '../data/tile-sql.ts'
import { TILE_PAUSE_MS } from '../data/use-tile.ts'
import { Figures, type ShownTile } from './shown-tile.tsx'
import { measureLabel } from './tile-title.ts'

/** Bars, stacked bars or lines, with the figures behind them. */
export function ChartTile(props: ShownTile & { readonly query: TileQuery }): JSX.Element {
  const { tile, query, table, workspace, title, isSeen, isTable } = props
  const asked = useMemo(
    () => groupsSql(tile.kind === 'bar' ? { ...query, stack: undefined } : query),
    [tile.kind, query],
  )
  const { rows, isLoading, error } = useRecords<TileRow>(isSeen ? asked.text : '', isSeen ? asked.values : [], {
    throttleMs: TILE_PAUSE_MS,
  })
  const shown = useMemo(() => (tile.kind === 'bar' ? { ...query, stack: undefined } : query), [tile.kind, query])
  const data = useMemo(() => chartData(shown, rows), [shown, rows])
  const { measure, group } = query
  const format = (value: number | null): string => measureText(measure.field, measure.kind, value)
  const figures = figuresOf(data, group?.field.label ?? '', measureLabel(table, measure), format)
  const chart = {
    data,
    format,
    formatTick,
    linkOf: (one: (typeof data.groups)[number], part?: (typeof data.parts)[number]) =>
      drillFilter(shown, data, one, part),
    workspace,
    table: table.name,
  }
  return (
    <Figures
      {...{ error, isEmpty: rows.length === 0, isLoading: isLoading && rows.length === 0 }}
      figures={figures}
      onFigures={props.onFigures}
    >
      {isTable ? null : (
        <div role="group" aria-label={words.chartOf(title)} className="flex min-h-0 flex-1 flex-col">
          {data.isTime || tile.kind === 'line' ? (
            <ColumnsChart {...chart} isLine={tile.kind === 'line'} />
          ) : (
            <RowsChart {...chart} />
          )}
        </div>
      )}
      <DataTable caption={title} rows={figures} isHidden={!isTable} />
    </Figures>
  )
}

function formatTick(value: number): string {
  return value.toLocaleString(pageLocale(), { notation: 'compact', maximumFractionDigits: 1 })
}
