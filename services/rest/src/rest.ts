import { Semaphore, type Logger } from '@holdfast/foundation'
import type { Catalog, PoolShare } from '@holdfast/postgres'
import type { FastifyPluginAsync } from 'fastify'
import { createConfigView } from './config/config.ts'
import { poolExhausted } from './errors.ts'
import type { RestOptions } from './options.ts'
import { REQUESTS_UNDER_WAY_MAX, STATEMENT_NAMES_MAX } from './limits.ts'
import { createPreConfig } from './config/pre-config.ts'
import { restRoutes } from './routes/routes.ts'
import { createSnapshots, type Snapshot } from './prepare/snapshot.ts'
import { createStaleness, type CurrentCatalog } from './catalog/stale-catalog.ts'
import { createStatementNames } from './execute/statement-names.ts'

export interface OpenRestOptions {
  /** Connections as `authenticator`; statements run under the caller's role. Not closed by the service. */
  readonly share: PoolShare
  /** The catalog, kept current by its owner. */
  readonly catalog: CurrentCatalog
  readonly options: RestOptions
  /** Public URL: `http://127.0.0.1:54321/rest/v1`. */
  readonly url: string
  readonly logger: Logger
}

export interface RestService extends AsyncDisposable {
  /** Mount at `/rest/v1`, behind a hook that sets `request.caller`. */
  readonly routes: FastifyPluginAsync
  /**
   * Returns the project's exposed schemas for every service: `pgrst.db_schemas` if the database sets it, otherwise the option `restSchemas`.
   *
   * @param catalog - default: the current one
   */
  exposedSchemas(catalog?: Catalog): readonly string[]
  /** Returns the role of requests without one; empty if they are refused. */
  anonymousRole(): string
}

/** Opens PostgREST's dialect over the exposed schemas. Owns no resources. */
export async function openRest(input: OpenRestOptions): Promise<RestService> {
  const { share, catalog, options, url, logger } = input
  const preConfig = createPreConfig(options.restPreConfig, share, logger)
  const configOf = createConfigView(options, logger, preConfig.settings)
  const snapshotOf = createSnapshots(configOf, url)
  const newerThan = createStaleness(catalog)
  const load = async (of: Catalog): Promise<Snapshot> => {
    await preConfig.load(of)
    return snapshotOf(of)
  }
  await preConfig.load(catalog.current())
  const current = (): RestOptions => configOf(catalog.current())
  const runtime = {
    share,
    names: createStatementNames(STATEMENT_NAMES_MAX),
    limit: new Semaphore({
      permits: REQUESTS_UNDER_WAY_MAX,
      leavesRoom: true,
      refuse: () => poolExhausted(undefined),
    }),
    snapshots: {
      current: () => (options.restPreConfig === '' ? snapshotOf(catalog.current()) : load(catalog.current())),
      async newerThan(seen: Snapshot, error: unknown) {
        const newer = await newerThan(seen.catalog, error)
        return newer && load(newer)
      },
    },
  }
  return {
    routes: restRoutes(runtime, current, options.restBodyBytesMax, logger),
    exposedSchemas: (of = catalog.current()) => configOf(of).restSchemas,
    anonymousRole: () => current().restAnonRole,
    async [Symbol.asyncDispose]() {},
  }
}
