import { DATE_STEPS, type DashboardTile, MEASURE_KINDS, TILE_COLUMNS_MAX } from '@holdfast/protocol'
import type { JSX } from 'react'
import { Checkbox } from '../../../components/checkbox.tsx'
import { FilterForm } from '../../../components/filter/filter-form.tsx'
import { Select } from '../../../components/select.tsx'
import { TextField } from '../../../components/text-field.tsx'
import type { TableInfo } from '../../../lib/data/tables.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { parseFilter, renderFilter } from '../../../lib/filters/filter-text.ts'
import { pointFields, pointLabel, renderPoint } from '../../../lib/map/point-fields.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import { canGroup, measuredFields, suits } from '../data/resolve-tile.ts'
import type { OfferedFilter } from '../filter-bar.tsx'
import { columnsOf } from '../tiles/table-tile.tsx'
import { groupBy, isChart, isDate, type TileChange } from './tile-change.ts'

interface SettingsProps {
  readonly tile: DashboardTile
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly set: (change: TileChange) => void
}

/** The settings of a tile that its kind has. */
export function TileSettings(props: SettingsProps & { readonly offered: readonly OfferedFilter[] }): JSX.Element {
  const { tile, fields, set } = props
  return (
    <>
      {isChart(tile.kind) ? <GroupSettings {...props} label={words.groupBy} setting="group" isRequired /> : null}
      {tile.kind === 'stacked' || tile.kind === 'line' ? (
        <GroupSettings {...props} label={words.stackBy} setting="stack" isRequired={tile.kind === 'stacked'} />
      ) : null}
      {isChart(tile.kind) || tile.kind === 'number' ? <MeasureSettings {...props} /> : null}
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
