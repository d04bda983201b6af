import type { AutomationConfig, AutomationTrigger } from '@holdfast/protocol'
import type { JSX } from 'react'
import { Select } from '../../components/select.tsx'
import { TextField } from '../../components/text-field.tsx'
import { valuesOf } from '../../lib/fields/condition.ts'
import { automationMessages as words } from '../../messages/automations.ts'
import { type AutomatedTable, daysOf, moveToTable, triggerOf, withTrigger } from './draft.ts'
import { ScheduleFields } from './schedule-fields.tsx'

export interface PartProps {
  readonly config: AutomationConfig
  /** The table of the trigger. */
  readonly table: AutomatedTable
  readonly tables: readonly AutomatedTable[]
  readonly isDisabled: boolean
  readonly onChange: (config: AutomationConfig) => void
}

const EVENTS = ['added', 'changed', 'due', 'form', 'schedule'] as const
/** Stands for no choice, which a select cannot have as a value. */
const ANY = '\0any'

/** What starts the automation. */
export function WhenPart({ config, table, tables, isDisabled, onChange }: PartProps): JSX.Element {
  const { when } = config
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label={words.event}
          isLabelHidden
          className="min-w-56"
          isDisabled={isDisabled}
          value={when.kind}
          options={EVENTS.filter((event) => event !== 'due' || daysOf(table).length > 0).map((value) => ({
            value,
            label: words.events[value],
          }))}
          onChange={(kind) => onChange(withTrigger(config, triggerOf(kind as AutomationTrigger['kind'], table), table))}
        />
        <span className="text-muted">{words.inTable}</span>
        <Select
          label={words.table}
          isLabelHidden
          className="min-w-44"
          isDisabled={isDisabled}
          value={when.table}
          options={tables.map(({ name, label }) => ({ value: name, label }))}
          onChange={(name) => {
            const next = tables.find((one) => one.name === name)
            if (next && name !== when.table) onChange(moveToTable(config, next))
          }}
        />
      </div>
      {when.kind === 'schedule' ? (
        <ScheduleFields
          when={when}
          isDisabled={isDisabled}
          onChange={(next) => onChange(withTrigger(config, next, table))}
        />
      ) : null}
      {when.kind === 'due' ? (
        <Due
          when={when}
          table={table}
          isDisabled={isDisabled}
          onChange={(next) => onChange({ ...config, when: next })}
        />
      ) : null}
      {when.kind === 'changed' ? (
        <Change
          when={when}
          table={table}
          isDisabled={isDisabled}
          onChange={(next) => onChange({ ...config, when: next })}
        />
      ) : null}
    </div>
  )
}

type DueTrigger = Extract<AutomationTrigger, { kind: 'due' }>

/** Days before (positive) and after a date that are offered. */
const DAYS = [30, 14, 7, 3, 2, 1, 0, -1, -3, -7, -14] as const

/** How long before or after which date, and at what time. */
function Due({
  when,
  table,
  isDisabled,
  onChange,
}: {
  readonly when: DueTrigger
  readonly table: AutomatedTable
  readonly isDisabled: boolean
  readonly onChange: (when: DueTrigger) => void
}): JSX.Element {
  const days = [...new Set([...DAYS, when.days])].toSorted((a, b) => b - a)
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        label={words.distance}
        isLabelHidden
        className="w-44"
        isDisabled={isDisabled}
        value={String(when.days)}
        options={days.map((count) => ({ value: String(count), label: words.days(count) }))}
        onChange={(count) => onChange({ ...when, days: Number(count) })}
      />
      <Select
        label={words.field}
        isLabelHidden
        className="w-44"
        isDisabled={isDisabled}
        value={when.field}
        options={daysOf(table).map(({ name, label }) => ({ value: name, label }))}
        onChange={(field) => onChange({ ...when, field })}
      />
      <span className="text-muted">{words.at}</span>
      <TextField
        label={words.time}
        isLabelHidden
        type="time"
        className="w-36"
        isDisabled={isDisabled}
        value={when.at}
        onChange={(at) => onChange({ ...when, at })}
      />
    </div>
  )
}

type Changed = Extract<AutomationTrigger, { kind: 'changed' }>

/** Which field changes, from what to what. */
function Change({
  when,
  table,
  isDisabled,
  onChange,
}: {
  readonly when: Changed
  readonly table: AutomatedTable
  readonly isDisabled: boolean
  readonly onChange: (when: Changed) => void
}): JSX.Element {
  const field = table.fields.find(({ name }) => name === when.field)
  const values = field ? valuesOf(field) : []
  const side = (key: 'from' | 'to'): JSX.Element => (
    <>
      <span className="text-muted">{words[key]}</span>
      <Select
        label={words[key]}
        isLabelHidden
        className="w-40"
        isDisabled={isDisabled}
        value={when[key]?.join('\n') ?? ANY}
        options={[
          { value: ANY, label: words.anyValue },
          ...values,
          { value: '', label: words.noValue },
          ...(when[key] && when[key].length > 1 ? [{ value: when[key].join('\n'), label: when[key].join(', ') }] : []),
        ]}
        onChange={(value) => {
          const { [key]: _replaced, ...rest } = when
          onChange(value === ANY ? rest : { ...rest, [key]: value.split('\n') })
        }}
      />
    </>
  )
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        label={words.field}
        isLabelHidden
        className="w-44"
        isDisabled={isDisabled}
        value={when.field ?? ANY}
        options={[
          { value: ANY, label: words.anyField },
          ...table.fields.map(({ name, label }) => ({ value: name, label })),
        ]}
        onChange={(name) => onChange({ kind: 'changed', table: when.table, ...(name === ANY ? {} : { field: name }) })}
      />
      <span className="text-muted">{words.changes}</span>
      {values.length > 0 ? (
        <>
          {side('from')}
          {side('to')}
        </>
      ) : null}
    </div>
  )
}
