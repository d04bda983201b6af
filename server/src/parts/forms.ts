import type { FastifyPluginAsync } from 'fastify'
import { type Cluster, type PoolShare, withOwnSettings } from '@holdfast/postgres'
import { formRoutes } from '../workspaces/form-routes.ts'
import type { PartContext } from './part-context.ts'

export interface FormsPart {
  readonly routes: FastifyPluginAsync
}

/** Opens public forms. */
export function openForms(
  { logger, openPool }: PartContext,
  { cluster, share }: { readonly cluster: Cluster; readonly share: PoolShare },
): FormsPart {
  const url = withOwnSettings(cluster.adminUrl, cluster.serverVersion)
  const pool = openPool({ url, applicationName: 'holdfast forms', connectionsMax: 1 })
  return { routes: formRoutes({ pool, requests: share.for({ userKey: 'visitors' }), logger }) }
}
