import type { DashboardFilter } from '@holdfast/protocol'
import { useRecords } from '@holdfast/react'
import { Plus, X } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { ChoiceChip } from '../../components/fields/choice-chip.tsx'
import { OptionPicker } from '../../components/fields/option-picker.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Menu, MenuItem, MenuTrigger } from '../../components/menu.tsx'
import { Popover, PopoverTrigger } from '../../components/popover.tsx'
import { Select } from '../../components/select.tsx'
import { TextField } from '../../components/text-field.tsx'
import { addDays, formatDay } from '../../lib/fields/dates.ts'
import type { Field } from '../../lib/fields/field.ts'
import { choiceWords } from '../../lib/fields/format-value.ts'
import type { Condition } from '../../lib/filters/filter.ts'
import { pageLocale } from '../../lib/language.ts'
import { useLinkOptions } from '../../lib/records/use-link-options.ts'
import { quoteName } from '../../lib/sql.ts'
import { dashboardMessages as words } from '../../messages/dashboard.ts'
import { conditionsOn, type SharedFilters, withChosen } from './shared-filters.ts'

/** A filter of the dashboard with the field that it stands for. */
export interface OfferedFilter {
  readonly filter: DashboardFilter
  readonly field: Field
}

type Chosen = readonly Omit<Condition, 'kind' | 'field'>[]

/** The filters that apply to all tiles. What is chosen is in the address. */
export function FilterBar({
  offered,
  shared,
  onChange,
  editing,
}: {
  readonly offered: readonly OfferedFilter[]
  readonly shared: SharedFilters
  /** @param text - for the address */
  readonly onChange: (text: string | undefined) => void
  readonly editing?:
    | {
        readonly addable: readonly OfferedFilter[]
        readonly onAdd: (filter: DashboardFilter) => void
        readonly onRemove: (id: string) => void
      }
    | undefined
}): JSX.Element | null {
  if (offered.length === 0 && !editing) return null
  return (
    <section aria-label={words.filters} className="flex flex-wrap items-center gap-2 pb-4">
      {offered.map(({ filter, field }) => (
        <span key={filter.id} className="flex items-center">
          <OneFilter
            {...{ filter, field }}
            conditions={conditionsOn(shared, filter.id)}
            onChange={(chosen) => onChange(withChosen(shared, filter.id, chosen))}
          />
          {editing ? (
            <IconButton
              size="sm"
              label={words.removeFilter(field.label)}
              icon={<X size={14} aria-hidden />}
              onPress={() => editing.onRemove(filter.id)}
            />
          ) : null}
        </span>
      ))}
      {shared.chosen.nodes.length > 0 ? (
        <Button size="sm" tone="quiet" onPress={() => onChange(undefined)}>
          {words.clearFilters}
        </Button>
      ) : null}
      {editing ? (
        editing.addable.length > 0 ? (
          <MenuTrigger>
            <Button size="sm" tone="quiet" icon={<Plus size={14} aria-hidden />}>
              {words.addFilter}
            </Button>
            <Menu label={words.addFilter} placement="bottom start">
              {editing.addable.map(({ filter, field }) => (
                <MenuItem key={filter.id} onAction={() => editing.onAdd(filter)}>
                  {field.label}
                </MenuItem>
              ))}
            </Menu>
          </MenuTrigger>
        ) : offered.length === 0 ? (
          <p className="text-small text-muted">{words.noFilterFields}</p>
        ) : null
      ) : null}
    </section>
  )
}

interface OneProps {
  readonly filter: DashboardFilter
  readonly field: Field
  readonly conditions: readonly Condition[]
  readonly onChange: (chosen: Chosen) => void
}

function OneFilter(props: OneProps): JSX.Element {
  switch (props.filter.kind) {
    case 'choice':
      return <ChoiceFilter {...props} />
    case 'person':
      return <PersonFilter {...props} />
    case 'date':
      return <DateFilter {...props} />
    default:
      return props.filter.kind satisfies never
  }
}

function ChoiceFilter({ field, conditions, onChange }: OneProps): JSX.Element {
  const chosen = conditions[0]?.values ?? []
  const text =
    chosen.length === 0
      ? words.anyOf(field.label)
      : words.chosen(
          field.label,
          chosen.length === 1 ? choiceWords(chosen[0] ?? '', field.choiceWords) : words.countChosen(chosen.length),
        )
  return (
    <PopoverTrigger>
      <Button size="sm" tone={chosen.length > 0 ? 'secondary' : 'quiet'}>
        {text}
      </Button>
      <Popover
        label={field.label}
        placement="bottom start"
        className="flex max-h-80 w-60 flex-col gap-1 overflow-auto p-3"
      >
        {field.choices.map((choice) => (
          <Checkbox
            key={choice}
            aria-label={choiceWords(choice, field.choiceWords)}
            isSelected={chosen.includes(choice)}
            onChange={(isOn) => {
              const values = field.choices.filter((one) => (one === choice ? isOn : chosen.includes(one)))
              onChange(values.length === 0 ? [] : [{ operator: 'in', values }])
            }}
          >
            <ChoiceChip choice={choice} among={field.choices} words={field.choiceWords} />
          </Checkbox>
        ))}
      </Popover>
    </PopoverTrigger>
  )
}

