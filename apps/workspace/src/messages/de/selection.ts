import { capitalize, formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { selectionMessages as english } from '../selection.ts'

export const selectionMessages: Translation<typeof english> = {
  selection: 'Ausgewählte Einträge',
  clear: 'Auswahl aufheben',
  records: (count) => `${formatCount(count)} ausgewählt`,
  cells: (cells, rows, one, many) =>
    icu('{cells, plural, one {# Zelle} other {# Zellen}}, {rows, number} {noun}', {
      cells,
      rows,
      noun: capitalize(rows === 1 ? one : many),
    }),
  all: (count) => `Alle ${formatCount(count)} auswählen`,
  editField: 'Feld bearbeiten',
  assign: 'Zuweisen',
  export: 'Exportieren',
  delete: 'Löschen',
  addToChecklist: 'Zu Checkliste hinzufügen',
  addOf: (count, one, many) =>
    icu('Checkliste für {count, number} {noun} beginnen', { count, noun: capitalize(count === 1 ? one : many) }),
  checklist: 'Checkliste',
  onlyWithout: 'Einträge mit einer Checkliste behalten diese.',
  makesRecords: (table) => `Legt für jeden einen Eintrag in ${table} an.`,
  hasChecklist: 'Hat schon eine Checkliste',
  startOf: (name, count, one, many) =>
    icu('{name} für {count, number} {noun} beginnen', { name, count, noun: capitalize(count === 1 ? one : many) }),
  started: (name, count, one, many) =>
    icu('{name} für {count, number} {noun} begonnen', { name, count, noun: capitalize(count === 1 ? one : many) }),
  editOf: (count, one, many) =>
    icu('{count, number} {noun} bearbeiten', { count, noun: capitalize(count === 1 ? one : many) }),
  assignTo: (count, one, many) =>
    icu('{count, number} {noun} zuweisen', { count, noun: capitalize(count === 1 ? one : many) }),
  exportOf: (count, one, many) =>
    icu('{count, number} {noun} exportieren', { count, noun: capitalize(count === 1 ? one : many) }),
  apply: 'Anwenden',
  chooseValue: 'Wählen Sie einen Wert',
  deleteTitle: (count, one, many) =>
    icu('{count, number} {noun} löschen?', { count, noun: capitalize(count === 1 ? one : many) }),
  deleteDetail: 'Das lässt sich in diesem Tab rückgängig machen.',
  writing: 'Wird auf diesem Gerät gespeichert',
  written: (done, total) => `${formatCount(done)} von ${formatCount(total)}`,
  cancelled: 'Abgebrochen. Kein Eintrag wurde geändert.',
}
