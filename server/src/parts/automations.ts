import type { FastifyPluginAsync } from 'fastify'
import { type Cluster, type PoolShare, withOwnSettings } from '@holdfast/postgres'
import { openAutomations } from '../automations/automations.ts'
import { tryRoutes } from '../automations/try-routes.ts'
import { callerReader } from '../gateway/authenticate.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'

/** Connections that read the queue and record failures. */
const CONNECTIONS_MAX = 2

export interface AutomationsPart {
  readonly routes: FastifyPluginAsync
  /** Call on the database's notification of changes that automations wait for. */
  wake(): void
}

/** Opens the automations of workspaces. */
export function openAutomationsPart(
  { logger, opened, openPool }: PartContext,
  given: { readonly cluster: Cluster; readonly share: PoolShare; readonly accounts: Accounts },
): AutomationsPart {
  const { auth, sessions } = given.accounts
  const { adminUrl, serverVersion } = given.cluster
  // As the project's role, because the tables are the project's.
  const pool = openPool({
    url: withOwnSettings(adminUrl, serverVersion),
    applicationName: 'holdfast automations',
    connectionsMax: CONNECTIONS_MAX,
  })
  const claimsOf = (userId: string): ReturnType<typeof auth.claimsOfUser> => auth.claimsOfUser(userId)
  const worker = opened.use(openAutomations({ pool, share: given.share, claimsOf, logger }))
  const readCaller = callerReader(auth.verifyToken, (claims) => sessions.require(claims))
  return { routes: tryRoutes({ share: given.share, readCaller, logger }), wake: () => worker.wake() }
}
