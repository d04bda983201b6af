import { applyMigrations, recordRequestPassword, type CatalogWatch, type Pool } from '@holdfast/postgres'
import { MIGRATIONS } from '../migrations.ts'
import { watchSchemas, type SchemaWatch } from '../watch-schemas.ts'
import type { PartContext } from './part-context.ts'

/** Watches Holdfast's schemas and recreates any that a tool drops while the server is running. */
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
