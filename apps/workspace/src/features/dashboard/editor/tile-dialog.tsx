import {
  DATE_STEPS,
  type DashboardTile,
  MEASURE_KINDS,
  TILE_COLUMNS_MAX,
  TILE_KINDS,
  type TileGroup,
  type TileKind,
} from '@holdfast/protocol'
import { CalendarDays, ChartColumnStacked, ChartLine, ChartNoAxesColumn, Hash, MapPin, Table2 } from 'lucide-react'
import { createElement, type JSX, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Checkbox } from '../../../components/checkbox.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { FilterForm } from '../../../components/filter/filter-form.tsx'
import { Select } from '../../../components/select.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { useToday } from '../../../hooks/use-today.ts'
import { cx } from '../../../lib/cx.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { useTables } from '../../../lib/data/use-tables.tsx'
import type { Field } from '../../../lib/fields/field.ts'
import { useFields } from '../../../lib/fields/use-fields.ts'
import { parseFilter, renderFilter } from '../../../lib/filters/filter-text.ts'
import { pointFields, pointLabel, renderPoint } from '../../../lib/map/point-fields.ts'
import { commonMessages } from '../../../messages/common.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import { canGroup, measuredFields, suits } from '../data/resolve-tile.ts'
import type { OfferedFilter } from '../filter-bar.tsx'
import type { SharedFilters } from '../shared-filters.ts'
import { DashboardTileView } from '../tiles/dashboard-tile.tsx'
import { TileNote } from '../tiles/shown-tile.tsx'
import { columnsOf } from '../tiles/table-tile.tsx'

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
          {table ? <Settings key={`${tile.table} ${tile.kind}`} {...{ tile, table, fields, set, offered }} /> : null}
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

/** Returns what a tile still needs. */
function missing({ kind, group, stack, measure }: DashboardTile): string | undefined {
  if ((kind === 'bar' || kind === 'line' || kind === 'stacked') && !group) return words.chooseGroup
  if (kind === 'stacked' && !stack) return words.chooseGroup
  return measure && measure.kind !== 'count' && measure.field === undefined ? words.chooseNumber : undefined
}

/** New settings of a tile; `undefined` removes one. */
type TileChange = { readonly [Key in keyof DashboardTile]?: DashboardTile[Key] | undefined }

/** Removes settings without a value. */
function cleaned(tile: TileChange): DashboardTile {
  const kept = Object.entries(tile).filter(
    ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
  )
  return Object.fromEntries(kept) as unknown as DashboardTile
}

/** Keeps the settings that the new kind has, and chooses a likely field to group by. */
function withKind(
  { id, title, table, filter, group, stack, measure, sort, fields: columns, width, height, linked }: DashboardTile,
  kind: TileKind,
  fields: readonly Field[],
): DashboardTile {
  const isChart = kind === 'bar' || kind === 'line' || kind === 'stacked'
  const grouped = fields.filter((field) => canGroup(field) && !field.isTitle)
  const first = group ?? groupBy((kind === 'line' ? grouped.find(isDate) : undefined) ?? grouped[0])
  const others = grouped.filter(({ name, isSystem }) => name !== first?.field && !isSystem)
  const second =
    stack ??
    groupBy(
      others.find((field) => field.kind === 'choice') ??
        others.find((field) => field.kind === 'link' || field.kind === 'boolean') ??
        others[0],
    )
  return cleaned({
    id,
    kind,
    title,
    table,
    filter,
    group: isChart ? first : undefined,
    stack: kind === 'stacked' ? second : kind === 'line' ? stack : undefined,
    measure: isChart || kind === 'number' ? measure : undefined,
    sort: kind === 'table' ? sort : undefined,
    fields: kind === 'table' ? columns : undefined,
    width: kind === 'number' ? 1 : Math.max(2, width),
    height: kind === 'number' ? 1 : Math.max(2, height),
    linked,
    date: undefined,
    point: undefined,
  })
}

function isDate({ kind }: Field): boolean {
  return kind === 'date' || kind === 'datetime'
}

