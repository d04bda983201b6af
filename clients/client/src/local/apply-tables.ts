import type { CommonPowerSyncDatabase, Schema } from '@powersync/common'
import type { SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'
import { toLocalSchema } from '../schema/to-local-schema.ts'
import type { OpenFile } from './open-file.ts'

/** A schema without the tables that this device cannot hold, and their names. */
export interface AppliedTables {
  readonly schema: SchemaDescriptor
  readonly omitted: readonly string[]
}

/** Whether the SDK's core extension failed to create a schema's tables. */
function isSchemaFailure(error: unknown): boolean {
  return error instanceof Error && (error.message.includes('powersync_replace_schema') || isSchemaFailure(error.cause))
}

/**
 * Opens a file with a schema's tables. If the SDK cannot create all, opens it with the others, so that one bad table does not block the user.
 *
 * @param open - opens the file with a schema; closes it again on failure
 */
export async function openWithTables(
  schema: SchemaDescriptor,
  open: (schema: Schema) => Promise<OpenFile>,
): Promise<AppliedTables & { readonly file: OpenFile }> {
  try {
    return { file: await open(toLocalSchema(schema)), ...withoutOmitted(schema) }
  } catch (error) {
    if (!isSchemaFailure(error)) throw error
  }
  // The SDK keeps the rows of dropped tables until they return.
  const file = await open(toLocalSchema({ ...schema, tables: [] }))
  try {
    return { file, ...(await applyTables(file.database, schema)) }
  } catch (error) {
    await file.database.close()
    file[Symbol.dispose]()
    throw error
  }
}

/** Applies a schema to a disconnected database, except for tables that the SDK cannot create. Each attempt is one SQLite transaction. */
export async function applyTables(
  database: Pick<CommonPowerSyncDatabase, 'updateSchema'>,
  schema: SchemaDescriptor,
): Promise<AppliedTables> {
  let kept: readonly TableDescriptor[] = []
  const add = async (tables: readonly TableDescriptor[]): Promise<void> => {
    const more = [...kept, ...tables]
    try {
      await database.updateSchema(toLocalSchema({ ...schema, tables: more }))
      kept = more
    } catch (error) {
      if (!isSchemaFailure(error)) throw error
      if (tables.length < 2) return
      const half = tables.length >> 1
      await add(tables.slice(0, half))
      await add(tables.slice(half))
    }
  }
  await add(schema.tables)
  // The SDK keeps the schema of the last attempt, even a failed one.
  if (kept.length < schema.tables.length) await database.updateSchema(toLocalSchema({ ...schema, tables: kept }))
  return withoutOmitted(schema, kept)
}

function withoutOmitted(schema: SchemaDescriptor, kept: readonly TableDescriptor[] = schema.tables): AppliedTables {
  const made = new Set(toLocalSchema({ ...schema, tables: kept }).tables.map(({ name }) => name))
  const isKept = ({ name }: TableDescriptor): boolean => made.has(name)
  const omitted = schema.tables.filter((table) => !kept.includes(table) || !isKept(table)).map(({ name }) => name)
  return omitted.length === 0 ? { schema, omitted } : { schema: { ...schema, tables: kept.filter(isKept) }, omitted }
}
