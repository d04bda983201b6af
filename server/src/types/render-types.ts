import { HoldfastError } from '@holdfast/foundation'
import { createPool, withOwnSettings } from '@holdfast/postgres'
import { readDatabaseTypes } from './read-database-types.ts'
import { renderDatabase } from './render-database.ts'

/**
 * Writes the module of TypeScript types for supabase-js.
 *
 * @param url - connects to the database as the role that projects act as
 * @param choice.schema - of which schemas; of those of REST when there is none
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
  // Tables of Holdfast itself are no part of the project.
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
