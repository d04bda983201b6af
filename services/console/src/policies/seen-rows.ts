import { HoldfastError } from '@holdfast/foundation'
import { sql } from '@holdfast/postgres'
import type { PolicyIdentity, SeenRowsPage } from '@holdfast/protocol'
import { addressCondition } from '../tables/page-query.ts'
import { readPage, type RowsNeeds, type RowsQuery } from '../tables/read-rows.ts'
import { readTable } from '../tables/read-table.ts'
import { runAsIdentity } from '../tables/table-session.ts'

/** Reads a page of rows as the project, and which of them a user sees. */
export async function readSeenRows(
  needs: RowsNeeds,
  { as, ...query }: Omit<RowsQuery, 'as'> & { readonly as: PolicyIdentity },
): Promise<SeenRowsPage> {
  const { columns, rows, next } = await readPage(needs, { ...query, as: { kind: 'postgres' } })
  const table = await readTable(needs.pool, query.schema, query.table)
  const lookups = rows.flatMap(({ address }, at) =>
    address === null
      ? []
      : [
          sql`select ${at}::int as at from ${sql.identifier(table.schema, table.name)} t where ${addressCondition(table, address)}`,
        ],
  )
  let seen = new Set<number>()
  let problem: string | undefined
  try {
    const found = await runAsIdentity(needs.openSession, as, { isReadOnly: true }, (tx) =>
      lookups.length === 0 ? Promise.resolve([]) : tx.query<{ at: number }>(sql.join(lookups, ' union all ')),
    )
    seen = new Set(found.map(({ at }) => at))
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'query_refused') throw error
    problem = error.message
  }
  return {
    columns,
    rows: rows.map((row, at) => ({ ...row, isSeen: seen.has(at) })),
    ...(next !== undefined && { next }),
    ...(problem !== undefined && { problem }),
  }
}
