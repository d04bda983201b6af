import { type JSX, useState } from 'react'
import { Select } from '../select.tsx'
import { TextField } from '../text-field.tsx'
import { filterMessages as words } from '../../messages/filter.ts'
import { DAY_CHOICES, type DayChoice, dayChoiceOf, dayCountOf, dayOfChoice } from './day-choices.ts'

/** The day or period that a date is compared with: picked, or relative to today. */
export function DayValue({
  value,
  onChange,
}: {
  readonly value: string
  /** Empty for no day yet. */
  readonly onChange: (value: string) => void
}): JSX.Element {
  const [choice, setChoice] = useState<DayChoice>(dayChoiceOf(value))
  const count = dayCountOf(value)
  return (
    <div className="flex min-w-40 flex-1 flex-wrap gap-2">
      <Select
        label={words.value}
        isLabelHidden
        className="min-w-40 flex-1"
        value={choice}
        options={DAY_CHOICES.map((one) => ({ value: one, label: words.days[one] }))}
        onChange={(next) => {
          const chosen = next as DayChoice
          setChoice(chosen)
          onChange(dayOfChoice(chosen, count))
        }}
      />
      {choice === 'day' ? (
        <TextField
          label={words.day}
          isLabelHidden
          type="date"
          className="min-w-40 flex-1"
          value={dayChoiceOf(value) === 'day' ? value : ''}
          onChange={onChange}
        />
      ) : null}
      {choice === 'ahead' || choice === 'ago' ? (
        <TextField
          label={words.dayCount}
          isLabelHidden
          inputMode="numeric"
          className="w-24"
          maxLength={4}
          value={count === undefined ? '' : String(count)}
          onChange={(text) => {
            const typed = text.replace(/\D/g, '')
            onChange(dayOfChoice(choice, typed === '' ? undefined : Number(typed)))
          }}
        />
      ) : null}
    </div>
  )
}
