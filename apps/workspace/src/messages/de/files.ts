import { formatBytes, formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { fileMessages as english } from '../files.ts'

export const fileMessages: Translation<typeof english> = {
  add: 'Dateien hinzufügen',
  takePhoto: 'Foto aufnehmen',
  none: 'Keine Dateien',
  afterCreate: 'Dateien können Sie hinzufügen, sobald der Datensatz angelegt ist.',
  untilSaved: 'Wird beim Speichern hinzugefügt. Verlassen Sie die Seite vorher, geht es verloren.',
  notReady: 'Dateien lassen sich nach der nächsten Synchronisierung hinzufügen.',
  adding: (count) => icu('{count, plural, one {# Datei wird} other {# Dateien werden}} hinzugefügt', { count }),
  added: (count) => icu('{count, plural, one {# Datei} other {# Dateien}} hinzugefügt', { count }),
  tooMany: (max) => `Ein Feld hat höchstens ${formatCount(max)} Dateien.`,
  tooLarge: (names, max) => `${names.join(', ')}: Eine Datei darf höchstens ${formatBytes(max)} haben.`,
  sign: 'Unterschreiben',
  notSigned: 'Nicht unterschrieben',
  cancel: 'Abbrechen',
  save: (name) => `${name} speichern`,
  load: (name) => `${name} laden`,
  remove: (name) => `${name} entfernen`,
  removeTitle: (name) => `${name} entfernen?`,
  removeDetail: 'Die Datei wird für alle gelöscht, auf jedem Gerät.',
  removeLabel: 'Entfernen',
  removed: (name) => `${name} entfernt`,
  change: (label) => `Änderung von ${label}`,
}
