import type { Translation } from '../../lib/texts.ts'
import type { photoViewerMessages as english } from '../photo-viewer.ts'

export const photoViewerMessages: Translation<typeof english> = {
  viewer: 'Foto',
  previous: 'Voriges Foto',
  next: 'Nächstes Foto',
  zoomIn: 'Vergrößern',
  zoomOut: 'Verkleinern',
  close: 'Schließen',
  caption: 'Bildunterschrift',
  captionNotStored:
    'Nicht gespeichert: dieses Gerät ist voll. Schaffen Sie Platz und verlassen Sie das Feld dann noch einmal.',
  captionHint: 'Sagen Sie, was zu sehen ist',
  delete: 'Löschen',
  deleteTitle: 'Dieses Foto löschen?',
  deleteDetail: 'Es wird für alle gelöscht, auf jedem Gerät.',
  deleted: 'Foto gelöscht',
}
