import type { FastifyPluginAsync } from 'fastify'
import { type Cluster, type PoolShare, withOwnSettings } from '@holdfast/postgres'
import { formRoutes } from '../workspaces/form-routes.ts'
import { viewRoutes } from '../workspaces/shared-views/view-routes.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'

export interface FormsPart {
  readonly routes: FastifyPluginAsync
}

/** Opens public forms, and the pages of shared views. */
export function openForms(
  { logger, clock, openPool }: PartContext,
  {
    cluster,
    share,
    accounts,
  }: { readonly cluster: Cluster; readonly share: PoolShare; readonly accounts: Pick<Accounts, 'auth'> },
): FormsPart {
  const url = withOwnSettings(cluster.adminUrl, cluster.serverVersion)
  const pool = openPool({ url, applicationName: 'holdfast forms', connectionsMax: 1 })
  const requests = share.for({ userKey: 'visitors' })
  const forms = formRoutes({ pool, requests, logger })
  const views = viewRoutes({ pool, requests, claimsOf: (userId) => accounts.auth.claimsOfUser(userId), logger, clock })
  const routes: FastifyPluginAsync = async (app) => {
    await app.register(forms)
    await app.register(views)
  }
  return { routes }
}
