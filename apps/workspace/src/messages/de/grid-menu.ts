import { icu, type Translation } from '../../lib/texts.ts'
import type { menuMessages as english } from '../grid-menu.ts'

export const menuMessages: Translation<typeof english> = {
  columnMenu: (label) => `Menü von ${label}`,
  cellMenu: 'Menü der ausgewählten Zellen',
  ascending: 'Aufsteigend sortieren',
  descending: 'Absteigend sortieren',
  filterBy: 'Nach diesem Feld filtern',
  groupBy: 'Nach diesem Feld gruppieren',
  ungroup: 'Gruppierung aufheben',
  freeze: 'Bis hierhin fixieren',
  unfreeze: 'Fixierung aufheben',
  hide: 'Feld ausblenden',
  hidden: (label) => `${label} ist ausgeblendet`,
  width: 'Breite festlegen',
  widthOf: 'Breite in Pixeln',
  widthLimits: (min, max) => `Geben Sie eine Zahl von ${min} bis ${max} ein`,
  automatic: 'Automatisch',
  apply: 'Anwenden',
  open: 'Eintrag öffnen',
  select: (rows) => icu('{rows, plural, one {Eintrag} other {# Einträge}} auswählen', { rows }),
  edit: (cells) => icu('{cells, plural, one {Zelle} other {# Zellen}} bearbeiten', { cells }),
  copy: 'Kopieren',
  fill: 'Nach unten ausfüllen',
  clear: 'Leeren',
  delete: (rows) => icu('{rows, plural, one {Eintrag} other {# Einträge}} löschen', { rows }),
}
