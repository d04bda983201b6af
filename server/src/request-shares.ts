import type { GroupLimits } from '@holdfast/foundation'

/** Services sharing the request connections. */
export type RequestShare =
  | 'rest'
  | 'storage'
  | 'realtime'
  | 'streams'
  | 'uploads'
  | 'push'
  | 'digests'
  | 'forms'
  | 'access'
  | 'automations'

/**
 * Reserved share of the request connections per service. REST has the largest, because users wait for it. The remaining tenth is available to every service.
 */
const RESERVED: Readonly<Record<RequestShare, number>> = {
  rest: 0.4,
  storage: 0.1,
  realtime: 0.1,
  streams: 0.2,
  uploads: 0.1,
  push: 0,
  digests: 0,
  forms: 0,
  access: 0,
  automations: 0,
}

/** Maximum connections for one user's uploads. A device sends one transaction at a time; with two, a second device can upload while the first writes a lot. */
const UPLOADS_PER_PERSON_MAX = 2

/** Maximum connections for evaluating the policies of one user's private channels. A client joins all its channels at once. */
const JOINS_PER_PERSON_MAX = 2

/** Connections that read what notified users may see. Notifications can wait. */
const PUSH_CONNECTIONS_MAX = 2

/** Connections that read the content of daily mails, which nobody waits for. */
const DIGEST_CONNECTIONS_MAX = 1

/** Connections of visitors who send public forms. */
const FORM_CONNECTIONS_MAX = 2

/** Connections on which admins see a table as somebody else: rarely, and one at a time each. */
const ACCESS_CONNECTIONS_MAX = 2

/** Connections for the steps of automations, which nobody waits for. */
const AUTOMATION_CONNECTIONS_MAX = 2

/** Divides the request connections between the services. */
export function requestShares(config: {
  readonly requestConnectionsMax: number
  readonly syncUploadConnectionsMax: number
}): { readonly connectionsMax: number; readonly shares: Readonly<Record<RequestShare, GroupLimits>> } {
  const connectionsMax = config.requestConnectionsMax
  const reserved = (share: RequestShare): number => Math.floor(connectionsMax * RESERVED[share])
  // An upload holds its connection for its whole transaction, so one connection is always left for other services.
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
      forms: { reserved: 0, max: Math.min(FORM_CONNECTIONS_MAX, connectionsMax) },
      digests: { reserved: 0, max: DIGEST_CONNECTIONS_MAX, perKeyMax: 1 },
      access: { reserved: 0, max: Math.min(ACCESS_CONNECTIONS_MAX, connectionsMax), perKeyMax: 1 },
      automations: { reserved: 0, max: Math.min(AUTOMATION_CONNECTIONS_MAX, connectionsMax) },
      push: { reserved: 0, max: Math.min(PUSH_CONNECTIONS_MAX, connectionsMax), perKeyMax: 1 },
    },
  }
}
