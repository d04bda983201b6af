import { quoteIdentifier, quoteName, sql, type SqlFragment, type Transaction } from '@holdfast/postgres'
import type { Tuple } from '@holdfast/replication'
import type { ActivePlan } from '../buckets/active-plan.ts'
import { createTableRouter, type TableRouter } from '../rows/table-router.ts'

/** Runs a query that returns values as Postgres prints them. */
export async function queryTexts(tx: Transaction, statement: SqlFragment): Promise<readonly Tuple[]> {
  const { text, values } = statement.render()
  const result = await tx.client.query<(string | null)[]>({
    text,
    values: [...values],
    rowMode: 'array',
    types: { getTypeParser: () => (value: unknown) => value },
  })
  return result.rows
}

/** A table as seen by a role, with the encoder for its rows in device form. */
export interface RoleTable {
  readonly localName: string
  readonly name: SqlFragment
  /** Columns that the role may select. */
  readonly columns: readonly string[]
  readonly router: TableRouter
  /** Whether streams name the table, so that a device's rows depend on its subscriptions. */
  readonly isNarrowed: boolean
  /** Position of a definition of this role in the router. */
  readonly definition: number
}

/** Returns the tables in which a role may see rows. */
export function roleTables(active: ActivePlan, role: string): readonly RoleTable[] {
  return [...active.tables.values()].flatMap(({ table, definitions }): readonly RoleTable[] => {
    const definition = definitions.findIndex((one) => one.definition.roles.includes(role))
    const columns = definitions[definition]?.definition.columns
    if (!columns) return []
    const router = createTableRouter(table, definitions, columns)
    const name = sql.trusted(quoteName(table.schema, table.name))
    const isNarrowed = definitions.every((one) => one.definition.stream !== undefined)
    return [{ localName: table.localName, name, columns, router, isNarrowed, definition }]
  })
}

/** Renders quoted columns, separated by commas. */
export function columnList(columns: readonly string[]): SqlFragment {
  return sql.trusted(columns.map((name) => quoteIdentifier(name)).join(', '))
}
