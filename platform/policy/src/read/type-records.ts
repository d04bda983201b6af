import { quoteIdentifier, sql, SQLSTATE, sqlstateOf, type Transaction } from '@holdfast/postgres'
import { findRecordFills } from '../syntax/record-fills.ts'

/** A function in PL/pgSQL, as far as its queries depend on it. */
export interface Procedure {
  readonly name: string
  /** The statement that creates it. */
  readonly procedure: string
  readonly argNames: readonly string[]
  /** Types of the input arguments as `format_type` prints them. */
  readonly argTypeNames: readonly string[]
}

/** SQL types by variable name; `undefined` if unknown. */
export type VariableTypes = ReadonlyMap<string, string | undefined>

/**
 * Determines row types of `record` variables from the queries that fill them, via temporary views with the same columns. Variables filled with different row
 * types stay untyped.
 *
 * @param tx - must be rolled back by the caller
 */
export async function typeRecords(
  tx: Transaction,
  procedure: Procedure,
  types: VariableTypes,
  path: string,
): Promise<VariableTypes> {
  const untyped = new Map(findRecordFills(procedure.procedure))
  const typed = new Map<string, string>()
  // A query may read fields of a record filled by another.
  for (let isMore = true; isMore;) {
    isMore = false
    for (const [name, fills] of untyped) {
      const views = fills.map((_, index) => `hf_record_${typed.size}_${index}`)
      if (!(await createViews(tx, procedure, { types, typed }, path, fills, views))) continue
      typed.set(name, `pg_temp.${quoteIdentifier(views[0] ?? '')}`)
      untyped.delete(name)
      isMore = true
    }
  }
  return new Map([...types, ...typed])
}

/** @returns whether all queries have the same row type; otherwise drops the views */
async function createViews(
  tx: Transaction,
  procedure: Procedure,
  known: { readonly types: VariableTypes; readonly typed: ReadonlyMap<string, string> },
  path: string,
  queries: readonly string[],
  views: readonly string[],
): Promise<boolean> {
  const variables = rangesOfVariables(procedure, known)
  await tx.execute(sql`savepoint type_record`)
  let isOneType = false
  try {
    await tx.execute(sql`select set_config('search_path', ${path}, true)`)
    for (const [index, query] of queries.entries()) {
      const view = `pg_temp.${quoteIdentifier(views[index] ?? '')}`
      // User code: the extended protocol accepts a single statement.
      await tx.client.query({
        text: `create view ${view} as select "hf row".* from ${variables}, lateral (${query}\n) as "hf row"`,
        queryMode: 'extended',
      } as { text: string })
    }
    const [row] = await tx.query<{ types: number }>(sql`
      select count(distinct t.columns)::int as types
        from (select array_agg(row(a.attname, a.atttypid)::text order by a.attnum) as columns
                from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
               where c.relnamespace = pg_catalog.pg_my_temp_schema() and c.relname = any(${views}::text[]) group by c.oid) t`)
    isOneType = row?.types === 1
  } catch (error) {
    const state = sqlstateOf(error)
    if (state === undefined || state === SQLSTATE.lockNotAvailable) throw error
  }
  if (!isOneType) await tx.execute(sql`rollback to savepoint type_record`)
  await tx.execute(sql`release savepoint type_record`)
  await tx.execute(sql`set local search_path = pg_catalog`)
  return isOneType
}

/** Represents variables as ranges: `v` and `function.v` are columns, `r.x` is a record field. */
function rangesOfVariables(
  { name, argNames, argTypeNames }: Procedure,
  { types, typed }: { readonly types: VariableTypes; readonly typed: ReadonlyMap<string, string> },
): string {
  const columns = new Map<string, string>()
  for (const [index, type] of argTypeNames.entries()) {
    const argument = argNames[index] ?? ''
    if (argument !== '') columns.set(argument, type)
  }
  for (const [variable, type] of types) if (type !== undefined && !columns.has(variable)) columns.set(variable, type)
  const list = [...columns].map(([column, type]) => `null::${type} as ${quoteIdentifier(column)}`)
  const records = [...typed].map(([record, type]) => `(select (null::${type}).*) as ${quoteIdentifier(record)}`)
  return [`(select ${list.join(', ')}) as ${quoteIdentifier(name)}`, ...records].join(', ')
}
