import type { Logger } from '@holdfast/foundation'
import type { Catalog, PoolShare } from '@holdfast/postgres'
import type { FastifyPluginAsync } from 'fastify'
import { createCatalogView } from './catalog-view.ts'
import { createConfigView } from './config.ts'
import { createApiDescriptions, type ApiDescriptions } from './openapi/api-descriptions.ts'
import type { RestOptions } from './options.ts'
import { PLANS_MAX, REQUESTS_UNDER_WAY_MAX, STATEMENT_NAMES_MAX } from './limits.ts'
import { createPlanCache } from './plan-cache.ts'
import { createRequestLimit } from './request-limit.ts'
import { restRoutes } from './routes.ts'
import { createStages } from './stages.ts'
import { createStaleness, type CurrentCatalog } from './stale-catalog.ts'
import { createStatementNames } from './statement-names.ts'

export interface OpenRestOptions {
  /** Connections as `authenticator`; statements run under the role of the caller. Owned by whoever opened it. */
  readonly share: PoolShare
  /** The catalog, kept current by whoever opened it. */
  readonly catalog: CurrentCatalog
  readonly options: RestOptions
  /** Where it is mounted, as its users see it: `http://127.0.0.1:54321/rest/v1`. */
  readonly url: string
  readonly logger: Logger
}

export interface RestService extends AsyncDisposable {
  /** To be mounted at `/rest/v1`, behind a hook that sets `request.caller`. */
  readonly routes: FastifyPluginAsync
  /**
   * Schemas that the project exposes: the option `restSchemas`, or `pgrst.db_schemas` if the database sets it. The one definition, for every service.
   *
   * @param catalog - default: as it is now
   */
  exposedSchemas(catalog?: Catalog): readonly string[]
}

/** Opens PostgREST's dialect over the exposed schemas. It holds nothing of its own. */
export async function openRest(input: OpenRestOptions): Promise<RestService> {
  const { share, catalog, options, url, logger } = input
  const configOf = createConfigView(options, logger)
  const descriptionsOf = createDescriptionsView(url)
  return {
    routes: restRoutes(
      {
        share,
        catalog,
        configOf,
        newerThan: createStaleness(catalog),
        names: createStatementNames(STATEMENT_NAMES_MAX),
        plans: createPlanCache(PLANS_MAX),
        stagesOf: createStages({ viewOf: createCatalogView(), configOf, descriptionsOf }),
        descriptionsOf,
        limit: createRequestLimit(REQUESTS_UNDER_WAY_MAX),
      },
      options.restBodyBytesMax,
      logger,
    ),
    exposedSchemas: (of = catalog.current()) => configOf(of).restSchemas,
    async [Symbol.asyncDispose]() {},
  }
}

/** Descriptions by the options that they were made with, which the database may change. */
function createDescriptionsView(url: string): (options: RestOptions) => ApiDescriptions {
  const known = new WeakMap<RestOptions, ApiDescriptions>()
  return (options) => {
    const descriptions = known.get(options) ?? createApiDescriptions(options, url)
    known.set(options, descriptions)
    return descriptions
  }
}