function PersonFilter({ field, conditions, onChange }: OneProps): JSX.Element {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const id = conditions[0]?.values[0]
  const options = useLinkOptions(field.link, text)
  const title = field.link?.titleColumn
  const { rows } = useRecords<{ readonly label: string | null }>(
    field.link && title !== undefined && id !== undefined
      ? `select ${quoteName(title)} as label from ${quoteName(field.link.table)} where id = ?`
      : '',
    [id ?? ''],
  )
  return (
    <PopoverTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button size="sm" tone={id === undefined ? 'quiet' : 'secondary'}>
        {id === undefined ? words.anyOf(field.label) : words.chosen(field.label, rows[0]?.label ?? id.slice(0, 8))}
      </Button>
      <Popover label={field.label} placement="bottom start" className="w-72 overflow-hidden">
        <OptionPicker
          label={field.label}
          options={options}
          selected={id ?? null}
          text={text}
          onTextChange={setText}
          onSelect={(next) => {
            onChange(next === id ? [] : [{ operator: 'is', values: [next] }])
            setOpen(false)
          }}
        />
        {id === undefined ? null : (
          <div className="border-t border-border p-2">
            <Button
              size="sm"
              tone="quiet"
              onPress={() => {
                onChange([])
                setOpen(false)
              }}
            >
              {words.clear}
            </Button>
          </div>
        )}
      </Popover>
    </PopoverTrigger>
  )
}

/** Bounds of ranges, exclusive: `after` and `before`. */
const RANGES = {
  last7: ['today-7', 'today+1'],
  last30: ['today-30', 'today+1'],
  last90: ['today-90', 'today+1'],
  today: ['today-1', 'today+1'],
  next7: ['today-1', 'today+8'],
  next30: ['today-1', 'today+31'],
} as const
type Range = keyof typeof RANGES
const RANGE_NAMES = Object.keys(RANGES) as readonly Range[]

function DateFilter({ field, conditions, onChange }: OneProps): JSX.Element {
  const after = conditions.find(({ operator }) => operator === 'after')?.values[0]
  const before = conditions.find(({ operator }) => operator === 'before')?.values[0]
  const range = RANGE_NAMES.find((name) => RANGES[name][0] === after && RANGES[name][1] === before)
  const isChosen = after !== undefined || before !== undefined
  const [isCustom, setCustom] = useState(false)
  const set = (from: string | undefined, until: string | undefined): void =>
    onChange([
      ...(from ? [{ operator: 'after' as const, values: [from] }] : []),
      ...(until ? [{ operator: 'before' as const, values: [until] }] : []),
    ])
  const days = [dayAfter(after, 1), dayAfter(before, -1)].map((day) =>
    day === '' ? '…' : formatDay(day, pageLocale()),
  )
  const shown = range ? words.ranges[range] : days.join(' – ')
  return (
    <PopoverTrigger>
      <Button size="sm" tone={isChosen ? 'secondary' : 'quiet'}>
        {isChosen ? words.chosen(field.label, shown) : words.anyOf(field.label)}
      </Button>
      <Popover label={field.label} placement="bottom start" className="flex w-64 flex-col gap-3 p-3">
        <Select
          label={field.label}
          value={isCustom || (isChosen && !range) ? 'custom' : (range ?? null)}
          options={[...RANGE_NAMES, 'custom' as const].map((name) => ({ value: name, label: words.ranges[name] }))}
          onChange={(value) => {
            const next = RANGE_NAMES.find((name) => name === value)
            setCustom(next === undefined)
            if (next) set(RANGES[next][0], RANGES[next][1])
          }}
        />
        {isCustom || (isChosen && !range) ? (
          <>
            <TextField
              type="date"
              label={words.from}
              value={dayAfter(after, 1)}
              onChange={(day) => set(dayAfter(day, -1), before)}
            />
            <TextField
              type="date"
              label={words.until}
              value={dayAfter(before, -1)}
              onChange={(day) => set(after, dayAfter(day, 1))}
            />
          </>
        ) : null}
        {isChosen ? (
          <Button
            size="sm"
            onPress={() => {
              setCustom(false)
              onChange([])
            }}
          >
            {words.clear}
          </Button>
        ) : null}
      </Popover>
    </PopoverTrigger>
  )
}

/** Returns the day some days later; `''` for none, or a relative one. */
function dayAfter(day: string | undefined, days: number): string {
  return day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day) ? addDays(day, days) : ''
}
