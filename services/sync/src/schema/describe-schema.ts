import { createHash } from 'node:crypto'
import type { SyncPlan } from '@holdfast/policy'
import type { Connections } from '@holdfast/postgres'
import type { SchemaDescriptor } from '@holdfast/protocol'
import type { CheckChoices } from './check-choices.ts'
import { describeTables } from './describe-tables.ts'

/** Finds tables, as `schema.table`, that are hidden from a user's device. */
export type FindHiddenTables = (userId: string) => Promise<ReadonlySet<string>>

/**
 * Describes the local database for a role. Reads the catalog each time, so it is current immediately after a change.
 *
 * @param pool - connects as `authenticator`
 */
export async function describeSchema(
  pool: Connections,
  plan: SyncPlan,
  role: string,
  checkChoices: CheckChoices,
  hidden: ReadonlySet<string>,
): Promise<SchemaDescriptor> {
  const described = await describeTables(pool, plan.tables, role, checkChoices)
  const tables = described.filter(({ schema, table }) => !hidden.has(`${schema}.${table}`))
  const version = createHash('sha256').update(JSON.stringify(tables)).digest('hex').slice(0, 16)
  return { version, tables }
}
