import { formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { searchMessages as english } from '../search.ts'

export const searchMessages: Translation<typeof english> = {
  clear: 'Suche leeren',
  searchAll: 'Überall suchen',
  title: 'Suche',
  field: 'Auf diesem Gerät suchen',
  placeholder: 'Wörter, eine Nummer, ein Name',
  lead: 'Findet Einträge und Kommentare auf diesem Gerät, mit oder ohne Verbindung.',
  inAll: 'Alle Tabellen',
  where: 'Wo',
  comments: 'Kommentare',
  commentOf: (author, table) => `${author}, zu ${table}`,
  someone: 'Jemand',
  more: (table) => `Alle in ${table} zeigen`,
  noMatch: (text) => `Nichts passt zu „${text}“`,
  noMatchDetail: (rows) =>
    `Durchsucht: ${formatCount(rows)} Einträge auf diesem Gerät. Mit weniger oder kürzeren Wörtern finden Sie mehr.`,
  type: 'Was suchen Sie?',
  typeDetail: 'Tippen Sie zwei Zeichen oder mehr. Mehrere Wörter grenzen die Suche ein, in beliebiger Reihenfolge.',
  searching: 'Wird gesucht …',
  failed: 'Die Suche hat nicht geklappt',
  indexing: (percent) => `Die Suche wird auf diesem Gerät vorbereitet: ${percent} %. Bis dahin dauert sie länger.`,
  results: (count) => icu('{count, plural, one {# Ergebnis} other {# Ergebnisse}}', { count }),
  resultsAtLeast: (count) => icu('{count, number} Ergebnisse oder mehr', { count }),
  searchFor: (text) => `Überall nach „${text}“ suchen`,
}
