import { errorMessage } from '@holdfast/foundation'
import { assumeSession, isConnectionLoss, sql, type Connections, type Transaction } from '@holdfast/postgres'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { RowEncoder } from '../encode/row-json.ts'
import { sessionOf, type Person } from './person.ts'
import { printAsStream } from '../rows/print-as-stream.ts'
import { columnList, queryTexts, roleTables, type RoleTable } from './role-tables.ts'

/** What Postgres shows to a person, in the words of devices. */
export type PersonRow =
  | {
      readonly table: string
      readonly id: string
      /** The columns as JSON text. */
      readonly data: string
    }
  /** Selecting from the table fails for this person. */
  | { readonly table: string; readonly fails: string }

const BATCH_ROWS = 2_000

/**
 * All rows that Postgres shows to a person, as that person, in one snapshot.
 *
 * @param pool - as `authenticator`
 * @param take - gets them in batches; reading waits for it
 * @returns names of the tables that were read, and of those among them of which a device may have less
 */
export async function readPersonRows(
  pool: Connections,
  active: ActivePlan,
  person: Person,
  take: (rows: readonly PersonRow[]) => Promise<void>,
): Promise<{ readonly tables: readonly string[]; readonly narrowed: readonly string[] }> {
  const tables = roleTables(active, person.role)
  await pool.transaction(async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read read only`)
    await printAsStream(tx)
    await assumeSession(tx, sessionOf(person))
    for (const table of tables) {
      await tx.execute(sql`savepoint one_table`)
      const fails = await readTable(tx, table, take)
      if (fails === undefined) continue
      await tx.execute(sql`rollback to savepoint one_table`)
      await take([{ table: table.localName, fails }])
    }
  })
  return {
    tables: tables.map((table) => table.localName),
    narrowed: tables.flatMap((table) => (table.isNarrowed ? [table.localName] : [])),
  }
}

/** @returns why it fails, when it does */
async function readTable(
  tx: Transaction,
  { localName, name, columns, router, definition }: RoleTable,
  take: (rows: readonly PersonRow[]) => Promise<void>,
): Promise<string | undefined> {
  const attempt = async <T>(body: () => Promise<T>): Promise<T | { readonly fails: string }> => {
    try {
      return await body()
    } catch (error) {
      if (isConnectionLoss(error)) throw error
      return { fails: errorMessage(error) }
    }
  }
  const declared = await attempt(() =>
    tx.execute(sql`declare rows_of_person no scroll cursor for select ${columnList(columns)} from ${name}`),
  )
  if (typeof declared === 'object') return declared.fails
  const cache = new Map<RowEncoder, string>()
  for (;;) {
    const rows = await attempt(() => queryTexts(tx, sql.trusted(`fetch ${BATCH_ROWS} from rows_of_person`)))
    if ('fails' in rows) return rows.fails
    if (rows.length === 0) break
    await take(
      rows.map((row) => {
        cache.clear()
        return { table: localName, id: router.objectId(row), data: router.json(definition, row, cache) }
      }),
    )
  }
  await tx.execute(sql`close rows_of_person`)
  return undefined
}
