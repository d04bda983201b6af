import { formatBytes } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { syncFileMessages as english } from '../sync-files.ts'

export const syncFileMessages: Translation<typeof english> = {
  tabFiles: 'Dateien',
  filesEmpty: 'Alle Dateien sind gesendet',
  filesEmptyDetail: 'Ein Foto oder Video, das Sie aufnehmen, steht hier, bis der Server es hat.',
  filesLead: (count, bytes) =>
    icu('{count, plural, one {# Datei ({bytes}) ist} other {# Dateien ({bytes}) sind}} nur auf diesem Gerät.', {
      count,
      bytes: formatBytes(bytes),
    }),
  waitingTitle: 'Unterwegs',
  pausedNote: 'Dateien sind auf diesem Gerät angehalten.',
  offlineNote: 'Keine Verbindung. Sie werden von selbst gesendet, wenn sie wieder da ist.',
  meteredNote: 'Dieses Netz kostet vielleicht. Sie warten auf ein anderes.',
  signInNote: 'Sie werden gesendet, wenn Sie sich wieder angemeldet haben.',
  disconnectedNote: 'Der Abgleich ist angehalten. Sie werden gesendet, wenn Sie ihn fortsetzen.',
  sendAnyway: 'Trotzdem senden',
  pauseFiles: 'Dateien anhalten',
  resumeFiles: 'Dateien fortsetzen',
  pauseOne: 'Anhalten',
  resumeOne: 'Fortsetzen',
  discard: 'Verwerfen',
  discardTitle: 'Diese Datei verwerfen?',
  discardDetail:
    'Sie wird aus ihrem Eintrag gelöscht und ist sonst nirgends. Speichern Sie zuerst eine Kopie, wenn Sie sie noch brauchen.',
  spaceTitle: 'Platz',
  cached: 'Dateien vom Server, die hier liegen',
  onlyHere: 'Nur auf diesem Gerät',
  limit: 'Höchstens hier behalten',
  limitDetail:
    'Fotos Ihrer Favoriten kommen von selbst und gehen zuletzt; von den anderen gehen die zuerst, die Sie am längsten nicht geöffnet haben. Was der Server nicht hat, bleibt immer.',
  freeUp: 'Platz schaffen',
  freeUpDetail: 'Löscht hier Dateien, die der Server auch hat. Sie werden wieder geladen, wenn Sie sie öffnen.',
  freed: (bytes) => `${formatBytes(bytes)} frei geworden`,
  attentionTitle: (count) =>
    icu('{count, plural, one {# Datei wurde} other {# Dateien wurden}} nicht angenommen', { count }),
  attentionDetail: 'Sie bleiben auf diesem Gerät, bis Sie entscheiden.',
  decide: 'Dateien zeigen',
  signOutFiles: (count) =>
    icu(
      '{count, plural, one {# Datei auf diesem Gerät ist noch nicht gesendet und sonst nirgends.} other {# Dateien auf diesem Gerät sind noch nicht gesendet und sonst nirgends.}}',
      { count },
    ),
}
