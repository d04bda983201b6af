import { icu, type Translation } from '../../lib/texts.ts'
import type { convertFieldMessages as english } from '../convert-field.ts'

export const convertFieldMessages: Translation<typeof english> = {
  title: (label) => `Art von ${label} ändern`,
  submit: 'Art ändern',
  type: 'Neue Art',
  fixed: 'Die Art dieses Felds lässt sich nicht ändern.',
  order: 'Schreibweise der Daten',
  orders: { iso: '2026-12-31', dmy: '31.12.2026', mdy: '12/31/2026' },
  dropTime: 'Uhrzeit weglassen',
  checking: 'Werte werden geprüft',
  options: (count) => icu('{count, plural, one {# Auswahlwert} other {# Auswahlwerte}} aus den Werten', { count }),
  all: (total) =>
    icu(
      '{total, plural, =0 {Kein Eintrag hat einen Wert} one {Der einzige Wert lässt sich umwandeln} other {Alle # Werte lassen sich umwandeln}}',
      { total },
    ),
  lost: (lost, total) =>
    icu('{lost, number} von {total, plural, one {# Wert} other {# Werten}} nicht umwandelbar', { lost, total }),
  values: 'Nicht umwandelbare Werte',
  records: (records) => icu('{records, plural, one {# Eintrag} other {# Einträge}}', { records }),
  rest: 'Diese Einträge',
  rests: { keep: 'Leeren, alten Text behalten', empty: 'Leeren' },
  keptIn: (label) => `In einem neuen Feld, ${label}`,
  before: (label) => `${[...label].slice(0, 30).join('')} (vorher)`,
  done: (label) => `Art von ${label} geändert`,
}
