import type { Translation } from '../../lib/texts.ts'
import type { fieldFormatMessages as english } from '../field-formats.ts'

export const fieldFormatMessages: Translation<typeof english> = {
  rating: (value, max) => `${value} von ${max}`,
  ratingBetween: (max) => `Geben Sie eine Zahl von 1 bis ${max} ein`,
  clearRating: 'Bewertung löschen',
  duration: 'Geben Sie Stunden und Minuten ein, etwa 1:30 oder 90 min',
  wholeMinutes: 'Geben Sie ganze Minuten ein',
  location: 'Geben Sie Breite und Länge ein, etwa 52.52, 13.405',
  locate: 'Meine Position verwenden',
  located: (metres) => `Auf etwa ${metres} genau`,
  notLocated: {
    denied: 'Der Browser gibt dieser Website Ihre Position nicht. Erlauben Sie es in den Einstellungen der Website.',
    unavailable: 'Keine Position gefunden. Versuchen Sie es im Freien.',
  },
  scan: 'Scannen',
  filesElsewhere: 'Öffnen Sie den Datensatz, um Dateien hinzuzufügen oder zu entfernen',
}
