import { icu, type Translation } from '../../lib/texts.ts'
import type { newTableMessages as english, newTableRefusals as englishRefusals } from '../new-table.ts'

export const newTableMessages: Translation<typeof english> = {
  title: 'Neue Tabelle aus einer Datei',
  choice: 'Eine neue Tabelle',
  description: 'Aus einer CSV- oder XLSX-Datei wird eine Tabelle für alle in diesem Arbeitsbereich, oder für einige.',
  offline:
    'Eine Tabelle entsteht auf dem Server. Sie können sie jetzt vorbereiten und anlegen, sobald Sie online sind.',
  teams: 'Teams',

  fields: 'Felder',
  label: 'Heißt',
  labelOf: (column) => `${column} heißt`,
  becomes: 'Ist',
  becomesOf: (column) => `${column} ist`,
  kinds: {
    text: 'Text',
    long_text: 'Langer Text',
    email: 'E-Mail-Adresse',
    url: 'Webadresse',
    phone: 'Telefonnummer',
    integer: 'Ganze Zahl',
    number: 'Zahl',
    boolean: 'Ja oder nein',
    date: 'Datum',
    datetime: 'Datum und Uhrzeit',
    choice: 'Auswahl',
    id: 'Die ID des Eintrags',
    left_out: 'Ausgelassen',
  },
  linkTo: (table) => `Verweis auf ${table}`,
  labelForm: 'Bis zu 40 Zeichen, ohne Punkt',

  table: 'Tabelle',
  name: 'Wie die Tabelle heißt',
  nameOf: (name) => `In der Datenbank: ${name}`,
  titleField: 'Was einen Eintrag benennt',
  noTitle: 'Es ist kein Text darin: Einträge haben nur Nummern',

  access: 'Wer die Einträge sieht',
  accessKinds: {
    members: 'Alle in diesem Arbeitsbereich',
    own: 'Wer den Eintrag angelegt hat',
    team: 'Das Team des Eintrags',
  },
  accessDetails: {
    members: 'Wer bearbeiten darf, ändert sie.',
    own: 'Und Leitung und Verwaltung.',
    team: 'Und Leitung und Verwaltung. Das Team steht in einem Feld.',
  },
  teamField: 'Feld mit dem Team',
  guests:
    'Gäste sehen, was mit ihnen geteilt ist. Wie die Tabelle und ihre Felder heißen, wissen alle, die sich bei diesem Projekt anmelden.',
  rules: 'Die Regeln, wie sie in der Datenbank stehen werden',
  rulesLoading: 'Der Server wird gefragt',

  review: 'Was entsteht',
  make: (rows) => icu('Anlegen und {rows, plural, one {# Eintrag} other {# Einträge}} importieren', { rows }),
  makeEmpty: 'Ohne Einträge anlegen',
  making: 'Die Tabelle wird angelegt',
  arriving: 'Die Tabelle ist angelegt. Sie kommt auf dieses Gerät',
  slow: 'Das dauert länger als sonst. Die Tabelle gibt es; Sie können die Datei auch später in sie importieren.',
  remove: 'Auch die leere Tabelle entfernen',
  removed: 'Die Tabelle wurde entfernt.',
}

export const newTableRefusals: Translation<typeof englishRefusals> = {
  unreachable:
    'Der Server hat nicht geantwortet. Steht die Tabelle trotzdem in der Liste, ist sie angelegt; sonst versuchen Sie es noch einmal.',
  'people.not_admin': 'Nur Leitung und Verwaltung des Arbeitsbereichs legen Tabellen an.',
  'new_table.name': 'Der Name der Tabelle oder eines Feldes geht nicht. Nennen Sie es anders.',
  'new_table.label': 'Eine Tabelle und jedes Feld heißt mit 1 bis 40 Zeichen, ohne Punkt.',
  'new_table.exists': 'Eine Tabelle mit diesem Namen gibt es schon. Nennen Sie sie anders.',
  'new_table.fields': 'Eine Tabelle hat zwischen 1 und 200 Felder. Lassen Sie einige aus.',
  'new_table.kind': 'Der Server kennt eine der Feldarten nicht. Er ist vielleicht älter als diese App.',
  'new_table.twice': 'Zwei Felder haben denselben Namen. Nennen Sie eines anders.',
  'new_table.choices':
    'Eine Auswahl hat bis zu 100 Wörter mit 100 Zeichen, in einer Zeile und ohne Backslash. Machen Sie einen Text daraus.',
  'new_table.link': 'Ein Verweis führt zu einer Tabelle, die es nicht mehr gibt. Wählen Sie neu.',
  'new_table.team': 'Das Feld mit dem Team muss ein Verweis auf Teams sein.',
  'new_table.access': 'Der Server kennt diese Wahl nicht, wer die Einträge sieht.',
  'new_table.limit': 'Ein Arbeitsbereich legt höchstens 100 Tabellen an. Der Betrieb kann mehr anlegen.',
  'new_table.has_records':
    'Die Tabelle hat noch Einträge. Was Sie zurückgenommen haben, ist vielleicht noch nicht gesendet: Warten Sie, und versuchen Sie es noch einmal.',
  'new_table.not_made_here': 'Diese Tabelle wurde nicht in der App angelegt. Der Betrieb entfernt sie.',
  'new_table.busy':
    'Jemand schreibt gerade in eine Tabelle, auf die diese verweist. Versuchen Sie es gleich noch einmal.',
}
