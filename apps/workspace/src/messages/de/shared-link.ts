import type { Translation } from '../../lib/texts.ts'
import type { sharedLinkMessages as english } from '../shared-link.ts'

export const sharedLinkMessages: Translation<typeof english> = {
  qr: 'QR-Code des Links',
  address: 'Link',
  copy: 'Link kopieren',
  copied: 'Link kopiert',
  share: 'Teilen',
  onlyHere: 'Dieser Link gilt nur auf diesem Computer',
  onlyHereDetail:
    'Andere Geräte und Telefone brauchen eine Adresse mit HTTPS. Richten Sie eine für diesen Server ein, öffnen Sie die App dort, und erstellen Sie den Link noch einmal.',
}
