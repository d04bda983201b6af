import type { Translation } from '../../lib/texts.ts'
import type { arrangeMessages as english } from '../arrange.ts'

export const arrangeMessages: Translation<typeof english> = {
  open: 'Felder anordnen',
  title: (table) => `Felder von ${table}`,
  lead: 'Wo jedes Feld auf der Seite eines Eintrags steht, für alle, die die Tabelle sehen. Felder, die nicht gezeigt werden, bleiben in Tabellenansichten und Exporten.',
  main: 'Hauptteil',
  hidden: 'Nicht gezeigt',
  empty: 'Hier steht kein Feld.',
  partOf: (field) => `Wo ${field} steht`,
  up: (field) => `${field} nach oben`,
  down: (field) => `${field} nach unten`,
  movedTo: (field, part, place, count) => `${field}: ${part}, ${place} von ${count}`,
  newSection: 'Neuer Abschnitt',
  addSection: 'Hinzufügen',
  save: 'Für alle speichern',
  arrangement: (table) => `Anordnung von ${table}`,
}
