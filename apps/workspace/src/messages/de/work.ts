import { formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { workMessages as english } from '../work.ts'

export const workMessages: Translation<typeof english> = {
  title: 'Meine Arbeit',
  overdue: 'Überfällig',
  today: 'Heute',
  soon: 'Nächste 7 Tage',
  late: (days) => icu('{days, plural, one {# Tag} other {# Tage}} überfällig', { days }),
  more: (count) => `und ${formatCount(count)} weitere`,
  nothing: 'Diese Woche wartet nichts auf Sie',
  nothingDetail: 'Einträge, die Ihnen mit einem Tag zugewiesen sind, erscheinen hier, aus allen Tabellen.',
  open: (table) => `${table} öffnen`,
  others: 'Was andere an meinen Einträgen getan haben',
  changed: (fields) => `hat ${fields} geändert`,
  system: 'Das System',
  near: 'In meiner Nähe',
  nearDetail: 'Die nächsten Einträge mit einem Ort. Wo Sie sind, wird nicht gespeichert oder gesendet.',
  locate: 'Zeigen, was in der Nähe ist',
  locating: 'Ihr Standort wird gesucht …',
  accuracy: (metres) => `Wo Sie sind, ist auf ${metres} genau bekannt.`,
  notLocated: {
    denied:
      'Dieser Browser darf nicht sagen, wo Sie sind. Erlauben Sie es in den Einstellungen dieser Seite und versuchen Sie es noch einmal.',
    unavailable: 'Ihr Standort war nicht zu finden. Versuchen Sie es unter freiem Himmel noch einmal.',
  },
  refused: 'Nicht angenommen',
  allRefused: (count) => `Alle ${formatCount(count)}`,
}
