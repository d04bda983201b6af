import type { Translation } from '../../lib/texts.ts'
import type { footMessages as english } from '../foot.ts'

export const footMessages: Translation<typeof english> = {
  calculate: 'Berechnen',
  calculateOf: (label) => `Berechnen: ${label}`,
  nothing: 'Nichts',
  of: (aggregate, label, value) => `${aggregate} von ${label}: ${value}`,
  aggregates: {
    count: 'Anzahl',
    filled: 'Ausgefüllt',
    empty: 'Leer',
    unique: 'Verschiedene',
    sum: 'Summe',
    average: 'Mittelwert',
    min: 'Kleinster Wert',
    max: 'Größter Wert',
    earliest: 'Frühester',
    latest: 'Spätester',
  },
}
