import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

export const workMessages = inLanguages('workMessages', {
  title: 'My work',
  overdue: 'Overdue',
  today: 'Today',
  soon: 'Next 7 days',
  late: (days: number) => icu('{days, plural, one {# day} other {# days}} late', { days }),
  more: (count: number) => `and ${formatCount(count)} more`,
  nothing: 'Nothing is waiting for you this week',
  nothingDetail: 'Records that are assigned to you with a day appear here, from all tables.',
  open: (table: string) => `Open ${table}`,
  others: 'What others did on my records',
  changed: (fields: string) => `changed ${fields}`,
  system: 'The system',
  near: 'Near me',
  nearDetail: 'The nearest records with a position. Where you are is not stored or sent.',
  locate: 'Show what is near',
  locating: 'Finding where you are …',
  accuracy: (metres: string) => `Where you are is known to ${metres}.`,
  notLocated: {
    denied: 'This browser may not tell where you are. Allow it in the settings of this site, and try again.',
    unavailable: 'Where you are could not be found. Try again under an open sky.',
  },
  refused: 'Not accepted',
  allRefused: (count: number) => `All ${formatCount(count)}`,
})
