import {
  assumeSession,
  isConnectionLoss,
  sql,
  sqlstateOf,
  type Connections,
  type Session,
  type SqlFragment,
  type Transaction,
} from '@holdfast/postgres'
import type { RowEncoder } from '../encode/row-json.ts'
import { CHECK_STATEMENT_TIMEOUT_MS, SHOWN_BYTES, SHOWN_ROWS_MAX } from '../limits.ts'
import { printAsStream } from '../rows/print-as-stream.ts'
import { columnList, queryTexts, type RoleTable } from './role-tables.ts'

/** A row that Postgres shows a user, in device form. */
export interface ShownRow {
  readonly id: string
  /** The columns as JSON text. */
  readonly data: string
}

/** Why selecting from a table fails for a user. */
export interface SelectFailure {
  readonly error: unknown
  readonly sqlstate: string | undefined
}

/** Reads tables in one snapshot as one user, under row-level security. */
export interface ShownRows {
  /** Passes rows in batches; reading waits for each. @param condition - over the table aliased `t`; all rows if omitted @returns the failure, if any */
  read(
    table: RoleTable,
    take: (rows: readonly ShownRow[]) => Promise<void>,
    condition?: SqlFragment,
  ): Promise<SelectFailure | undefined>
}

/** Opens a snapshot as a user. @param pool - connects as `authenticator` @param signal - aborts between two batches */
export async function withShownRows<T>(
  pool: Connections,
  session: Session,
  signal: AbortSignal,
  body: (shown: ShownRows) => Promise<T>,
): Promise<T> {
  return pool.transaction(async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read read only`)
    await tx.execute(sql.trusted(`set local statement_timeout = ${CHECK_STATEMENT_TIMEOUT_MS}`))
    await printAsStream(tx)
    await assumeSession(tx, session)
    return body({ read: (table, take, condition) => readTable(tx, table, take, condition, signal) })
  })
}

async function readTable(
  tx: Transaction,
  table: RoleTable,
  take: (rows: readonly ShownRow[]) => Promise<void>,
  condition: SqlFragment | undefined,
  signal: AbortSignal,
): Promise<SelectFailure | undefined> {
  const { name, columns, router, definition } = table
  const attempt = async <T>(body: () => Promise<T>): Promise<T | FailedSelect> => {
    signal.throwIfAborted()
    try {
      return await body()
    } catch (error) {
      if (isConnectionLoss(error)) throw error
      await tx.execute(sql`rollback to savepoint one_table`)
      return new FailedSelect(error)
    }
  }
  await tx.execute(sql`savepoint one_table`)
  const where = condition ? sql` where ${condition}` : sql``
  const declared = await attempt(() =>
    tx.execute(sql`declare rows_of_user no scroll cursor for select ${columnList(columns)} from ${name} t${where}`),
  )
  if (declared instanceof FailedSelect) return declared
  const cache = new Map<RowEncoder, string>()
  for (let count = 50; ;) {
    const rows = await attempt(() => queryTexts(tx, sql.trusted(`fetch ${count} from rows_of_user`)))
    if (rows instanceof FailedSelect) return rows
    if (rows.length === 0) break
    const shown = rows.map((row) => {
      cache.clear()
      return { id: router.objectId(row), data: router.json(definition, row, cache) }
    })
    await take(shown)
    const bytes = shown.reduce((sum, { data }) => sum + data.length, 0)
    count = Math.max(1, Math.min(SHOWN_ROWS_MAX, Math.floor((SHOWN_BYTES * rows.length) / Math.max(1, bytes))))
  }
  await tx.execute(sql`close rows_of_user`)
  await tx.execute(sql`release savepoint one_table`)
  return undefined
}

class FailedSelect implements SelectFailure {
  readonly error: unknown
  readonly sqlstate: string | undefined

  constructor(error: unknown) {
    this.error = error
    this.sqlstate = sqlstateOf(error)
  }
}
