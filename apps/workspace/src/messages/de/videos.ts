import { formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { videoMessages as english } from '../videos.ts'

export const videoMessages: Translation<typeof english> = {
  title: 'Fotos und Videos',
  none: 'Noch keine Fotos oder Videos.',
  noneDetail: 'Fügen Sie ein Bild ein oder ziehen Sie eine Datei hierher.',
  placeDetail: 'Von einem Foto wird nur das Bild behalten, nicht, wo es aufgenommen wurde.',
  detail: (bytesMax) =>
    `Ein Video hat höchstens ${formatCount(bytesMax / 1_000_000)} MB und wird gesendet, wie es ist. Kameras schreiben manchmal hinein, wo es aufgenommen wurde.`,
  add: 'Fotos oder Videos hinzufügen',
  take: 'Video aufnehmen',
  choose: 'Dateien auswählen',
  preparing: (count) => icu('{count, plural, one {# Datei wird} other {# Dateien werden}} vorbereitet', { count }),
  added: (count) =>
    icu(
      '{count, plural, one {# Datei hinzugefügt. Sie ist auf diesem Gerät und wird von selbst gesendet.} other {# Dateien hinzugefügt. Sie sind auf diesem Gerät und werden von selbst gesendet.}}',
      { count },
    ),
  tooLarge: (names, bytesMax) =>
    `${names.join(', ')}: zu groß. Ein Video hat höchstens ${formatCount(bytesMax / 1_000_000)} MB, damit es auch über ein langsames Netz geht: nehmen Sie ein kürzeres auf oder eines in geringerer Qualität.`,
  wrongKind: (names, kinds) =>
    `${names.join(', ')}: Videos dieser Art werden hier nicht angenommen. Speichern Sie es als ${kinds} und fügen Sie es noch einmal hinzu.`,

  videoOf: (place, count) => `Video ${place} von ${count}`,
  viewer: 'Video',
  length: (text) => `Länge ${text}`,
  load: (bytes) => `Video laden (${bytes})`,
  loadUnknown: 'Video laden',
  notHere: 'Das Video ist nicht auf diesem Gerät.',
  unplayable: 'Dieser Browser kann das Video nicht abspielen.',
  unplayableDetail: 'Speichern Sie eine Kopie und öffnen Sie sie mit einer anderen App.',
  deleteTitle: 'Dieses Video löschen?',
  deleted: 'Video gelöscht',
}
