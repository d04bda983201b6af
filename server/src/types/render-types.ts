import { HoldfastError } from '@holdfast/foundation'
import { createPool, withOwnSettings } from '@holdfast/postgres'
import { readDatabaseTypes } from './read-database-types.ts'
import { renderDatabase } from './render-database.ts'

/**
 * Renders the module of TypeScript types for supabase-js.
 *
 * @param url - connects as the project's role
 * @param choice.schema - schemas to include; default: REST's
 * @throws {HoldfastError} `schema_unknown`
 */
export async function renderTypes(
  url: string,
  { schema, restSchemas }: { readonly schema: readonly string[]; readonly restSchemas: readonly string[] },
): Promise<string> {
  await using pool = createPool({
    url: withOwnSettings(url, 0),
    applicationName: 'holdfast gen types',
    connectionsMax: 1,
  })
  // Holdfast's own tables are not part of the project.
  const types = await readDatabaseTypes(
    pool,
    schema.length > 0 ? schema : restSchemas.filter((one) => one !== 'holdfast'),
  )
  const missing = schema.find((one) => !types.schemas.includes(one))
  if (missing !== undefined)
    throw new HoldfastError('schema_unknown', 500, `There is no schema "${missing}".`, {
      hint: 'Name those that there are with --schema=public,private.',
    })
  return renderDatabase(types)
}
