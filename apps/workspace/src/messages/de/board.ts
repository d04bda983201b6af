import { formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { boardMessages as english } from '../board.ts'

export const boardMessages: Translation<typeof english> = {
  lanesBy: 'Bahnen nach',
  boardOf: (table) => `${table}, Tafel`,
  lane: (name, count) => `${name}, ${formatCount(count)}`,
  noValue: 'Ohne Wert',
  emptyLane: 'Hier ist nichts. Ziehen Sie ein Kärtchen hierher oder wählen Sie dort „Verschieben“.',
  emptyLaneReadOnly: 'Hier ist nichts.',
  more: (count) => `${formatCount(count)} weitere zeigen`,
  move: (title) => `${title} verschieben`,
  moveTo: 'Verschieben nach',
  moved: (title, lane) => `${title} ist jetzt in ${lane}`,
  notAllowed: 'nicht erlaubt',
  needsValue: 'braucht einen Wert',
  noLanes: 'Diese Tabelle hat kein Feld, das Bahnen ergibt',
  noLanesDetail:
    'Eine Tafel braucht ein Feld mit Auswahl, ein Ja-Nein-Feld oder eine Verknüpfung mit einer anderen Tabelle.',
  lanesMany: (shown, all) =>
    icu('{shown, number} von {all, plural, one {# Bahn wird} other {# Bahnen werden}} gezeigt', { shown, all }),
  keys: 'Die Pfeiltasten gehen von Kärtchen zu Kärtchen, Enter öffnet eines, M verschiebt es, Alt mit Pfeil links oder rechts verschiebt es um eine Bahn.',
}
