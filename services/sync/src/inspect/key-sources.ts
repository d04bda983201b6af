import { errorMessage, type Logger } from '@holdfast/foundation'
import { pinValues } from '@holdfast/policy'
import { isConnectionLoss, runAs, sql, type Connections } from '@holdfast/postgres'
import type { ActiveDefinition } from '../buckets/active-plan.ts'
import { sessionOf, type InspectedUser } from './inspected-user.ts'
import { columnList } from './role-tables.ts'
import type { KeySource } from './row-explanation.ts'

/** Maximum rows shown per table. */
const SOURCES_MAX = 5

/** Finds rows of the tables read by a key query that contain this key and, if the query pins them, belong to the user. */
export async function findSources(
  { requestPool, logger }: { readonly requestPool: Connections; readonly logger: Logger },
  { definition }: ActiveDefinition,
  key: readonly (string | null)[],
  person: InspectedUser,
): Promise<readonly KeySource[]> {
  const values = key.filter((value) => value !== null)
  const sources: KeySource[] = []
  for (const { schema, name, columns, pin } of definition.dependencies) {
    if (columns.length === 0) continue
    const holdsKey = columns.map((column) => sql`t.${sql.identifier(column)}::text = any(${values}::text[])`)
    const conditions = [
      ...(values.length > 0 ? [sql`(${sql.join(holdsKey, ' or ')})`] : []),
      ...(pin ? [sql`t.${sql.identifier(pin.column)}::text in (${sql.trusted(pinValues(pin))})`] : []),
    ]
    if (conditions.length === 0) continue
    try {
      const rows = await runAs(requestPool, sessionOf(person), (tx) =>
        tx.query<{ row: Record<string, unknown> }>(sql`
          select to_jsonb(s) as row
            from (select ${columnList(columns)} from ${sql.identifier(schema, name)} t where ${sql.join(conditions, ' and ')} limit ${SOURCES_MAX}) s
        `),
      )
      sources.push(...rows.map(({ row }) => ({ table: `${schema}.${name}`, row })))
    } catch (error) {
      if (isConnectionLoss(error)) throw error
      // The table is read by a function with other rights, so it cannot be shown to the user.
      logger.log('debug', 'a table that a key query reads cannot be read', { table: name, reason: errorMessage(error) })
    }
  }
  return sources
}
