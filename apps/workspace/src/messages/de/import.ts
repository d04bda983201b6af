import { formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import { shareOf, type importMessages as english } from '../import.ts'

export const importMessages: Translation<typeof english> = {
  title: 'Einträge importieren',
  description: 'Einträge aus einer CSV- oder XLSX-Datei in eine vorhandene Tabelle übernehmen. Das geht auch offline.',
  into: 'Importieren in',
  existing: 'Eine vorhandene Tabelle',
  onlyAdmins: 'Nur Inhaber und Admins des Arbeitsbereichs können Tabellen anlegen.',
  onlyAdminsDetail: 'Sie können die Datei in eine vorhandene Tabelle importieren.',
  home: 'Startseite',
  table: 'In die Tabelle',
  noTable: 'Sie können in keiner Tabelle Einträge hinzufügen oder ändern.',
  chooseFile: 'Datei wählen',
  otherFile: 'Andere Datei wählen',
  dropHere: 'oder hier ablegen',
  reading: 'Datei wird gelesen',
  rowsRead: (rows) => icu('{rows, plural, one {# Zeile} other {# Zeilen}}', { rows }),
  file: (name, rows, columns) =>
    icu('{name}: {rows, plural, one {# Zeile} other {# Zeilen}}, {columns, plural, one {# Spalte} other {# Spalten}}', {
      name,
      rows,
      columns,
    }),
  encoding: 'Kodierung',
  encodings: {
    'utf-8': 'UTF-8',
    'utf-16le': 'UTF-16',
    'utf-16be': 'UTF-16 (Big-Endian)',
    'windows-1252': 'Windows-1252',
  },
  delimiter: 'Trennzeichen',
  delimiters: { ',': 'Komma', ';': 'Semikolon', '\t': 'Tabulator', '|': 'Senkrechter Strich' },
  decimal: 'Dezimalzahlen',
  decimals: { '.': '1,234.5', ',': '1.234,5' },
  dayOrder: 'Datumsangaben',
  dayOrders: { dmy: 'Tag zuerst, 31.12.2026', mdy: 'Monat zuerst, 12/31/2026' },
  sheet: 'Blatt',
  hiddenSheet: (name) => `${name} (ausgeblendet)`,
  head: 'Spaltennamen',
  headAt: (row, texts) => `Zeile ${formatCount(row)}: ${texts}`,
  headAtTwo: (row, texts) => `Zeilen ${formatCount(row)} und ${formatCount(row + 1)}: ${texts}`,
  noHead: 'Keine, die erste Zeile ist ein Eintrag',
  columnAt: (place) => `Spalte ${place}`,
  brokenText: (row) =>
    `Die Datei hat beschädigte Zeichen, hier � (zuerst in Zeile ${formatCount(row)}). Wählen Sie eine andere Kodierung, wenn viele falsch sind.`,
  unsavedFormulas: (count) =>
    icu(
      '{count, plural, one {# Formel hat kein gespeichertes Ergebnis und bleibt} other {# Formeln haben kein gespeichertes Ergebnis und bleiben}} leer. Öffnen und speichern Sie die Datei in einer Tabellenkalkulation, und wählen Sie sie noch einmal.',
      { count },
    ),
  errorCells: (count) =>
    icu(
      '{count, plural, one {# Zelle hat einen Fehler wie #NV und bleibt} other {# Zellen haben Fehler wie #NV und bleiben}} leer.',
      { count },
    ),
  mergedCells: (count) =>
    icu('{count, plural, one {# Zeile hat} other {# Zeilen haben}} den Wert einer verbundenen Zelle darüber.', {
      count,
    }),
  hiddenRows: (count) =>
    icu('{count, plural, one {# ausgeblendete Zeile ist} other {# ausgeblendete Zeilen sind}} dabei.', { count }),
  hiddenColumns: (count) =>
    icu('{count, plural, one {# ausgeblendete Spalte ist} other {# ausgeblendete Spalten sind}} dabei.', { count }),
  openQuote:
    'Ein Anführungszeichen in dieser Datei wird geöffnet und nie geschlossen. Alles danach steht in der letzten Zeile.',
  problems: {
    too_large: 'Die Datei ist größer als 100 MB. Teilen Sie sie auf.',
    too_many_rows: 'Die Datei hat mehr als 100.000 Zeilen. Teilen Sie sie auf.',
    too_many_columns: 'Die Datei hat mehr als 400 Spalten.',
    too_many_cells: 'Die Datei hat mehr als 4.000.000 Zellen. Teilen Sie sie auf, oder nehmen Sie Spalten heraus.',
    unpacks_too_large:
      'Entpackt ist die Datei größer, als dieses Gerät liest. Speichern Sie sie als CSV, oder teilen Sie sie auf.',
    old_excel: 'Diese Datei ist aus einem alten Excel (.xls). Speichern Sie sie als XLSX oder CSV.',
    password: 'Die Datei hat ein Passwort. Speichern Sie sie ohne.',
    web_page:
      'Die Datei ist eine Webseite mit dem Namen einer Tabelle. Öffnen Sie sie in einer Tabellenkalkulation, und speichern Sie sie als XLSX.',
    broken_xlsx:
      'Die Datei beginnt wie eine XLSX, lässt sich aber nicht lesen. Speichern Sie sie noch einmal, oder als CSV.',
    empty: 'Diese Datei oder dieses Blatt ist leer.',
  },
  unreadable: 'Die Datei konnte nicht gelesen werden. Wählen Sie sie noch einmal.',

  fields: 'Felder',
  column: 'Spalte der Datei',
  becomes: 'Wird zu',
  becomesOf: (column) => `${column} wird zu`,
  leftOut: 'Ausgelassen',
  titleOf: (header) => `${header} (nach Name oder Nummer)`,
  fits: 'Passt',
  fitsOf: (fit, filled) => {
    if (filled === 0) return 'leer'
    return fit === filled ? shareOf(fit, filled) : `${shareOf(fit, filled)} (${formatCount(filled - fit)} nicht)`
  },
  sample: 'Beispiel',
  key: 'Vorhandene Einträge finden nach',
  noKey: 'Nichts, jede Zeile ist ein neuer Eintrag',

  checking: 'Zeilen werden geprüft',
  checked: (done, total) => icu('{done, number} von {total, plural, one {# Zeile} other {# Zeilen}}', { done, total }),
  result: 'Vorschau',
  inserts: (count) => icu('{count, plural, one {# Eintrag} other {# Einträge}} hinzufügen', { count }),
  updates: (count) => icu('{count, plural, one {# Eintrag} other {# Einträge}} ändern', { count }),
  same: (count) => icu('{count, plural, one {# Zeile ist} other {# Zeilen sind}} unverändert', { count }),
  refused: (count) =>
    icu('{count, plural, one {# Zeile passt nicht und wird} other {# Zeilen passen nicht und werden}} ausgelassen', {
      count,
    }),
  nothing: 'Es gibt nichts zu ändern.',
  issues: 'Zeilen, die nicht passen',
  row: 'Zeile',
  value: 'Wert',
  reason: 'Warum',
  wholeRow: 'Ganze Zeile',
  moreIssues: (count) => `${formatCount(count)} weitere stehen in der Datei`,
  download: 'Zeilen, die nicht passen, herunterladen',
  downloadName: (table) => `${table} – Zeilen, die nicht passen.csv`,
  run: (count) => icu('{count, plural, one {# Eintrag} other {# Einträge}} importieren', { count }),
  writing: 'Einträge werden auf diesem Gerät gespeichert',
  checkStopped: (checked) => `Prüfung gestoppt: ${checked}. Nichts wurde importiert.`,
  checkAgain: 'Noch einmal prüfen',
  stop: 'Anhalten',
  done: (count) => icu('{count, plural, one {# Eintrag} other {# Einträge}} auf diesem Gerät importiert', { count }),
  doneDetail: 'Sie werden automatisch gesendet. Was der Server nicht annimmt, steht unter „Zu klären“.',
  stopped: (left) => icu('Angehalten: {left, plural, one {# Zeile} other {# Zeilen}} nicht importiert.', { left }),
  undo: 'Import rückgängig machen',
  undoing: 'Import wird rückgängig gemacht',
  undone: 'Import rückgängig gemacht.',
  undoneExcept: (kept) =>
    icu(
      'Import rückgängig gemacht, außer {kept, plural, one {# Eintrag, der} other {# Einträgen, die}} seitdem geändert {kept, plural, one {wurde} other {wurden}}.',
      { kept },
    ),
  past: 'Auf diesem Gerät importiert',
  pastDetail: 'Sieben Tage lang lässt sich ein Import in einem Schritt rückgängig machen.',
  pastOf: (table, records, at) =>
    icu('{records, plural, one {# Eintrag} other {# Einträge}} in {table} · {at}', { records, table, at }),
  undoOf: (file) => `Import von ${file} rückgängig machen`,
  undoTitle: (file) => `Import von ${file} rückgängig machen?`,
  undoDeletes: (count) =>
    icu('{count, plural, one {# importierter Eintrag wird} other {# importierte Einträge werden}} gelöscht.', {
      count,
    }),
  undoRestores: (count) =>
    icu('{count, plural, one {# Eintrag bekommt} other {# Einträge bekommen}} die früheren Werte zurück.', { count }),
  undoRefused: (reason) =>
    `Der Server wird davon nicht alles annehmen: ${reason} Was er nicht annimmt, steht unter „Zu klären“.`,
  counting: 'Seitdem geänderte Einträge werden gesucht …',
  keeps: (count) =>
    icu(
      '{count, plural, =0 {Kein Eintrag wurde seitdem geändert.} one {# davon wurde seitdem geändert und bleibt, wie er ist.} other {# davon wurden seitdem geändert und bleiben, wie sie sind.}}',
      { count },
    ),
  show: (table) => `${table} zeigen`,
  again: 'Weitere Datei importieren',
  label: (file) => `Import von ${file}`,
  undoFailed: 'Der Import konnte nicht ganz rückgängig gemacht werden. Versuchen Sie es noch einmal.',
  failed: 'Der Import brach mit einem Fehler ab. Was bisher importiert wurde, ist auf diesem Gerät.',

  noYear: 'Das Datum braucht ein Jahr',
  nul: 'Enthält ein NUL-Zeichen',
  tooManyCells: 'Die Zeile hat mehr Zellen, als es Spalten gibt',
  noLink: (text) => `Kein Eintrag heißt „${text}“`,
  manyLinks: (count, text) => `${formatCount(count)} Einträge heißen „${text}“`,
  twoLinks: 'Der Name und die ID gehören zu verschiedenen Einträgen',
  manyRecords: (count) => `${formatCount(count)} Einträge haben diesen Wert`,
  sameKey: (row) => `Zeile ${formatCount(row)} gehört zum selben Eintrag`,
  sameId: 'Es gibt schon einen Eintrag mit dieser ID',
  needsValue: 'Ein Wert ist nötig',
  missing: (label) => `${label} braucht einen Wert, und keine Spalte hat ihn`,
  mayNotAdd: 'Sie dürfen dieser Tabelle keine Einträge hinzufügen',
  mayNotChange: 'Sie dürfen die Einträge dieser Tabelle nicht ändern',
}
