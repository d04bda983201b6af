import type { CatalogWatch, PoolShare } from '@holdfast/postgres'
import { openRest, restOptions, type RestService } from '@holdfast/rest'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Opens the REST API for tables, views and functions. */
export async function openRestPart(
  { config, logger, opened }: PartContext,
  given: { readonly share: PoolShare; readonly catalog: CatalogWatch; readonly baseUrl: string },
): Promise<RestService> {
  return opened.use(
    await openRest({
      share: given.share,
      catalog: given.catalog,
      options: optionsOf(config, restOptions),
      url: `${given.baseUrl}/rest/v1/`,
      logger,
    }),
  )
}
