import { capitalize, formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { groupMessages as english } from '../groups.ts'

export const groupMessages: Translation<typeof english> = {
  groupBy: 'Gruppieren nach',
  thenBy: 'Dann nach',
  nothing: 'Keine Gruppen',
  order: 'Reihenfolge der Gruppen',
  collapseAll: 'Alle zuklappen',
  expandAll: 'Alle aufklappen',
  noValue: 'Ohne Wert',
  tooMany: (max) =>
    `Diese Felder ergeben mehr als ${formatCount(max)} Gruppen. Gruppieren Sie nach einem mit weniger Werten.`,
  header: (label, text, records, noun, many) =>
    icu('{label}: {text}, {records, plural, one {# {one}} other {# {others}}}', {
      label,
      text,
      records,
      one: capitalize(noun),
      others: capitalize(many),
    }),
}
