import type { DashboardTile, UnreadTile } from '@holdfast/protocol'
import { type JSX, useRef } from 'react'
import { Copy, MoveLeft, MoveRight, Pencil, Trash2 } from 'lucide-react'
import { MenuItem } from '../../components/menu.tsx'
import { cx } from '../../lib/cx.ts'
import { dashboardMessages as words } from '../../messages/dashboard.ts'
import type { Tiles } from './editor/layout-changes.ts'
import { ResizeHandle } from './editor/tile-handles.tsx'
import { type Arrangement, useArrangement } from './editor/use-arrangement.ts'
import type { SharedFilters } from './shared-filters.ts'
import { DashboardTileView } from './tiles/dashboard-tile.tsx'
import { TileNote } from './tiles/shown-tile.tsx'

const WIDTHS = [
  '',
  'col-span-2 @xl:col-span-1',
  'col-span-2',
  'col-span-2 @4xl:col-span-3',
  'col-span-2 @4xl:col-span-4',
] as const
const HEIGHTS = ['', 'row-span-1', 'row-span-2', 'row-span-3'] as const
/** On paper a tile is as high as what it shows. */
const PRINTED = { number: 'print:h-32', table: 'print:h-auto print:col-span-2' } as const
const ICON = { size: 16, 'aria-hidden': true } as const

export interface TileActions {
  /** @returns whether the change is stored */
  readonly onTiles: (tiles: Tiles, label: string) => Promise<boolean>
  readonly onEdit: (tile: DashboardTile) => void
  readonly onDuplicate: (tile: DashboardTile) => void
  readonly onDelete: (tile: DashboardTile | UnreadTile) => Promise<void>
}

/** The tiles in a grid of four columns, or two in a narrow window. On a phone only numbers lie side by side. */
export function DashboardGrid({ tiles: stored, actions, ...rest }: GridProps & { readonly tiles: Tiles }): JSX.Element {
  const list = useRef<HTMLUListElement>(null)
  const arrangement = useArrangement(stored, actions?.onTiles, list)
  const shown = new Map(arrangement.tiles.map((tile) => [tile.id, tile]))
  return (
    <div className="@container">
      <p role="status" className="sr-only">
        {arrangement.said}
      </p>
      <ul
        ref={list}
        className="grid auto-rows-[9.5rem] grid-cols-2 gap-3 @4xl:grid-cols-4 print:auto-rows-auto print:grid-cols-2"
      >
        {stored.map((tile) => (
          <GridTile key={tile.id} tile={shown.get(tile.id) ?? tile} {...{ arrangement, actions }} {...rest} />
        ))}
      </ul>
    </div>
  )
}

interface GridProps {
  readonly shared: SharedFilters
  readonly workspace: string
  readonly isEditing: boolean
  /** Absent for who may not change the dashboard. */
  readonly actions: TileActions | undefined
  readonly onAlone: (id: string) => void
}

function GridTile({
  tile,
  arrangement,
  shared,
  workspace,
  isEditing,
  actions,
  onAlone,
}: GridProps & { readonly tile: Tiles[number]; readonly arrangement: Arrangement }): JSX.Element {
  const frame = {
    'data-tile': tile.id,
    // While it is dragged, a tile only looks as if it had moved: one that moves in the document loses the pointer.
    style: { order: arrangement.placeOf(tile.id) },
  }
  if (tile.kind === 'unread') {
    return (
      <li {...frame} className={cx(tileClass(isEditing), 'row-span-1')}>
        <TileNote title={words.tileNewer}>{words.tileNewerDetail}</TileNote>
      </li>
    )
  }
  const { id, kind, width, height } = tile
  return (
    <li
      {...frame}
      className={cx(
        tileClass(isEditing),
        kind === 'number' && width === 1 ? 'col-span-1' : WIDTHS[width],
        HEIGHTS[height],
        kind === 'number' || kind === 'table' ? PRINTED[kind] : 'print:h-72',
      )}
    >
      <DashboardTileView
        {...{ tile, shared, workspace }}
        onAlone={() => onAlone(id)}
        editing={actions ? <EditEntries {...{ tile, actions }} onMove={(by) => arrangement.moveBy(id, by)} /> : null}
        moving={
          isEditing
            ? {
                onMoveBy: (by) => arrangement.moveBy(id, by),
                onDragOver: (over) => arrangement.dragOver(id, over),
                onDrop: () => arrangement.drop(words.moveTile),
              }
            : undefined
        }
      />
      {isEditing ? (
        <ResizeHandle
          title={tile.title ?? tile.table}
          {...{ width, height }}
          onResize={(wide, high) => arrangement.resize(id, wide, high)}
          onDrop={() => arrangement.drop(words.resizeTile)}
        />
      ) : null}
    </li>
  )
}

function tileClass(isEditing: boolean): string {
  return cx(
    'relative min-w-0 rounded-lg border bg-raised p-3 print:row-span-1 print:break-inside-avoid',
    isEditing ? 'border-dashed border-control' : 'border-border',
  )
}

function EditEntries({
  tile,
  actions,
  onMove,
}: {
  readonly tile: DashboardTile
  readonly actions: TileActions
  readonly onMove: (by: number) => void
}): JSX.Element {
  return (
    <>
      <MenuItem icon={<Pencil {...ICON} />} onAction={() => actions.onEdit(tile)}>
        {words.editTile}
      </MenuItem>
      <MenuItem icon={<Copy {...ICON} />} onAction={() => actions.onDuplicate(tile)}>
        {words.duplicate}
      </MenuItem>
      <MenuItem icon={<MoveLeft {...ICON} />} onAction={() => onMove(-1)}>
        {words.moveEarlier}
      </MenuItem>
      <MenuItem icon={<MoveRight {...ICON} />} onAction={() => onMove(1)}>
        {words.moveLater}
      </MenuItem>
      <MenuItem isDanger icon={<Trash2 {...ICON} />} onAction={() => void actions.onDelete(tile)}>
        {words.deleteTile}
      </MenuItem>
    </>
  )
}
