import { inLanguages } from '../lib/texts.ts'

export const sharedLinkMessages = inLanguages('sharedLinkMessages', {
  qr: 'QR code of the link',
  address: 'Link',
  copy: 'Copy link',
  copied: 'Link copied',
  share: 'Share',
  onlyHere: 'This link works on this computer only',
  onlyHereDetail: 'The server is not reachable under this address from other devices.',
})
