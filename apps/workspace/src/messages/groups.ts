import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Texts for grouping, loaded with the first grouped view. */
export const groupMessages = inLanguages('groupMessages', {
  groupBy: 'Group by',
  thenBy: 'Then by',
  nothing: 'No grouping',
  order: 'Order of the groups',
  collapseAll: 'Collapse all',
  expandAll: 'Expand all',
  noValue: 'No value',
  tooMany: (max: number) =>
    `These fields make more than ${formatCount(max)} groups. Group by one that has fewer values.`,
  header: (label: string, text: string, records: number, noun: string, many: string) =>
    icu('{label}: {text}, {records, plural, one {# {noun}} other {# {many}}}', { label, text, records, noun, many }),
})
