import { formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { fieldMessages as english } from '../fields.ts'

export const fieldMessages: Translation<typeof english> = {
  required: (label) => `${label} braucht einen Wert`,
  notStored: 'Nicht gespeichert: dieses Gerät ist voll. Schaffen Sie Platz und geben Sie es dann noch einmal ein.',
  email: 'Geben Sie eine E-Mail-Adresse wie name@example.com ein',
  url: 'Geben Sie eine Webadresse ein, die mit https:// oder http:// beginnt',
  number: 'Geben Sie eine Zahl ein',
  wholeNumber: 'Geben Sie eine ganze Zahl ein',
  digits: (digits) => icu('Höchstens {digits, plural, one {eine Stelle} other {# Stellen}} nach dem Komma', { digits }),
  between: (min, max) => `Zwischen ${min} und ${max}`,
  boolean: 'Geben Sie ja oder nein ein',
  date: (from, to) => `Geben Sie ein Datum zwischen ${from} und ${to} ein, zum Beispiel 20.11.2026 oder 20. Nov`,
  datetime: 'Geben Sie Datum und Uhrzeit ein, zum Beispiel 20.11.2026 14:30',
  choice: (choices) => `Wählen Sie eines von: ${choices.join(', ')}`,
  link: 'Wählen Sie einen Eintrag aus der Liste',
  uuid: 'Geben Sie eine Kennung aus 32 Hexadezimalziffern ein',
  json: 'Geben Sie gültiges JSON ein',
  binary: 'Dieses Feld kann hier nicht bearbeitet werden',
  tooLong: (max, length) => `Höchstens ${formatCount(max)} Zeichen; es sind ${formatCount(length)}`,
  empty: 'Leer',
  yes: 'Ja',
  no: 'Nein',
  choose: 'Auswählen',
  search: 'Suchen',
  chosen: (label) => `${label}, ausgewählt`,
  clear: 'Leeren',
  noOption: 'Nichts passt',
  openLink: (label) => `${label} öffnen`,
  optional: 'freiwillig',
  requiredMark: 'nötig',
}
