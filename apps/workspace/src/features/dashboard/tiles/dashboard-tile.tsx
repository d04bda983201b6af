import type { DashboardTile } from '@holdfast/protocol'
import { type JSX, type ReactNode, useCallback, useRef, useState } from 'react'
import { BarChart3, Download, Maximize, Minimize, Table2 } from 'lucide-react'
import { MenuItem, MenuSeparator } from '../../../components/menu.tsx'
import { Skeleton } from '../../../components/skeleton.tsx'
import { renderCsv } from '../../../lib/csv.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import { useTile } from '../data/use-tile.ts'
import { MoveHandle } from '../editor/tile-handles.tsx'
import type { SharedFilters } from '../shared-filters.ts'
import { useIsSeen } from '../use-is-seen.ts'
import { CalendarTile } from './calendar-tile.tsx'
import { ChartTile } from './chart-tile.tsx'
import { MapTile } from './map-tile.tsx'
import { NoTable, useDeletedTable } from './no-table.tsx'
import { NumberTile } from './number-tile.tsx'
import type { FigureRows, ShownTile } from './shown-tile.tsx'
import { TileNote } from './shown-tile.tsx'
import { TableTile } from './table-tile.tsx'
import { TileFrame } from './tile-frame.tsx'
import { tileTitle } from './tile-title.ts'

const ICON = { size: 16, 'aria-hidden': true } as const

export interface DashboardTileProps {
  readonly tile: DashboardTile
  readonly shared: SharedFilters
  readonly workspace: string
  readonly isAlone?: boolean
  /** Fills the page, or returns; absent in a preview. */
  readonly onAlone?: () => void
  /** Further entries of the menu, for who may change the dashboard. */
  readonly editing?: ReactNode
  /** Absent unless the dashboard is edited. */
  readonly moving?: Omit<Parameters<typeof MoveHandle>[0], 'title'> | undefined
}

/** One tile: its heading and menu, and what it shows. */
export function DashboardTileView({
  tile,
  shared,
  workspace,
  isAlone = false,
  onAlone,
  editing,
  moving,
}: DashboardTileProps): JSX.Element {
  const element = useRef<HTMLDivElement>(null)
  const isSeen = useIsSeen(element)
  const resolved = useTile(tile, shared, isSeen)
  const [isTable, setTable] = useState(false)
  const figures = useRef<FigureRows>(undefined)
  const [hasFigures, setHasFigures] = useState(false)
  const onFigures = useCallback((rows: FigureRows | undefined) => {
    figures.current = rows
    setHasFigures(rows !== undefined)
  }, [])
  const isReady = resolved !== undefined && !('problem' in resolved)
  const deleted = useDeletedTable(resolved === undefined ? tile.table : undefined)
  const title = isReady ? tileTitle(tile, resolved.table, resolved.query) : (tile.title ?? deleted?.label ?? tile.table)
  const canSwitch = tile.kind !== 'table' && isReady
  return (
    <div ref={element} className="flex h-full min-h-0 flex-col gap-1.5">
      <TileFrame
        title={title}
        workspace={workspace}
        records={isReady && resolved.query ? { table: resolved.table.name, filter: resolved.query.filter } : undefined}
        handles={moving ? <MoveHandle title={title} {...moving} /> : null}
        menu={
          <>
            {canSwitch ? (
              <MenuItem
                icon={isTable ? <BarChart3 {...ICON} /> : <Table2 {...ICON} />}
                onAction={() => setTable(!isTable)}
              >
                {isTable ? words.showChart : words.showTable}
              </MenuItem>
            ) : null}
            {onAlone ? (
              <MenuItem icon={isAlone ? <Minimize {...ICON} /> : <Maximize {...ICON} />} onAction={onAlone}>
                {isAlone ? words.back : words.fullScreen}
              </MenuItem>
            ) : null}
            <MenuItem
              icon={<Download {...ICON} />}
              isDisabled={!hasFigures}
              onAction={() => saveFile(`${title}.csv`, renderCsv(figures.current ?? []), 'text/csv;charset=utf-8')}
            >
              {words.exportCsv}
            </MenuItem>
            {editing ? <MenuSeparator /> : null}
            {editing}
          </>
        }
      >
        {resolved === undefined ? (
          <NoTable name={tile.table} deleted={deleted} />
        ) : 'problem' in resolved ? (
          <TileNote title={words.failed}>{resolved.problem}</TileNote>
        ) : resolved.query === undefined ? (
          <Skeleton rows={3} />
        ) : (
          <TileContent
            {...{ tile, workspace, title, isSeen, isTable, isAlone, onFigures }}
            table={resolved.table}
            fields={resolved.fields}
            query={resolved.query}
          />
        )}
      </TileFrame>
    </div>
  )
}

function TileContent(props: ShownTile & { readonly query: Parameters<typeof NumberTile>[0]['query'] }): JSX.Element {
  switch (props.tile.kind) {
    case 'number':
      return <NumberTile {...props} />
    case 'bar':
    case 'line':
    case 'stacked':
      return <ChartTile {...props} />
    case 'table':
      return <TableTile {...props} />
    case 'map':
      return <MapTile {...props} />
    case 'calendar':
      return <CalendarTile {...props} />
    default:
      return props.tile.kind satisfies never
  }
}
