import { formatBytes } from '../../lib/format.ts'
import type { Translation } from '../../lib/texts.ts'
import type { fullDeviceMessages as english } from '../full-device.ts'

export const fullDeviceMessages: Translation<typeof english> = {
  title: 'Dieses Gerät ist voll',
  detail: 'Es wurde nichts gespeichert. Schaffen Sie Platz auf diesem Gerät und versuchen Sie es dann noch einmal.',
  banner: (label) =>
    `Nicht gespeichert: ${label}. Dieses Gerät ist voll. Schaffen Sie Platz und tun Sie es dann noch einmal.`,
  freeUp: (bytes) => `${formatBytes(bytes)} Fotos freigeben`,
  freed: (bytes) => `${formatBytes(bytes)} sind frei. Tun Sie es jetzt noch einmal.`,
  stillFull: 'Dieses Gerät ist immer noch voll. Löschen Sie andere Dateien oder Apps und tun Sie es dann noch einmal.',
}
