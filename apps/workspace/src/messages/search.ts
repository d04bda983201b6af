import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

export const searchMessages = inLanguages('searchMessages', {
  clear: 'Clear search',
  searchAll: 'Search everywhere',
  title: 'Search',
  field: 'Search this device',
  placeholder: 'Words, a number, a name',
  lead: 'Finds records and comments on this device, with or without a connection.',
  inAll: 'All tables',
  where: 'Where',
  comments: 'Comments',
  commentOf: (author: string, table: string) => `${author}, on ${table}`,
  someone: 'Someone',
  more: (table: string) => `Show all in ${table}`,
  noMatch: (text: string) => `Nothing matches “${text}”`,
  noMatchDetail: (rows: number) =>
    `Looked through the ${formatCount(rows)} records on this device. Fewer or shorter words find more.`,
  type: 'What are you looking for?',
  typeDetail: 'Type two characters or more. Several words narrow the search, in any order.',
  searching: 'Searching …',
  failed: 'The search failed',
  indexing: (percent: number) => `Search is being prepared on this device: ${percent} %. Until then it takes longer.`,
  results: (count: number) => icu('{count, plural, one {# result} other {# results}}', { count }),
  resultsAtLeast: (count: number) => icu('{count, plural, one {# result} other {# results}} or more', { count }),
  searchFor: (text: string) => `Search everywhere for “${text}”`,
})
