import type { Translation } from '../../lib/texts.ts'
import type { sharedLinkMessages as english } from '../shared-link.ts'

export const sharedLinkMessages: Translation<typeof english> = {
  qr: 'QR-Code des Links',
  address: 'Link',
  copy: 'Link kopieren',
  copied: 'Link kopiert',
  share: 'Teilen',
  onlyHere: 'Dieser Link gilt nur auf diesem Computer',
  onlyHereDetail: 'Unter dieser Adresse erreichen andere Geräte den Server nicht.',
}
