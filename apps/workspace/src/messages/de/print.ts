import { capitalize, formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { printMessages as english } from '../print.ts'

export const printMessages: Translation<typeof english> = {
  title: (name) => `${name} drucken`,
  open: 'Drucken oder als PDF sichern',
  print: 'Drucken',
  hint: 'Für ein PDF wählen Sie „Als PDF speichern“ als Drucker.',
  back: 'Zurück',
  paper: 'Papier',
  orientation: 'Ausrichtung',
  portrait: 'Hochformat',
  landscape: 'Querformat',
  preparing: (done, total) => `${formatCount(done)} von ${formatCount(total)} Einträgen vorbereitet`,
  photosLoading: (count) => icu('{count, plural, one {# Foto wird} other {# Fotos werden}} noch geladen', { count }),
  photosMissing: (count) =>
    icu('{count, plural, one {# Foto ist} other {# Fotos sind}} nicht auf diesem Gerät. Gedruckt wird nur der Name.', {
      count,
    }),
  records: (count, noun, many) =>
    icu('{count, plural, one {# {noun}} other {# {many}}}', { count, noun: capitalize(noun), many: capitalize(many) }),
  filter: (words) => `Filter: ${words}`,
  search: (words) => `Suche: ${words}`,
  sorted: (fields) => `Sortiert nach ${fields}`,
  emptyFields: (fields) => `In keinem Eintrag ausgefüllt: ${fields}`,
  printed: (moment) => `Gedruckt ${moment}`,
  incomplete: (table) => `Einige Einträge von ${table} sind nicht auf diesem Gerät und fehlen hier.`,
  unsent: (count) =>
    icu('{count, plural, one {# Änderung} other {# Änderungen}} auf diesem Gerät noch nicht gesendet', { count }),
  tooManyTitle: (count) => `${formatCount(count)} Einträge sind zu viele zum Drucken`,
  tooMany: (limit) =>
    `Auf einmal lassen sich bis zu ${formatCount(limit)} drucken. Grenzen Sie die Ansicht mit einem Filter ein, oder exportieren Sie sie als Datei.`,
  noneTitle: 'Nichts zu drucken',
  none: 'Kein Eintrag passt zu dieser Ansicht.',
  descending: (field) => `${field} (absteigend)`,
  photos: 'Fotos',
  signature: 'Unterschrift',
  missingPhoto: (name) => `${name} – nicht auf diesem Gerät`,
  video: (name) => `${name} – Video`,
  photo: (index) => `Foto ${formatCount(index)}`,
  noAnswer: 'Keine Antwort',
  finding: (title) => `Feststellung: ${title}`,
  first: (shown, all) => `Die ersten ${formatCount(shown)} von ${formatCount(all)}`,
  gone: 'Dieser Eintrag ist nicht auf diesem Gerät',
}
