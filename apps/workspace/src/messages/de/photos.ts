import { formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { photoMessages as english } from '../photos.ts'

export const photoMessages: Translation<typeof english> = {
  waiting: 'Wartet',
  onDevice: 'Auf diesem Gerät, wird noch gesendet',
  waitsForWifi: 'Auf diesem Gerät, wartet auf ein Netz, das nichts kostet',
  paused: 'Auf diesem Gerät, angehalten',
  tryingAgain: 'Auf diesem Gerät, wird bald wieder versucht',
  sending: (percent) => `Wird gesendet: ${percent} %`,
  partSent: (percent) => `${percent} % gesendet, wird fortgesetzt`,
  refused: (reason) => `Nicht angenommen: ${reason}`,
  elsewhere: 'Auf einem anderen Gerät, noch nicht gesendet',
  notHere: 'Nicht auf diesem Gerät. Zum Laden tippen',
  loading: 'Wird geladen',
  loadsLater: 'Wird geladen, wenn eine Verbindung da ist',
  unavailable: 'Nicht auf dem Server. Zum Wiederholen tippen',
  unknownReason: 'der Server nannte keinen Grund',
  reasons: {
    EntityTooLarge: 'die Datei ist zu groß',
    InvalidMimeType: 'Dateien dieser Art werden hier nicht angenommen',
    AccessDenied: 'Sie dürfen zu diesem Eintrag keine Dateien hinzufügen',
    KeyAlreadyExists: 'eine andere Datei hat ihren Platz',
    row_gone: 'der Eintrag dazu ist weg',
    bytes_missing: 'der Browser hat die Datei gelöscht, um Platz zu schaffen',
  },

  recordWaiting: (count) => icu('{count, plural, one {# Foto} other {# Fotos}} noch nicht gesendet', { count }),
  recordFilesWaiting: (count) => icu('{count, plural, one {# Datei} other {# Dateien}} noch nicht gesendet', { count }),
  recordFilesSending: (count) =>
    icu('{count, plural, one {# Datei wird} other {# Dateien werden}} gesendet', { count }),
  recordFilesRefused: (count, reason) =>
    icu('{count, plural, one {# Datei} other {# Dateien}} nicht angenommen: {reason}', { count, reason }),
  recordSending: (count) => icu('{count, plural, one {# Foto wird} other {# Fotos werden}} gesendet', { count }),
  recordRefused: (count, reason) =>
    icu('{count, plural, one {# Foto} other {# Fotos}} nicht angenommen: {reason}', { count, reason }),
  percent: (percent) => `${percent} %`,
  ofRow: (count) => icu('{count, plural, one {# Foto} other {# Fotos}}', { count }),
  more: (count) => `+${formatCount(count)}`,
  photoOf: (place, count) => `Foto ${place} von ${count}`,
  open: (name) => `${name} öffnen`,
  unnamed: 'Foto ohne Bildunterschrift',
  captionChange: 'Änderung der Bildunterschrift',
  photoDeletion: 'Löschen des Fotos',
  deleteUnsent: 'Es ist nicht gesendet: nur dieses Gerät hat es.',
  tryAgain: 'Noch einmal versuchen',
  refusedTitle: 'Nicht angenommen',
  saveCopy: 'Kopie speichern',

  chipSending: (count, percent) =>
    icu('{count, plural, one {# Datei wird} other {# Dateien werden}} gesendet · {percent} %', { count, percent }),
  chipWaiting: (count) => icu('{count, plural, one {# Datei wartet} other {# Dateien warten}}', { count }),
  chipDetail: (count) =>
    icu(
      '{count, plural, one {# Datei ist} other {# Dateien sind}} nur auf diesem Gerät. Unter Abgleich steht, wie weit.',
      {
        count,
      },
    ),
}
