import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

export const workMessages = inLanguages('workMessages', {
  title: 'My work',
  /** Periods, as headings and tabs. */
  when: {
    overdue: 'Overdue',
    today: 'Today',
    week: 'Next 7 days',
    later: 'Later',
    none: 'Without a day',
    all: 'All',
  },
  filter: 'Which days',
  late: (days: number) => icu('{days, plural, one {# day} other {# days}} late', { days }),
  all: 'All my work',
  /** `count` may end in a plus. */
  allOf: (count: string, when: string) => `All ${count}: ${when}`,
  showMore: 'Show more',
  shown: (shown: number, all: number) => `${formatCount(shown)} of ${formatCount(all)}`,
  showAll: 'Show all my work',
  nothing: 'Nothing is waiting for you this week',
  nothingDetail: 'Records that are assigned to you with a day appear here, from all tables.',
  nothingIn: {
    overdue: 'Nothing is overdue',
    today: 'Nothing is due today',
    week: 'Nothing is due in the next 7 days',
    all: 'Nothing is waiting for you',
  },
  noTables: 'No table has work in it',
  noTablesDetail: 'A table has work in it when its records lead to a person and have a day.',
  open: (table: string) => `Open ${table}`,
  team: 'Team',
  teamSum: (overdue: number, soon: number) =>
    [
      ...(overdue === 0 ? [] : [icu('{overdue, number} overdue', { overdue })]),
      ...(soon === 0 ? [] : [icu('{soon, number} due in the next 7 days', { soon })]),
    ].join(' · '),
  teamCut: (people: number) => icu('({people, number} people with the most)', { people }),
  /** These follow a number. */
  overdue: 'overdue',
  soon: 'due soon',
  teamIncomplete: (tables: string) =>
    `Some records of ${tables} are not on this device, so these numbers may be too low.`,
  unassigned: 'Unassigned',
  hiddenPerson: 'Someone else',
  allPeople: (people: number) => icu('Show all {people, number} people', { people }),
  workOf: (name: string) => `Work of ${name}`,
  /** `since`: a time, such as "yesterday 17:30". */
  changedSince: (count: number, isCut: boolean, since: string) =>
    isCut
      ? icu('More than {count, number} changes since {since}', { count, since })
      : icu('{count, plural, one {# change} other {# changes}} since {since}', { count, since }),
  added: 'New',
  edited: 'Changed',
  newestFirst: (many: string) => `All ${many}, latest change first`,
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
