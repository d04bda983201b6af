import type { Logger } from '@holdfast/foundation'
import type { Catalog, Pool } from '@holdfast/postgres'
import type { FastifyPluginAsync } from 'fastify'
import { createCatalogView } from './catalog-view.ts'
import { createApiDescriptions } from './openapi/api-descriptions.ts'
import type { RestOptions } from './options.ts'
import { STATEMENT_NAMES_MAX } from './limits.ts'
import { restRoutes } from './routes.ts'
import { createStatementNames } from './statement-names.ts'

export interface OpenRestOptions {
  /** Connected as `authenticator`; statements run under the role of the caller. Owned by whoever opened it. */
  readonly pool: Pool
  /** The catalog, kept current by whoever opened it. */
  readonly catalog: { current(): Catalog }
  readonly options: RestOptions
  /** Where it is mounted, as its users see it: `http://127.0.0.1:54321/rest/v1`. */
  readonly url: string
  readonly logger: Logger
}

export interface RestService extends AsyncDisposable {
  /** To be mounted at `/rest/v1`, behind a hook that sets `request.caller`. */
  readonly routes: FastifyPluginAsync
}

/** Opens PostgREST's dialect over the exposed schemas. It holds nothing of its own. */
export async function openRest(input: OpenRestOptions): Promise<RestService> {
  const { pool, catalog, options, url, logger } = input
  return {
    routes: restRoutes(
      {
        pool,
        catalog,
        viewOf: createCatalogView(),
        options,
        names: createStatementNames(STATEMENT_NAMES_MAX),
        descriptions: createApiDescriptions(options, url),
      },
      logger,
    ),
    async [Symbol.asyncDispose]() {},
  }
}
