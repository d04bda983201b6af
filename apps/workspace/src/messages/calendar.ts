import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

export const calendarMessages = inLanguages('calendarMessages', {
  calendarOf: (table: string) => `${table}, calendar`,
  spans: { month: 'Month', week: 'Week', list: 'List' },
  span: 'What is shown',
  today: 'Today',
  previous: { month: 'Previous month', week: 'Previous week', list: 'Previous month' },
  next: { month: 'Next month', week: 'Next week', list: 'Next month' },
  by: 'By',
  byField: (label: string) => `By ${label}`,
  until: 'Until',
  untilField: (label: string) => `Until ${label}`,
  oneDay: 'One day each',
  day: (day: string, count: number) => (count === 0 ? `${day}, nothing` : `${day}, ${formatCount(count)}`),
  more: (count: number) => `+${formatCount(count)} more`,
  moreOf: (count: number, day: string) =>
    icu('{count, plural, one {# more record} other {# more records}} on {day}', { count, day }),
  allOf: (count: number, day: string) =>
    icu('{count, plural, one {# record} other {# records}} on {day}', { count, day }),
  showMore: (count: number) => `Show ${formatCount(count)} more`,
  nothing: (period: string) => `Nothing in ${period}`,
  nothingDetail: 'Records without a date are not in a calendar.',
  move: (title: string) => `Move ${title} to another day`,
  moveTitle: 'Move to another day',
  newDay: 'Day',
  moveNow: 'Move',
  cancel: 'Cancel',
  moved: (title: string, day: string) => `${title} moved to ${day}`,
  notAllowed: (title: string) => `${title} cannot be moved there`,
  refused: 'You may not move it to this day.',
  noDates: 'This table has no date',
  noDatesDetail: 'A calendar needs a field with a day or a moment.',
  keys: 'Arrow keys go from record to record, Enter opens one, M moves it to a day, Alt with an arrow key moves it by a day or a week, Page Up and Page Down turn the page.',
})
