import type { Node } from 'libpg-query'
import { type Queryable, type SqlFragment, sql } from '@holdfast/postgres'
import { Refusal } from '../refusal.ts'
import { type CollectedNames, collectNames } from '../syntax/collect-names.ts'

/** The rows of a query as JSON, so that arrays and numbers come as such. */
export async function list<T>(tx: Queryable, statement: SqlFragment): Promise<T[]> {
  const rows = await tx.query<{ list: T[] }>(
    sql`select coalesce(json_agg(row_to_json(x)), '[]'::json) as list from (${statement}) x`,
  )
  return rows[0]?.list ?? []
}

/**
 * What an object of the catalog names, when some of it is locked so that Postgres would wait before it prints it; else null. Taken from `pg_depend`, which no lock
 * guards.
 */
export function namedWhenLocked(catalog: SqlFragment, object: SqlFragment, locked: readonly number[]): SqlFragment {
  if (locked.length === 0) return sql`null::json`
  return sql`(
    select json_agg(distinct d.refclassid::regclass::text || ' ' || d.refobjid) from pg_depend d
     where d.classid = ${catalog} and d.objid = ${object}
    having bool_or(d.refclassid = 'pg_class'::regclass and d.refobjid = any (${locked}::int8[]::oid[])))`
}

/** What the parser cannot read names nothing here; whatever is made of it is refused with that reason when it is compiled. */
export function collectParsed(parse: () => readonly Node[], names: CollectedNames): void {
  let nodes: readonly Node[]
  try {
    nodes = parse()
  } catch (error) {
    if (error instanceof Refusal) return
    throw error
  }
  for (const node of nodes) collectNames(node, names)
}
