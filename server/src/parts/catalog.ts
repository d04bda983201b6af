import { SQLSTATE, sqlstateOf, watchCatalog, type Catalog, type CatalogWatch } from '@holdfast/postgres'
import type { PartContext } from './part-context.ts'

/** Connections that read the catalog. */
const CATALOG_CONNECTIONS_MAX = 2

/** How long a compilation of policies waits for the catalog, in milliseconds: a table that a user has locked must not delay checkpoints. */
const CATALOG_LOCK_TIMEOUT_MS = 300

/** Reads the catalog and follows its changes. @param readerUrl - not the superuser's: names in a statement may resolve to objects of the project */
export async function openCatalog({ opened, openPool, logger }: PartContext, readerUrl: string): Promise<CatalogWatch> {
  const pool = openPool({
    url: readerUrl,
    applicationName: 'holdfast catalog',
    connectionsMax: CATALOG_CONNECTIONS_MAX,
  })
  return opened.use(await watchCatalog({ url: readerUrl, pool, logger }))
}

/** @returns `undefined` while a table is locked that the catalog cannot be read without */
export async function refreshUnlessLocked(catalog: CatalogWatch): Promise<Catalog | undefined> {
  try {
    return await catalog.refresh({ lockTimeoutMs: CATALOG_LOCK_TIMEOUT_MS })
  } catch (error) {
    if (sqlstateOf(error) === SQLSTATE.lockNotAvailable) return undefined
    throw error
  }
}
