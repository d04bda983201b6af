import { type JSX, useState } from 'react'
import { type Condition, daysFromToday, todayPlus, typedKindOf } from '../../lib/fields/condition.ts'
import { dayOf, momentOf, startOfDay, timeOfDay } from '../../lib/fields/dates.ts'
import type { Field } from '../../lib/fields/field.ts'
import { decimalSeparator, parseNumberText } from '../../lib/fields/numbers.ts'
import { pageLocale } from '../../lib/language.ts'
import { deviceZone, momentAtWall, useWorkspaceZone } from '../../lib/time-zone.ts'
import { tableRulesMessages as words } from '../../messages/table-rules.ts'
import { Select } from '../select.tsx'
import { TextField } from '../text-field.tsx'

interface ValueProps {
  readonly condition: Condition
  readonly isDisabled: boolean
  readonly onChange: (condition: Condition) => void
}

/** Edits the typed value of a condition. */
export function ConditionValue({
  field,
  hasToday,
  ...props
}: ValueProps & { readonly field: Field; readonly hasToday: boolean }): JSX.Element {
  const kind = typedKindOf(field)
  if (kind === 'day') return <DayValue {...props} hasToday={hasToday} />
  return <TextValue {...props} kind={kind === 'moment' || kind === 'number' ? kind : 'text'} />
}

/** The text stays as it is typed; the condition gets the value in the form that the server reads. */
function TextValue({
  condition,
  kind,
  isDisabled,
  onChange,
}: ValueProps & { readonly kind: 'text' | 'number' | 'moment' }): JSX.Element {
  const [text, setText] = useState(() => shown(condition.values?.[0] ?? '', kind))
  return (
    <TextField
      label={words.value}
      isLabelHidden
      className={kind === 'moment' ? 'w-56' : 'w-44'}
      type={kind === 'moment' ? 'datetime-local' : 'text'}
      isDisabled={isDisabled}
      value={text}
      placeholder={words.value}
      onChange={(next) => {
        setText(next)
        onChange({ field: condition.field, is: condition.is, values: [stored(next, kind)] })
      }}
    />
  )
}

function shown(value: string, kind: 'text' | 'number' | 'moment'): string {
  if (kind === 'number') return value.replace('.', decimalSeparator(pageLocale()))
  const at = kind === 'moment' ? momentOf(value) : undefined
  return at ? `${dayOf(at)}T${timeOfDay(at).slice(0, 5)}` : value
}

function stored(text: string, kind: 'text' | 'number' | 'moment'): string {
  if (kind === 'number') return parseNumberText(text.trim(), pageLocale()) ?? text.trim()
  const [year, month, day, hour, minute] = kind === 'moment' ? text.split(/[-T:]/).map(Number) : []
  if (year === undefined || month === undefined || day === undefined) return text
  return momentAtWall({ year, month, day, hour: hour ?? 0, minute: minute ?? 0 }).toISOString()
}

/** A day of the calendar, or days from today. */
function DayValue({
  condition,
  hasToday,
  isDisabled,
  onChange,
}: ValueProps & { readonly hasToday: boolean }): JSX.Element {
  const zone = useWorkspaceZone((state) => state.zone) ?? deviceZone()
  const [value = ''] = condition.values ?? []
  const days = daysFromToday(value)
  const [isFuture, setFuture] = useState(days !== undefined && days > 0)
  const { field, is } = condition
  const count = (next: number): void => onChange({ field, is, values: [todayPlus(next)], zone })
  const mode = days === undefined ? 'day' : days === 0 ? 'today' : isFuture ? 'after' : 'before'
  const choose = (next: string): void => {
    setFuture(next === 'after')
    if (next === 'day') onChange({ field, is, values: [dayOf(new Date())] })
    else count(next === 'today' ? 0 : (Math.abs(days ?? 0) || 7) * (next === 'after' ? 1 : -1))
  }
  return (
    <>
      {hasToday || days !== undefined ? (
        <Select
          label={words.dayKind}
          isLabelHidden
          className="w-44"
          isDisabled={isDisabled}
          value={mode}
          options={(['day', 'today', 'after', 'before'] as const).map((one) => ({
            value: one,
            label: words.dayKinds[one],
          }))}
          onChange={choose}
        />
      ) : null}
      {mode === 'today' ? null : mode === 'day' ? (
        <TextField
          label={words.value}
          isLabelHidden
          className="w-44"
          type="date"
          isDisabled={isDisabled}
          value={value}
          onChange={(day) => onChange({ field, is, values: [day === '' ? '' : dayOf(startOfDay(day))] })}
        />
      ) : (
        <TextField
          label={words.days}
          isLabelHidden
          className="w-20"
          inputMode="numeric"
          isDisabled={isDisabled}
          value={String(Math.abs(days ?? 0))}
          onChange={(text) => {
            const next = Math.min(Number(text.replace(/\D/g, '') || 1), 9_999) || 1
            count(isFuture ? next : -next)
          }}
        />
      )}
    </>
  )
}
