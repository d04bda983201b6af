import type { OptionDeclarations } from '@holdfast/foundation'

/** Settings of push notifications. */
export const pushOptions = {
  pushEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether this server sends notifications to devices (Web Push).',
  },
  pushPrivateKey: {
    type: 'string',
    secret: true,
    description:
      'Private VAPID key, 32 bytes in base64url, as printed by `web-push generate-vapid-keys`. Must be equal on all servers of a database. Default: created at the first start, in the data folder.',
  },
  pushContact: {
    type: 'string',
    description: 'Contact for push services: `mailto:` or `https:`. Default: this server’s URL if it uses HTTPS.',
  },
  pushAllow: {
    type: 'list',
    default: [],
    description:
      'Push services besides public HTTPS ones: hosts (`push.internal`, `localhost:3000`), addresses and networks (`10.0.0.0/8`); listed hosts may use HTTP.',
  },
} satisfies OptionDeclarations
