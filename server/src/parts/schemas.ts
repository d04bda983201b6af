import { applyMigrations, recordRequestPassword, type CatalogWatch, type Pool } from '@holdfast/postgres'
import { MIGRATIONS } from '../migrations.ts'
import { watchSchemas, type SchemaWatch } from '../watch-schemas.ts'
import type { PartContext } from './part-context.ts'

/** Watches the schemas of Holdfast, and creates again those that a tool drops under the running server. */
export function openSchemaWatch(
  { logger, clock, opened }: PartContext,
  given: { readonly pool: Pool; readonly requestUrl: string; readonly catalog: CatalogWatch },
): SchemaWatch {
  const { pool, requestUrl, catalog } = given
  return opened.use(
    watchSchemas({
      pool,
      sources: MIGRATIONS,
      async rebuild() {
        await applyMigrations({ pool, sources: MIGRATIONS, logger })
        await recordRequestPassword(pool, requestUrl)
        await catalog.refresh()
      },
      logger,
      clock,
    }),
  )
}
