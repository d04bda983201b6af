import { sharePool, type CatalogWatch, type SharedPool } from '@holdfast/postgres'
import { readAppSettings } from '../config/app-settings.ts'
import { requestShares, type RequestShare } from '../request-shares.ts'
import type { PartContext } from './part-context.ts'

/** Overrides `idle_session_timeout`, which is meant for users' sessions and would close idle pooled connections. */
const REQUEST_SETTINGS = { idle_session_timeout: '0' }

const NAME = 'holdfast request'

/** Opens the connections for users' requests, divided between the services. */
export function openRequestConnections(
  { config, openPool, pools, transactionSettings }: PartContext,
  { requestUrl, catalog }: { readonly requestUrl: string; readonly catalog: CatalogWatch },
): SharedPool<RequestShare> {
  const pool = openPool({
    url: requestUrl,
    applicationName: NAME,
    connectionsMax: config.requestConnectionsMax,
    resetAfterTransaction: true,
    settings: { ...readAppSettings(config.appSettings), ...transactionSettings, ...REQUEST_SETTINGS },
    roleSettings: (role) => catalog.current().roles.find(({ name }) => name === role)?.settings ?? {},
  })
  const shared = sharePool(pool, requestShares(config))
  // Callers wait for their service's share, before they reach the pool.
  pools.set(NAME, { pool, connectionsMax: config.requestConnectionsMax, waiting: () => shared.waiting })
  return shared
}
