import { errorMessage } from '@holdfast/foundation'
import type { Connections } from '@holdfast/postgres'
import type { ActivePlan } from '../buckets/active-plan.ts'
import { sessionOf, type InspectedUser } from './inspected-user.ts'
import { roleTables } from './role-tables.ts'
import { withShownRows } from './shown-rows.ts'

/** Rows visible to a user, in device form. */
export type UserRow =
  | {
      readonly table: string
      readonly id: string
      /** The columns as JSON text. */
      readonly data: string
    }
  /** Selecting from the table fails for this person. */
  | { readonly table: string; readonly fails: string }

/**
 * Reads all rows that Postgres shows a user, as that user, in one snapshot.
 *
 * @param pool - connects as `authenticator`
 * @param take - receives batches; reading waits for it
 * @returns names of the tables read, and which of them a device may have only in part
 */
export async function readUserRows(
  pool: Connections,
  active: ActivePlan,
  person: InspectedUser,
  signal: AbortSignal,
  take: (rows: readonly UserRow[]) => Promise<void>,
): Promise<{ readonly tables: readonly string[]; readonly narrowed: readonly string[] }> {
  const tables = roleTables(active, person.role)
  await withShownRows(pool, sessionOf(person), signal, async (shown) => {
    for (const table of tables) {
      const { localName } = table
      const failure = await shown.read(table, (rows) =>
        take(rows.map(({ id, data }) => ({ table: localName, id, data }))),
      )
      if (failure) await take([{ table: localName, fails: errorMessage(failure.error) }])
    }
  })
  return {
    tables: tables.map((table) => table.localName),
    narrowed: tables.flatMap((table) => (table.isNarrowed ? [table.localName] : [])),
  }
}
