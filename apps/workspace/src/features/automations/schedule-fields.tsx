import type { AutomationSchedule } from '@holdfast/protocol'
import type { JSX } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { Select } from '../../components/select.tsx'
import { TextField } from '../../components/text-field.tsx'
import { pageLocale } from '../../lib/language.ts'
import { useWorkspace } from '../../lib/records/use-workspace.ts'
import { automationMessages as words } from '../../messages/automations.ts'

const INTERVALS = ['day', 'week', 'month'] as const
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const
const WORKDAYS = [1, 2, 3, 4, 5] as const
const DAYS = Array.from({ length: 31 }, (_, index) => index + 1)
const RUNS = ['each', 'once'] as const

/** The schedule after the user has chosen another interval. */
function withInterval(when: AutomationSchedule, every: AutomationSchedule['every']): AutomationSchedule {
  const { kind, table, at, for: runs } = when
  return {
    kind,
    table,
    every,
    at,
    ...(every === 'week' && { weekdays: when.weekdays ?? WORKDAYS }),
    ...(every === 'month' && { day: when.day ?? 1 }),
    for: runs,
  }
}

/** When an automation starts by the clock, and for which records. */
export function ScheduleFields({
  when,
  isDisabled,
  onChange,
}: {
  readonly when: AutomationSchedule
  readonly isDisabled: boolean
  readonly onChange: (when: AutomationSchedule) => void
}): JSX.Element {
  const workspace = useWorkspace()
  const chosen = new Set(when.weekdays)
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label={words.interval}
          isLabelHidden
          className="w-40"
          isDisabled={isDisabled}
          value={when.every}
          options={INTERVALS.map((value) => ({ value, label: words.intervals[value] }))}
          onChange={(every) => onChange(withInterval(when, every as AutomationSchedule['every']))}
        />
        {when.every === 'month' ? (
          <Select
            label={words.dayOfMonth}
            isLabelHidden
            className="w-40"
            isDisabled={isDisabled}
            value={String(when.day ?? 1)}
            options={DAYS.map((day) => ({ value: String(day), label: words.onDay(day) }))}
            onChange={(day) => onChange({ ...when, day: Number(day) })}
          />
        ) : null}
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
      {when.every === 'week' ? (
        <div role="group" aria-label={words.weekdays} className="flex flex-wrap items-center gap-x-4 gap-y-1">
          {WEEKDAYS.map((day) => (
            <Checkbox
              key={day}
              aria-label={weekdayName(day, 'long')}
              isDisabled={isDisabled || (chosen.has(day) && chosen.size === 1)}
              isSelected={chosen.has(day)}
              onChange={(isSelected) =>
                onChange({ ...when, weekdays: WEEKDAYS.filter((one) => (one === day ? isSelected : chosen.has(one))) })
              }
            >
              {weekdayName(day, 'short')}
            </Checkbox>
          ))}
        </div>
      ) : null}
      <Select
        label={words.runs}
        isLabelHidden
        className="w-full tablet:w-80"
        isDisabled={isDisabled}
        value={when.for}
        options={RUNS.map((value) => ({ value, label: words.runsFor[value] }))}
        onChange={(runs) => onChange({ ...when, for: runs as AutomationSchedule['for'] })}
      />
      {workspace ? <p className="text-small text-muted">{words.zone(workspace.timeZone)}</p> : null}
    </>
  )
}

/** @param day - from 1, Monday */
function weekdayName(day: number, weekday: 'long' | 'short'): string {
  // 1 January 2024 is a Monday.
  return new Intl.DateTimeFormat(pageLocale(), { weekday, timeZone: 'UTC' }).format(Date.UTC(2024, 0, day))
}