function groupBy(field: Field | undefined): TileGroup | undefined {
  if (!field) return undefined
  return isDate(field) ? { field: field.name, by: 'month' } : { field: field.name }
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

interface SettingsProps {
  readonly tile: DashboardTile
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly set: (change: TileChange) => void
}

function Settings(props: SettingsProps & { readonly offered: readonly OfferedFilter[] }): JSX.Element {
  const { tile, fields, set } = props
  const isChart = tile.kind === 'bar' || tile.kind === 'line' || tile.kind === 'stacked'
  return (
    <>
      {isChart ? <GroupSettings {...props} label={words.groupBy} setting="group" isRequired /> : null}
      {tile.kind === 'stacked' || tile.kind === 'line' ? (
        <GroupSettings {...props} label={words.stackBy} setting="stack" isRequired={tile.kind === 'stacked'} />
      ) : null}
      {isChart || tile.kind === 'number' ? <MeasureSettings {...props} /> : null}
      {tile.kind === 'table' ? <TableSettings {...props} /> : null}
      {tile.kind === 'calendar' ? (
        <Select
          label={words.date}
          value={tile.date ?? fields.find(isDate)?.name ?? null}
          options={fields.filter(isDate).map(({ name, label }) => ({ value: name, label }))}
          onChange={(date) => set({ date })}
        />
      ) : null}
      {tile.kind === 'map' && pointFields(fields).length > 1 ? (
        <Select
          label={words.place}
          value={tile.point ?? renderPoint(pointFields(fields)[0] as NonNullable<ReturnType<typeof pointFields>[0]>)}
          options={pointFields(fields).map((point) => ({ value: renderPoint(point), label: pointLabel(point) }))}
          onChange={(point) => set({ point })}
        />
      ) : null}
      <TextField
        label={words.title}
        value={tile.title ?? ''}
        maxLength={80}
        placeholder={words.titleHint}
        onChange={(title) => set({ title })}
      />
      <div role="group" aria-label={words.filter} className="flex flex-col gap-1.5">
        <p aria-hidden className="text-small font-medium">
          {words.filter}
        </p>
        <FilterForm
          fields={fields}
          filter={parseFilter(tile.filter)}
          none={words.allOfThem}
          onChange={(filter) => set({ filter: renderFilter(filter) })}
        />
      </div>
      <LinkedFilters {...props} />
    </>
  )
}

function GroupSettings({
  tile,
  fields,
  set,
  label,
  setting,
  isRequired,
}: SettingsProps & {
  readonly label: string
  readonly setting: 'group' | 'stack'
  readonly isRequired: boolean
}): JSX.Element {
  const group = tile[setting]
  const field = fields.find(({ name }) => name === group?.field)
  const usable = fields.filter((one) => canGroup(one) && (!one.isSystem || isDate(one)))
  return (
    <div className="flex gap-2">
      <Select
        label={label}
        className="min-w-0 flex-1"
        value={group?.field ?? (isRequired ? null : '')}
        options={[
          ...(isRequired ? [] : [{ value: '', label: words.none }]),
          ...usable.map(({ name, label: text }) => ({ value: name, label: text })),
        ]}
        onChange={(name) => set({ [setting]: groupBy(usable.find((one) => one.name === name)) })}
      />
      {field && isDate(field) ? (
        <Select
          label={words.step}
          className="w-32"
          value={group?.by ?? 'month'}
          options={DATE_STEPS.map((step) => ({ value: step, label: words.steps[step] }))}
          onChange={(step) =>
            set({ [setting]: { field: field.name, by: DATE_STEPS.find((one) => one === step) ?? 'month' } })
          }
        />
      ) : null}
    </div>
  )
}

function MeasureSettings({ tile, fields, set }: SettingsProps): JSX.Element {
  const numbers = measuredFields(fields)
  const kind = tile.measure?.kind ?? 'count'
  const first = numbers[0]?.name
  return (
    <div className="flex gap-2">
      <Select
        label={words.value}
        className="min-w-0 flex-1"
        value={kind}
        options={MEASURE_KINDS.map((one) => ({
          value: one,
          label: words.measures[one],
          isDisabled: one !== 'count' && first === undefined,
        }))}
        onChange={(value) => {
          const next = MEASURE_KINDS.find((one) => one === value) ?? 'count'
          const field = tile.measure?.field ?? first
          set({ measure: next === 'count' || field === undefined ? undefined : { kind: next, field } })
        }}
      />
      {kind === 'count' ? null : (
        <Select
          label={words.valueField}
          className="min-w-0 flex-1"
          value={tile.measure?.field ?? null}
          options={numbers.map(({ name, label }) => ({ value: name, label }))}
          onChange={(field) => set({ measure: { kind, field } })}
        />
      )}
    </div>
  )
}

function TableSettings({ tile, fields, set }: SettingsProps): JSX.Element {
  const shown = columnsOf(tile.fields, fields)
  const sortable = fields.filter(({ kind }) => !['json', 'binary', 'long_text', 'uuid'].includes(kind))
  return (
    <>
      <fieldset className="flex flex-col gap-1">
        <legend className="pb-1 text-small font-medium">{words.columns}</legend>
        <div className="flex max-h-40 flex-col overflow-auto">
          {sortable.map((field) => (
            <Checkbox
              key={field.name}
              isSelected={shown.includes(field)}
              isDisabled={!shown.includes(field) && shown.length >= TILE_COLUMNS_MAX}
              onChange={(isOn) =>
                set({
                  fields: (isOn ? [...shown, field] : shown.filter((one) => one !== field)).map(({ name }) => name),
                })
              }
            >
              {field.label}
            </Checkbox>
          ))}
        </div>
      </fieldset>
      <Select
        label={words.sort}
        value={tile.sort ?? ''}
        options={[
          { value: '', label: words.noSort },
          ...sortable.flatMap(({ name, label }) => [
            { value: name, label: words.sortUp(label) },
            { value: `-${name}`, label: words.sortDown(label) },
          ]),
        ]}
        onChange={(sort) => set({ sort })}
      />
    </>
  )
}

/** To which fields the dashboard's filters apply, where the names of fields do not say it. */
function LinkedFilters({
  tile,
  fields,
  set,
  offered,
}: SettingsProps & { readonly offered: readonly OfferedFilter[] }): JSX.Element | null {
  const open = offered.filter(({ filter }) => fields.some((field) => suits(filter, field)))
  if (open.length === 0) return null
  const SAME = '\0'
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-small font-medium">{words.dashboardFilters}</legend>
      {open.map(({ filter, field }) => {
        const hasSame = fields.some((one) => one.name === filter.field && suits(filter, one))
        const others = fields.filter((one) => one.name !== filter.field && suits(filter, one))
        const chosen = tile.linked?.[filter.id]
        return (
          <Select
            key={filter.id}
            label={field.label}
            value={chosen ?? (hasSame ? SAME : '')}
            options={[
              ...(hasSame ? [{ value: SAME, label: words.sameField(field.label) }] : []),
              ...others.map(({ name, label }) => ({ value: name, label })),
              { value: '', label: words.notHere },
            ]}
            onChange={(value) => {
              const { [filter.id]: _, ...rest } = tile.linked ?? {}
              const linked = value === SAME ? rest : { ...rest, [filter.id]: value }
              set({ linked: Object.keys(linked).length === 0 ? undefined : linked })
            }}
          />
        )
      })}
    </fieldset>
  )
}
