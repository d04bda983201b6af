import { formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { addPhotosMessages as english } from '../add-photos.ts'

export const addPhotosMessages: Translation<typeof english> = {
  title: 'Fotos',
  none: 'Noch keine Fotos.',
  noneDetail: 'Fügen Sie ein Bild ein oder ziehen Sie eines hierher.',
  placeDetail: 'Nur das Bild wird behalten, nicht, wo es aufgenommen wurde.',
  add: 'Fotos hinzufügen',
  take: 'Foto aufnehmen',
  choose: 'Fotos auswählen',
  dropHere: 'Hier ablegen',
  preparing: (count) => icu('{count, plural, one {# Foto wird} other {# Fotos werden}} vorbereitet', { count }),
  added: (count) =>
    icu(
      '{count, plural, one {# Foto hinzugefügt. Es ist auf diesem Gerät und wird von selbst gesendet.} other {# Fotos hinzugefügt. Sie sind auf diesem Gerät und werden von selbst gesendet.}}',
      { count },
    ),
  notAdded: {
    video: (names) => `${names.join(', ')}: ein Video kann hier nicht hinzugefügt werden, nur Bilder.`,
    empty: (names) => `${names.join(', ')}: in der Datei ist nichts. Wählen Sie sie noch einmal aus.`,
    too_large: (names) => `${names.join(', ')}: zu groß für dieses Gerät. Fügen Sie eine kleinere Kopie hinzu.`,
    unreadable: (names) =>
      icu(
        '{names}: dieser Browser kann {count, plural, one {das Bild} other {die Bilder}} nicht lesen. Speichern Sie als JPEG oder PNG und fügen Sie es noch einmal hinzu.',
        { names: names.join(', '), count: names.length },
      ),
  },
  full: 'Dieses Gerät ist voll. Schaffen Sie unter Abgleich Platz und fügen Sie es dann noch einmal hinzu.',
  failed: (reason) => `Nicht hinzugefügt: ${reason}`,
  tooMany: (max) => `Ein Eintrag hat höchstens ${formatCount(max)} Fotos.`,
  mayNotAdd: 'Sie dürfen die Fotos dieses Eintrags sehen, aber keine hinzufügen.',
}
