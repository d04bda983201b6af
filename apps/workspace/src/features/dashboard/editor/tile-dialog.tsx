import { type DashboardTile, TILE_KINDS, type TileKind } from '@holdfast/protocol'
import { CalendarDays, ChartColumnStacked, ChartLine, ChartNoAxesColumn, Hash, MapPin, Table2 } from 'lucide-react'
import { createElement, type JSX, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Select } from '../../../components/select.tsx'
import { useToday } from '../../../hooks/use-today.ts'
import { cx } from '../../../lib/cx.ts'
import { useTables } from '../../../lib/data/use-tables.tsx'
import { useFields } from '../../../lib/fields/use-fields.ts'
import { commonMessages } from '../../../messages/common.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import type { OfferedFilter } from '../filter-bar.tsx'
import type { SharedFilters } from '../shared-filters.ts'
import { DashboardTileView } from '../tiles/dashboard-tile.tsx'
import { TileNote } from '../tiles/shown-tile.tsx'
import { cleaned, missing, type TileChange, withKind } from './tile-change.ts'
import { TileSettings } from './tile-settings.tsx'

const KIND_ICONS = {
  number: Hash,
  bar: ChartNoAxesColumn,
  line: ChartLine,
  stacked: ChartColumnStacked,
  table: Table2,
  map: MapPin,
  calendar: CalendarDays,
} as const satisfies Readonly<Record<TileKind, unknown>>

const NO_FILTERS: SharedFilters = { filters: [], chosen: { kind: 'all', nodes: [] } }

/** The settings of a tile beside what it will show. */
export function TileDialog({
  tile: initial,
  isNew,
  offered,
  workspace,
  onSave,
  onClose,
}: {
  readonly tile: DashboardTile
  readonly isNew: boolean
  /** Filters of the dashboard. */
  readonly offered: readonly OfferedFilter[]
  readonly workspace: string
  readonly onSave: (tile: DashboardTile) => void
  readonly onClose: () => void
}): JSX.Element {
  const [tile, setTile] = useState(initial)
  const tables = useTables()
  const table = tables.find(({ name }) => name === tile.table)
  const fields = useFields(table?.descriptor, useToday())
  const set = (change: TileChange): void => setTile((before) => cleaned({ ...before, ...change }))
  const problem = table === undefined ? words.noTable : missing(tile)
  return (
    <Dialog
      title={isNew ? words.addTile : words.editTile}
      isOpen
      size="lg"
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{commonMessages.cancel}</Button>
          <Button tone="primary" isDisabled={problem !== undefined} onPress={() => onSave(tile)}>
            {isNew ? words.addTile : words.save}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5 laptop:grid laptop:grid-cols-[1fr_1fr]">
        <div className="flex min-w-0 flex-col gap-4">
          <KindChoice kind={tile.kind} onChange={(kind) => setTile(withKind(tile, kind, fields))} />
          <Select
            label={words.table}
            value={tile.table}
            options={tables.map(({ name, label }) => ({ value: name, label }))}
            onChange={(name) =>
              setTile({ id: tile.id, kind: tile.kind, table: name, width: tile.width, height: tile.height })
            }
          />
          {table ? (
            <TileSettings key={`${tile.table} ${tile.kind}`} {...{ tile, table, fields, set, offered }} />
          ) : null}
        </div>
        <section aria-label={words.preview} className="flex min-w-0 flex-col gap-2">
          <p aria-hidden className="text-small font-medium text-muted">
            {words.preview}
          </p>
          <div className="h-80 rounded-lg border border-border bg-bg p-3">
            {problem === undefined ? (
              <DashboardTileView tile={tile} shared={NO_FILTERS} workspace={workspace} />
            ) : (
              <TileNote title={problem} />
            )}
          </div>
        </section>
      </div>
    </Dialog>
  )
}

function KindChoice({
  kind,
  onChange,
}: {
  readonly kind: TileKind
  readonly onChange: (kind: TileKind) => void
}): JSX.Element {
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="pb-1.5 text-small font-medium">{words.kind}</legend>
      <div className="grid grid-cols-4 gap-1.5">
        {TILE_KINDS.map((one) => (
          <label
            key={one}
            className={cx(
              'flex min-w-0 flex-col items-center gap-1 rounded-md border px-1 py-2 text-center text-small has-focus-visible:outline-2 has-focus-visible:outline-focus',
              one === kind ? 'border-accent bg-accent-soft text-accent' : 'border-border text-muted hover:bg-hover',
            )}
          >
            <input
              type="radio"
              name="tile-kind"
              className="sr-only"
              checked={one === kind}
              onChange={() => onChange(one)}
            />
            {createElement(KIND_ICONS[one], { size: 18, 'aria-hidden': true })}
            <span className="max-w-full [overflow-wrap:anywhere]">{words.kinds[one]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
