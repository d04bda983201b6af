import { connectAhead, watchCatalog, type CatalogWatch } from '@holdfast/postgres'
import type { PartContext } from './part-context.ts'

/** Connections that read the catalog. */
const CATALOG_CONNECTIONS_MAX = 2

/**
 * Reads the catalog and follows its changes.
 *
 * @param readerUrl - not a superuser's, because names in a statement may resolve to project objects
 * @param otherChannels - further channels for its listening connection
 */
export async function openCatalog(
  { opened, openPool, logger }: PartContext,
  readerUrl: string,
  otherChannels: ReadonlyMap<string, () => void>,
): Promise<CatalogWatch> {
  const pool = openPool({
    url: readerUrl,
    applicationName: 'holdfast catalog',
    connectionsMax: CATALOG_CONNECTIONS_MAX,
  })
  // The listener connects first, separately.
  connectAhead(pool)
  return opened.use(await watchCatalog({ url: readerUrl, pool, otherChannels, logger }))
}
