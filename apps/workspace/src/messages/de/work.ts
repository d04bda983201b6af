import { formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { workMessages as english } from '../work.ts'

export const workMessages: Translation<typeof english> = {
  title: 'Meine Arbeit',
  when: {
    overdue: 'Überfällig',
    today: 'Heute',
    week: 'Nächste 7 Tage',
    later: 'Später',
    none: 'Ohne Tag',
    all: 'Alle',
  },
  filter: 'Welche Tage',
  late: (days) => icu('{days, plural, one {# Tag} other {# Tage}} überfällig', { days }),
  all: 'Alle meine Arbeit',
  allOf: (count, when) => `Alle ${count}: ${when}`,
  showMore: 'Mehr zeigen',
  shown: (shown, all) => `${formatCount(shown)} von ${formatCount(all)}`,
  showAll: 'Alle meine Aufgaben',
  nothing: 'Diese Woche wartet nichts auf Sie',
  nothingDetail: 'Einträge, die Ihnen mit einem Tag zugewiesen sind, erscheinen hier, aus allen Tabellen.',
  nothingIn: {
    overdue: 'Nichts ist überfällig',
    today: 'Heute ist nichts fällig',
    week: 'In den nächsten 7 Tagen ist nichts fällig',
    all: 'Nichts wartet auf Sie',
  },
  noTables: 'In keiner Tabelle ist Arbeit',
  noTablesDetail: 'In einer Tabelle ist Arbeit, wenn ihre Einträge zu einer Person führen und einen Tag haben.',
  open: (table) => `${table} öffnen`,
  team: 'Team',
  teamSum: (overdue, soon) =>
    [
      ...(overdue === 0 ? [] : [icu('{overdue, number} überfällig', { overdue })]),
      ...(soon === 0 ? [] : [icu('{soon, number} in den nächsten 7 Tagen fällig', { soon })]),
    ].join(' · '),
  teamCut: (people) => icu('(die {people, number} Personen mit dem meisten)', { people }),
  overdue: 'überfällig',
  soon: 'bald fällig',
  teamIncomplete: (tables) =>
    `Einige Einträge von ${tables} sind nicht auf diesem Gerät, die Zahlen können also zu klein sein.`,
  unassigned: 'Nicht zugewiesen',
  hiddenPerson: 'Jemand anderes',
  allPeople: (people) => icu('Alle {people, number} Personen zeigen', { people }),
  workOf: (name) => `Arbeit von ${name}`,
  changedSince: (count, isCut, since) =>
    isCut
      ? icu('Mehr als {count, number} Änderungen seit {since}', { count, since })
      : icu('{count, plural, one {# Änderung} other {# Änderungen}} seit {since}', { count, since }),
  added: 'Neu',
  edited: 'Geändert',
  newestFirst: (many) => `Alle ${many}, letzte Änderung zuerst`,
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
