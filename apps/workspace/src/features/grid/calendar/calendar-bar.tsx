import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { JSX } from 'react'
import { Button } from '../../../components/button.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { Select } from '../../../components/select.tsx'
import type { Field } from '../../../lib/fields/field.ts'
import { calendarMessages as words } from '../../../messages/calendar.ts'
import { type Span, SPANS } from './calendar-days.ts'
import { type DateFields, dateFields } from './date-fields.ts'

/** `''`: entries have no end field. */
const NO_END = ''

/** Pages through a calendar and chooses its date fields. */
export function CalendarBar({
  title,
  span,
  dates,
  fields,
  onToday,
  onPage,
  onSpan,
  onDates,
}: {
  readonly title: string
  readonly span: Span
  readonly dates: DateFields
  readonly fields: readonly Field[]
  readonly onToday: () => void
  readonly onPage: (by: 1 | -1) => void
  readonly onSpan: (span: Span) => void
  /** Called with the view's new setting. */
  readonly onDates: (setting: string) => void
}): JSX.Element {
  const usable = dateFields(fields)
  const { start, end } = dates
  return (
    <div className="flex flex-wrap items-center gap-1.5 px-3 py-2">
      <Button size="sm" onPress={onToday}>
        {words.today}
      </Button>
      <IconButton
        label={words.previous[span]}
        icon={<ChevronLeft size={18} aria-hidden />}
        onPress={() => onPage(-1)}
      />
      <IconButton label={words.next[span]} icon={<ChevronRight size={18} aria-hidden />} onPress={() => onPage(1)} />
      <h2 aria-live="polite" className="mr-auto min-w-36 px-1 text-heading">
        {title}
      </h2>
      <Select
        label={words.by}
        isLabelHidden
        className="w-36 min-w-0 wide:w-44 max-tablet:w-auto max-tablet:flex-1 max-tablet:basis-24"
        value={start.name}
        options={usable.map(({ name, label }) => ({ value: name, label: words.byField(label) }))}
        onChange={(name) => onDates(name)}
      />
      {usable.length > 1 ? (
        <Select
          label={words.until}
          isLabelHidden
          className="w-36 min-w-0 wide:w-44 max-tablet:w-auto max-tablet:flex-1 max-tablet:basis-24"
          value={end?.name ?? NO_END}
          options={[
            { value: NO_END, label: words.oneDay },
            ...usable
              .filter((field) => field !== start)
              .map(({ name, label }) => ({ value: name, label: words.untilField(label) })),
          ]}
          onChange={(name) => onDates(name === NO_END ? start.name : `${start.name},${name}`)}
        />
      ) : null}
      <Select
        label={words.span}
        isLabelHidden
        className="w-28 max-tablet:w-24"
        value={span}
        options={SPANS.map((one) => ({ value: one, label: words.spans[one] }))}
        onChange={(value) => onSpan(SPANS.find((one) => one === value) ?? 'month')}
      />
    </div>
  )
}
