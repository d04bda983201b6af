import { errorMessage } from '@holdfast/foundation'
import type { TablePlan } from '@holdfast/policy'
import {
  isConnectionLoss,
  quoteIdentifier,
  quoteName,
  runAs,
  sql,
  type Connections,
  type Pool,
  type Transaction,
} from '@holdfast/postgres'
import type { Tuple } from '@holdfast/replication'
import { byRecordId } from './by-record-id.ts'
import { sessionOf, type InspectedUser } from './inspected-user.ts'
import { printAsStream } from '../rows/print-as-stream.ts'
import { columnList, queryTexts } from './role-tables.ts'
import type { PolicyAnswer, RowExplanation } from './row-explanation.ts'

/** Reads the row with an id, bypassing policies. */
export async function readRow(
  tx: Transaction,
  table: TablePlan,
  columns: readonly string[],
  id: string,
): Promise<Tuple | undefined> {
  await printAsStream(tx)
  const name = sql.trusted(quoteName(table.schema, table.name))
  await tx.execute(sql`savepoint by_id`)
  try {
    const [row] = await queryTexts(tx, sql`select ${columnList(columns)} from ${name} t where ${byRecordId(table, id)}`)
    return row
  } catch (error) {
    if (isConnectionLoss(error)) throw error
    await tx.execute(sql`rollback to savepoint by_id`)
    return undefined // the id is no value of the column's type
  }
}

/** Returns what Postgres shows the user of a row, and the result of each `SELECT` policy. */
export async function readVisibility(
  {
    pool,
    readerPool,
    requestPool,
  }: { readonly pool: Pool; readonly readerPool: Pool; readonly requestPool: Connections },
  table: TablePlan,
  person: InspectedUser,
  id: string,
  row: Tuple | undefined,
): Promise<RowExplanation['postgres']> {
  if (!row) return { exists: false, visible: false, policies: [] }
  const name = sql.trusted(quoteName(table.schema, table.name))
  const [composite] = await readerPool.query<{ row: string }>(
    sql`select t::text as row from ${name} t where ${byRecordId(table, id)}`,
  )
  const policies = await pool.transaction(async (tx) => {
    await tx.execute(sql`set local search_path = pg_catalog`) // qualifies all other names with their schema
    return tx.query<{ name: string; permissive: boolean; using: string | null }>(sql`
    select p.polname as name, p.polpermissive as permissive, pg_get_expr(p.polqual, p.polrelid) as using
      from pg_catalog.pg_policy p
     where p.polrelid = ${table.oid}::int8::oid and p.polcmd in ('r', '*')
       and (0 = any(p.polroles) or exists (select from unnest(p.polroles) r where r <> 0 and pg_has_role(${person.role}, r, 'usage')))
     order by p.polpermissive desc, p.polname
    `)
  })
  return runAs(requestPool, sessionOf(person), async (tx) => {
    const attempt = async <T>(body: () => Promise<T>): Promise<T | { readonly fails: string }> => {
      await tx.execute(sql`savepoint one`)
      try {
        return await body()
      } catch (error) {
        if (isConnectionLoss(error)) throw error
        await tx.execute(sql`rollback to savepoint one`)
        return { fails: errorMessage(error) }
      }
    }
    const seen = await attempt(() => tx.query(sql`select 1 from ${name} t where ${byRecordId(table, id)}`))
    const answers: PolicyAnswer[] = []
    for (const { name: policy, permissive, using } of policies) {
      if (using === null) continue
      // The row is passed as a value, so the user need not be able to read it from the table.
      const answer = await attempt(() =>
        tx.query<{ passes: boolean | null }>(sql`
          select (${sql.trusted(using)}) as passes
            from (select (${composite?.row ?? null}::text::${name}).*) as ${sql.trusted(quoteIdentifier(table.name))}
        `),
      )
      answers.push(
        'fails' in answer
          ? { name: policy, permissive, passes: null, fails: answer.fails }
          : { name: policy, permissive, passes: answer[0]?.passes ?? null },
      )
    }
    return 'fails' in seen
      ? { exists: true, visible: false, fails: seen.fails, policies: answers }
      : { exists: true, visible: seen.length > 0, policies: answers }
  })
}
