import type { FastifyPluginAsync } from 'fastify'
import { type CatalogWatch, type Cluster, type Pool, type PoolShare, withOwnSettings } from '@holdfast/postgres'
import { openDigestMails } from '../digest/digest-mails.ts'
import { createUnsubscribeLinks } from '../digest/unsubscribe-links.ts'
import { UNSUBSCRIBE_PATH, unsubscribeRoutes } from '../digest/unsubscribe-routes.ts'
import { digestOptions } from '../digest/options.ts'
import { slugOf } from '../gateway/app-config.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Connections that find due users and record results. */
const CONNECTIONS_MAX = 2

export interface DigestsPart {
  /** Targets of links in mails, which continue to work after the mails are disabled. */
  readonly routes: FastifyPluginAsync
  wake(): void
}

/** Opens the daily mails, which accounts sends, unless disabled. */
export function openDigests(
  { config, logger, opened, openPool }: PartContext,
  given: {
    readonly cluster: Cluster
    /** Connected as Holdfast's own user. */
    readonly pool: Pool
    readonly share: PoolShare
    readonly catalog: CatalogWatch
    readonly accounts: Accounts
    readonly baseUrl: string
    /** Secret for signing links. */
    readonly secret: string
  },
): DigestsPart {
  const { dailyMailEnabled, dailyMailHour } = optionsOf(config, digestOptions)
  const { share, catalog, baseUrl } = given
  const { adminUrl, serverVersion } = given.cluster
  // As the project's role: casts of project-defined column types run with the reader's rights.
  const pool = openPool({
    url: withOwnSettings(adminUrl, serverVersion),
    applicationName: 'holdfast daily mail',
    connectionsMax: CONNECTIONS_MAX,
  })
  const links = createUnsubscribeLinks(given.secret)
  const routes = unsubscribeRoutes({ pool, links, projectName: config.projectName, logger })
  if (!dailyMailEnabled) return { routes, wake: () => undefined }
  const mails = opened.use(
    openDigestMails({
      pool,
      uploads: given.pool,
      share,
      catalog,
      auth: given.accounts.auth,
      hour: dailyMailHour,
      home: `${(config.siteUrl ?? baseUrl).replace(/\/+$/, '')}/w/${slugOf(config.projectName)}`,
      offUrlOf: (userId) => `${baseUrl}${UNSUBSCRIBE_PATH}?token=${links.tokenOf(userId)}`,
      logger,
    }),
  )
  return { routes, wake: () => mails.wake() }
}
