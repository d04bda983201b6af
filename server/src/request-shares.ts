import type { GroupLimits } from '@holdfast/foundation'

/** Services sharing the request connections. */
export type RequestShare = 'rest' | 'storage' | 'realtime' | 'streams' | 'uploads' | 'push' | 'digests'

/**
 * Parts of the request connections that a service finds free whatever the others do. REST has the most, since people wait for it. The rest, one in ten, goes
 * to whoever asks.
 */
const RESERVED: Readonly<Record<RequestShare, number>> = {
  rest: 0.4,
  storage: 0.1,
  realtime: 0.1,
  streams: 0.2,
  uploads: 0.1,
  push: 0,
  digests: 0,
}

/**
 * Connections that uploads of one person may hold. One device sends one transaction at a time; two let a second device go on while the first writes much.
 */
const UPLOADS_PER_PERSON_MAX = 2

/** Connections that the private channels of one person may hold while policies are asked. A client joins all its channels at once. */
const JOINS_PER_PERSON_MAX = 2

/** Connections on which is asked what people may see of what they are notified of: they can wait. */
const PUSH_CONNECTIONS_MAX = 2

/** Connections on which is asked what daily mails say: nobody waits for them. */
const DIGEST_CONNECTIONS_MAX = 1

/** Divides the request connections between the services. */
export function requestShares(config: {
  readonly requestConnectionsMax: number
  readonly syncUploadConnectionsMax: number
}): { readonly connectionsMax: number; readonly shares: Readonly<Record<RequestShare, GroupLimits>> } {
  const connectionsMax = config.requestConnectionsMax
  const reserved = (share: RequestShare): number => Math.floor(connectionsMax * RESERVED[share])
  // An upload holds its connection for as long as its transaction takes, so that one is left whatever is configured.
  const uploadsMax = Math.max(1, Math.min(config.syncUploadConnectionsMax, connectionsMax - 1))
  return {
    connectionsMax,
    shares: {
      rest: { reserved: reserved('rest'), max: connectionsMax },
      storage: { reserved: reserved('storage'), max: connectionsMax },
      realtime: { reserved: reserved('realtime'), max: connectionsMax, perKeyMax: JOINS_PER_PERSON_MAX },
      streams: { reserved: reserved('streams'), max: connectionsMax },
      uploads: {
        reserved: Math.min(reserved('uploads'), uploadsMax),
        max: uploadsMax,
        perKeyMax: UPLOADS_PER_PERSON_MAX,
      },
      digests: { reserved: 0, max: DIGEST_CONNECTIONS_MAX, perKeyMax: 1 },
      push: { reserved: 0, max: Math.min(PUSH_CONNECTIONS_MAX, connectionsMax), perKeyMax: 1 },
    },
  }
}
