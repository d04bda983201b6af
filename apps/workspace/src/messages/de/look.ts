import { formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { lookMessages as english } from '../look.ts'

export const lookMessages: Translation<typeof english> = {
  group: 'Gruppieren',
  groupCount: (count) => icu('Gruppieren, nach {count, plural, one {# Feld} other {# Feldern}}', { count }),
  look: 'Aussehen',
  lookCount: (count) => `Aussehen, ${formatCount(count)} eingestellt`,
  tones: { danger: 'Dringend', warning: 'Achtung', success: 'In Ordnung', info: 'Hinweis' },
  automatic: 'Wie auf diesem Gerät',
  height: 'Zeilenhöhe',
  heights: { compact: 'Dicht', medium: 'Mittel', tall: 'Hoch' },
  frozen: 'Spalten, die sichtbar bleiben',
  columns: (count) => (count === 0 ? 'Keine' : icu('{count, plural, one {# Spalte} other {# Spalten}}', { count })),
  rules: 'Farben',
  rule: 'Regel',
  addRule: 'Regel hinzufügen',
  removeRule: 'Regel entfernen',
  tone: 'Markieren als',
  target: 'Was markiert wird',
  whole: 'Der ganze Eintrag',
  noConditions: 'Fügen Sie eine Bedingung hinzu, um zu sagen, welche Einträge markiert werden.',
  moveUp: (label) => `${label} nach oben`,
  moveDown: (label) => `${label} nach unten`,
}
