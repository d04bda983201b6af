import type { Node } from 'libpg-query'
import { type Queryable, type SqlFragment, sql } from '@holdfast/postgres'
import { Refusal } from '../refusal.ts'
import { type CollectedNames, collectNames } from '../syntax/collect-names.ts'

/** Reads a query's rows as JSON, to preserve arrays and numbers. */
export async function list<T>(tx: Queryable, statement: SqlFragment): Promise<T[]> {
  const rows = await tx.query<{ list: T[] }>(
    sql`select coalesce(json_agg(row_to_json(x)), '[]'::json) as list from (${statement}) x`,
  )
  return rows[0]?.list ?? []
}

/**
 * SQL for the objects that a catalog object references, if some are locked so that printing would block; otherwise null. From `pg_depend`, which is not
 * affected by locks.
 */
export function namedWhenLocked(catalog: SqlFragment, object: SqlFragment, locked: readonly number[]): SqlFragment {
  if (locked.length === 0) return sql`null::json`
  return sql`(
    select json_agg(distinct d.refclassid::regclass::text || ' ' || d.refobjid) from pg_depend d
     where d.classid = ${catalog} and d.objid = ${object}
    having bool_or(d.refclassid = 'pg_class'::regclass and d.refobjid = any (${locked}::int8[]::oid[])))`
}

/** Collects names; unparsable text is skipped, because compilation refuses it with that reason. */
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
