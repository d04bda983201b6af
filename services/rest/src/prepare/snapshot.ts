import type { Catalog } from '@holdfast/postgres'
import { createCatalogView } from '../catalog/catalog-view.ts'
import { PLANS_MAX } from '../limits.ts'
import { createApiDescriptions, type ApiDescriptions } from '../openapi/api-descriptions.ts'
import type { RestOptions } from '../options.ts'
import { withPlanCache } from './plan-cache.ts'
import { createStages, type Prepare } from './stages.ts'

/** Everything that requests are answered with as long as neither the catalog nor the options change. */
export interface Snapshot {
  readonly catalog: Catalog
  readonly options: RestOptions
  /** Parse, plan and render, with a cache of plans around them. */
  readonly prepare: Prepare
  readonly descriptions: ApiDescriptions
}

/**
 * @param configOf - the options that a catalog comes with: the same object as long as they are the same
 * @param url - where the API is, as its users see it: `http://127.0.0.1:54321/rest/v1`
 * @returns a function that makes one snapshot per catalog and options
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
