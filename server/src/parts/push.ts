import { createAddressPolicy } from '@holdfast/functions'
import type { CatalogWatch, PoolShare } from '@holdfast/postgres'
import { slugOf } from '../gateway/app-config.ts'
import { pushOptions } from '../push/options.ts'
import { createPostMessage } from '../push/post-message.ts'
import { createAuthorize, resolvePushKeys } from '../push/push-keys.ts'
import { openPushWorker } from '../push/push.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Connections that read the queue and record results. */
const CONNECTIONS_MAX = 2

export interface PushPart {
  /** Public key for subscriptions. */
  readonly publicKey: string
  /** Call on the database's notification of news. */
  wake(): void
}

/** Opens notifications, unless disabled. */
export function openPush(
  { config, logger, clock, opened, openPool }: PartContext,
  given: {
    /** Connects as Holdfast's own user. */
    readonly url: string
    readonly share: PoolShare
    readonly catalog: CatalogWatch
    readonly accounts: Accounts
    readonly baseUrl: string
    readonly port: number
  },
): PushPart | undefined {
  const options = optionsOf(config, pushOptions)
  if (!options.pushEnabled) return undefined
  const { auth, sessions } = given.accounts
  const { baseUrl, port } = given
  const keys = resolvePushKeys(options.pushPrivateKey, config.dataDir, logger)
  const contact = options.pushContact ?? (baseUrl.startsWith('https:') ? baseUrl : 'mailto:holdfast@localhost')
  const push = opened.use(
    openPushWorker({
      pool: openPool({ url: given.url, applicationName: 'holdfast push', connectionsMax: CONNECTIONS_MAX }),
      share: given.share,
      catalog: given.catalog,
      async claimsOf(userId, sessionId) {
        const claims = await auth.claimsOfSession(userId, sessionId)
        const isLive = claims && (await sessions.require(claims).then(() => true, isEnd))
        return isLive ? claims : undefined
      },
      post: createPostMessage({
        addressPolicy: createAddressPolicy({
          baseUrl,
          listening: { host: config.host, port },
          allow: options.pushAllow,
          option: 'pushAllow',
        }),
        allow: options.pushAllow,
        authorize: createAuthorize(keys, contact, clock),
        onRefused: (host, reason) =>
          logger.log('debug', 'a push service did not take a notification', { host, reason }),
      }),
      workspace: slugOf(config.projectName),
      logger,
    }),
  )
  return { publicKey: keys.publicKey, wake: () => push.wake() }
}

/** Handles a failed session check: returns false if the session has ended. @throws the error if the check itself failed */
function isEnd(error: unknown): false {
  const { status } = error as { readonly status?: unknown }
  if (typeof status === 'number' && status < 500) return false
  throw error
}
