/** Choices of a date filter, most common first. `ahead` and `ago` have a number of days, `day` a date. */
export const DAY_CHOICES = [
  'today',
  'tomorrow',
  'yesterday',
  'this_week',
  'next_week',
  'last_week',
  'this_month',
  'next_month',
  'last_month',
  'ahead',
  'ago',
  'day',
] as const
export type DayChoice = (typeof DAY_CHOICES)[number]

/** The values of choices without a number or a date. */
const FIXED: Readonly<Partial<Record<DayChoice, string>>> = {
  today: 'today',
  tomorrow: 'today+1',
  yesterday: 'today-1',
  this_week: 'week',
  next_week: 'week+1',
  last_week: 'week-1',
  this_month: 'month',
  next_month: 'month+1',
  last_month: 'month-1',
}

/** Days when a relative choice is made first. */
const DAYS_AT_FIRST = 7

/** Returns the choice that stands for a filter's value. A week that only an address has named counts as a date. */
export function dayChoiceOf(value: string): DayChoice {
  const fixed = DAY_CHOICES.find((choice) => FIXED[choice] === value)
  if (fixed) return fixed
  if (/^today\+\d+$/.test(value)) return 'ahead'
  return /^today-\d+$/.test(value) ? 'ago' : 'day'
}

/** Returns the days of a value relative to today. */
export function dayCountOf(value: string): number | undefined {
  const [, days] = /^today[+-](\d+)$/.exec(value) ?? []
  return days === undefined ? undefined : Number(days)
}

/** Returns the value of a choice; empty for a date, which is picked next. */
export function dayOfChoice(choice: DayChoice, days: number | undefined): string {
  if (choice === 'ahead') return `today+${days ?? DAYS_AT_FIRST}`
  if (choice === 'ago') return `today-${days ?? DAYS_AT_FIRST}`
  return FIXED[choice] ?? ''
}
