import type { Catalog } from '@holdfast/postgres'
import { createCatalogView } from '../catalog/catalog-view.ts'
import { PLANS_MAX } from '../limits.ts'
import { createApiDescriptions, type ApiDescriptions } from '../openapi/api-descriptions.ts'
import type { RestOptions } from '../options.ts'
import { withPlanCache } from './plan-cache.ts'
import { createStages, type Prepare } from './stages.ts'

/** State for handling requests, fixed while neither the catalog nor the options change. */
export interface Snapshot {
  readonly catalog: Catalog
  readonly options: RestOptions
  /** Parses, plans and renders, with a plan cache. */
  readonly prepare: Prepare
  readonly descriptions: ApiDescriptions
}

/**
 * @param configOf - returns the options for a catalog; the same object while they are unchanged
 * @param url - public URL of the API: `http://127.0.0.1:54321/rest/v1`
 * @returns a function that caches one snapshot per catalog and options
 */
export function createSnapshots(
  configOf: (catalog: Catalog) => RestOptions,
  url: string,
): (catalog: Catalog) => Snapshot {
  const viewOf = createCatalogView()
  const known = new WeakMap<RestOptions, Snapshot>()
  return (catalog) => {
    const options = configOf(catalog)
    const existing = known.get(options)
    if (existing?.catalog === catalog) return existing
    const descriptions = createApiDescriptions(options, url)
    const stages = createStages(options, viewOf(catalog), descriptions)
    const snapshot = { catalog, options, descriptions, prepare: withPlanCache(stages, PLANS_MAX) }
    known.set(options, snapshot)
    return snapshot
  }
}
