import { capitalize, formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { gridMessages as english } from '../grid.ts'

export const gridMessages: Translation<typeof english> = {
  notStored: 'Nicht gespeichert: dieses Gerät ist voll. Schaffen Sie Platz und drücken Sie dann Enter.',
  gridName: (table) => `${table}, Tabelle`,
  listName: (table) => `${table}, Liste`,
  searchIn: (table) => `In ${table} suchen`,
  search: 'In der Ansicht suchen',
  searchShort: 'Suchen',
  filter: 'Filtern',
  filterCount: (count) => icu('Filtern, {count, plural, one {# Bedingung} other {# Bedingungen}}', { count }),
  sort: 'Sortieren',
  sortCount: (count) => icu('Sortieren, {count, plural, one {# Feld} other {# Felder}}', { count }),
  fields: 'Felder',
  fieldsHidden: (count) => `Felder, ${formatCount(count)} ausgeblendet`,
  asList: 'Als Liste zeigen',
  asGrid: 'Als Tabelle zeigen',
  newRecord: 'Neu',
  newOf: (noun) => `Neu: ${capitalize(noun)}`,
  view: 'Ansicht',

  clearFilters: 'Filter aufheben',

  sortBy: (label, state) =>
    state === 'none'
      ? `Nach ${label} sortieren`
      : state === 'ascending'
        ? `Andersherum nach ${label} sortieren`
        : `Nicht mehr nach ${label} sortieren`,

  addField: 'Feld hinzufügen',
  menuOf: (label) => `Menü von ${label}`,
  check: (title) => `${title} auswählen`,
  checkAll: 'Alle Einträge auswählen',
  rowHeader: 'Eintrag',
  rowHeaderName: (row) => `Zeile ${formatCount(row)}`,
  openRecord: (title) => `${title} öffnen`,
  cell: (label, text) => `${label}: ${text}`,
  emptyCell: 'leer',
  late: 'überfällig',
  changedCell: 'auf diesem Gerät geändert',
  readOnlyCell: 'Dieses Feld wird automatisch ausgefüllt',
  readOnlyTable: 'Sie können diese Tabelle lesen, aber nicht ändern',
  editing: (label) => `${label} bearbeiten`,

  count: (shown, total, noun, many) =>
    icu('{some, select, true {{shown, number} von } other {}}{total, plural, one {# {one}} other {# {others}}}', {
      some: String(shown !== total),
      shown,
      total,
      one: capitalize(noun),
      others: capitalize(many),
    }),
  fillHandle: 'Ziehen zum Ausfüllen',
  changesCells: (cells) => icu('Ändert {cells, plural, one {# Zelle} other {# Zellen}}', { cells }),
  selected: (cells) => icu('{cells, plural, one {# Zelle} other {# Zellen}} ausgewählt', { cells }),
  changed: (rows) => icu('{rows, plural, one {# Eintrag} other {# Einträge}} auf diesem Gerät geändert', { rows }),
  refused: (rows) => icu('{rows, plural, one {# Eintrag} other {# Einträge}} nicht angenommen', { rows }),

  reading: (many) => `${capitalize(many)} werden von diesem Gerät gelesen`,
}
