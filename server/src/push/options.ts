import type { OptionDeclarations } from '@holdfast/foundation'

/** Settings of push notifications. */
export const pushOptions = {
  pushEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether people may have notifications on their devices, and this server sends them (Web Push).',
  },
  pushPrivateKey: {
    type: 'string',
    secret: true,
    description:
      'The private VAPID key, 32 bytes in base64url, as `web-push generate-vapid-keys` prints it. Several servers of one database need the same. Default: made at the first start and kept in the data folder.',
  },
  pushContact: {
    type: 'string',
    description:
      'Where push services write to when something is wrong: `mailto:` or `https:`. Default: the address of this server, if it is one of HTTPS.',
  },
  pushAllow: {
    type: 'list',
    default: [],
    description:
      'Push services beside those with HTTPS and a public address: hosts (`push.internal`, `localhost:3000`), addresses and networks (`10.0.0.0/8`); hosts that are named may use HTTP.',
  },
} satisfies OptionDeclarations
