import { inLanguages } from '../lib/texts.ts'

export const sharedLinkMessages = inLanguages('sharedLinkMessages', {
  qr: 'QR code of the link',
  address: 'Link',
  copy: 'Copy link',
  copied: 'Link copied',
  share: 'Share',
  onlyHere: 'This link works on this computer only',
  onlyHereDetail:
    'Other devices and phones need an address with HTTPS. Set one up for this server, open the app there, and create the link again.',
})
