import { icu, type Translation } from '../../lib/texts.ts'
import type { newTableMessages as english, newTableRefusals as englishRefusals } from '../new-table.ts'

export const newTableMessages: Translation<typeof english> = {
  title: 'Neue Tabelle aus einer Datei',
  choice: 'Eine neue Tabelle',
  description: 'Erstellen Sie eine Tabelle aus einer CSV- oder XLSX-Datei, und legen Sie fest, wer die Einträge sieht.',
  offline:
    'Eine Tabelle entsteht auf dem Server. Sie können sie jetzt vorbereiten und anlegen, sobald Sie online sind.',
  teams: 'Teams',

  fields: 'Felder',
  label: 'Feldname',
  labelOf: (column) => `Feldname von ${column}`,
  becomes: 'Art',
  becomesOf: (column) => `Art von ${column}`,
  kinds: {
    text: 'Text',
    long_text: 'Langer Text',
    email: 'E-Mail-Adresse',
    url: 'Webadresse',
    phone: 'Telefonnummer',
    integer: 'Ganze Zahl',
    number: 'Zahl',
    boolean: 'Kontrollkästchen',
    date: 'Datum',
    datetime: 'Datum und Uhrzeit',
    choice: 'Auswahl',
    currency: 'Währung',
    percent: 'Prozent',
    id: 'ID des Eintrags',
    left_out: 'Nicht importieren',
  },
  currencyOf: (code) => `Währung (${code})`,
  linkTo: (table) => `Verweis auf ${table}`,
  almost: (kind, misfit) => `${kind}, außer „${misfit}“`,
  labelForm: 'Bis zu 40 Zeichen, ohne Punkt',

  table: 'Tabelle',
  name: 'Tabellenname',
  nameOf: (name) => `In der Datenbank: ${name}`,
  titleField: 'Titelfeld',
  noTitle: 'Fügen Sie ein Textfeld hinzu, damit Einträge einen Titel haben',

  access: 'Wer die Einträge sehen kann',
  accessKinds: {
    members: 'Alle in diesem Arbeitsbereich',
    own: 'Nur wer den Eintrag angelegt hat',
    team: 'Ein Team',
  },
  accessDetails: {
    members: 'Wer bearbeiten darf, kann sie ändern.',
    own: 'Inhaber und Admins sehen alle Einträge.',
    team: 'Das Team aus einem Feld, dazu Inhaber und Admins.',
  },
  teamField: 'Teamfeld',
  guests:
    'Gäste sehen nur Einträge, die mit ihnen geteilt sind. Die Namen der Tabelle und ihrer Felder sehen alle Konten dieses Servers.',
  rules: 'SQL anzeigen',
  rulesLoading: 'Wird geladen',

  emptyTitle: 'Neue Tabelle',
  emptyDescription: 'Legen Sie die Felder fest. Einträge können Sie hinzufügen, sobald die Tabelle angelegt ist.',
  firstFields: ['Name', 'Notizen'],
  fieldName: (place) => `Name von Feld ${place}`,
  fieldKind: (place) => `Art von Feld ${place}`,
  choicesOf: (place) => `Auswahl von Feld ${place}, eine je Zeile`,
  choicesMissing: 'Geben Sie mindestens einen Wert ein',
  fieldMissing: 'Geben Sie jedem Feld einen Namen',
  nameMissing: 'Geben Sie der Tabelle einen Namen',
  addField: 'Feld hinzufügen',
  removeField: (label) => `${label} entfernen`,
  create: 'Tabelle anlegen',

  review: 'Überblick',
  make: (rows) => icu('Tabelle anlegen und {rows, plural, one {# Eintrag} other {# Einträge}} importieren', { rows }),
  makeEmpty: 'Tabelle ohne Einträge anlegen',
  making: 'Die Tabelle wird angelegt',
  arriving: 'Die Tabelle ist angelegt und wird auf dieses Gerät geladen',
  slow: 'Das dauert länger als sonst. Die Tabelle gibt es; Sie können die Datei auch später in sie importieren.',
  removing: 'Tabelle wird gelöscht',
  removingDetail: 'Ihre Änderungen werden zuerst gesendet',
  remove: 'Leere Tabelle löschen',
  removed: 'Die Tabelle wurde gelöscht.',
}

export const newTableRefusals: Translation<typeof englishRefusals> = {
  unreachable:
    'Der Server hat nicht geantwortet. Steht die Tabelle trotzdem in der Liste, ist sie angelegt; sonst versuchen Sie es noch einmal.',
  'people.not_admin': 'Nur Inhaber und Admins des Arbeitsbereichs können Tabellen anlegen.',
  'new_table.name': 'Der Name der Tabelle oder eines Feldes geht nicht. Nennen Sie es anders.',
  'new_table.label': 'Eine Tabelle und jedes Feld heißt mit 1 bis 40 Zeichen, ohne Punkt.',
  'new_table.exists': 'Eine Tabelle mit diesem Namen gibt es schon. Nennen Sie sie anders.',
  'new_table.deleted':
    'Eine gelöschte Tabelle hat diesen Namen. Stellen Sie sie in den Einstellungen des Arbeitsbereichs wieder her, oder wählen Sie einen anderen Namen.',
  'new_table.fields': 'Eine Tabelle hat zwischen 1 und 200 Felder. Lassen Sie einige aus.',
  'new_table.kind': 'Der Server kennt eine der Feldarten nicht. Er ist vielleicht älter als diese App.',
  'new_table.format': 'Der Server kennt das Format eines der Felder nicht.',
  'new_table.twice': 'Zwei Felder haben denselben Namen. Nennen Sie eines anders.',
  'new_table.choices':
    'Eine Auswahl hat bis zu 100 Wörter mit 100 Zeichen, in einer Zeile und ohne Backslash. Machen Sie einen Text daraus.',
  'new_table.link': 'Ein Verweis führt zu einer Tabelle, die es nicht mehr gibt. Wählen Sie neu.',
  'new_table.team': 'Das Feld mit dem Team muss ein Verweis auf Teams sein.',
  'new_table.access': 'Der Server kennt diese Einstellung für den Zugriff nicht.',
  'new_table.limit': 'Ein Arbeitsbereich kann höchstens 100 Tabellen in der App anlegen.',
  'new_table.has_records': 'Jemand anders hat dieser Tabelle Einträge hinzugefügt, deshalb bleibt sie.',
  'new_table.not_made_here': 'Diese Tabelle wurde nicht in der App angelegt und kann hier nicht gelöscht werden.',
  'new_table.busy':
    'Jemand schreibt gerade in eine Tabelle, auf die diese verweist. Versuchen Sie es gleich noch einmal.',
}
