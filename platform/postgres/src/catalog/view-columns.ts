import type { Queryable } from '../connection/pool.ts'
import { sql } from '../sql/sql.ts'
import { ownSchema } from './scope.ts'

/** A view column that is a plain table column, possibly through other views. Numbers are OIDs and `attnum`s. */
export interface ViewColumn {
  readonly position: number
  readonly tableOid: number
  readonly tablePosition: number
}

/**
 * Reads which columns of each view or materialized view are plain table columns, by view OID.
 *
 * Postgres's parser records each output column's origin in the stored query, through subqueries, joins and CTEs; columns of a UNION have none.
 *
 * @see PostgreSQL, `resorigtbl` and `resorigcol` of `TargetEntry` in primnodes.h
 */
export async function readViewColumns(tx: Queryable): Promise<ReadonlyMap<number, readonly ViewColumn[]>> {
  const rows = await tx.query<{ oid: number; action: string }>(sql`
    select rel.oid::int8::float8 as oid, rule.ev_action::text as action
      from pg_catalog.pg_rewrite rule
      join pg_catalog.pg_class rel on rel.oid = rule.ev_class
      join pg_catalog.pg_namespace nsp on nsp.oid = rel.relnamespace
     where rule.ev_type = '1' and rel.relkind in ('v', 'm') and rel.relpersistence <> 't' and ${ownSchema('nsp')}
  `)
  const direct = new Map(rows.map(({ oid, action }) => [oid, parseOrigins(action)]))
  return new Map(rows.map(({ oid }) => [oid, resolve(oid, direct, [])]))
}

/** Follows view columns down to tables. Stops at a view that is its own source, which occurs only in a broken catalog. */
function resolve(
  view: number,
  direct: ReadonlyMap<number, readonly ViewColumn[]>,
  above: readonly number[],
): readonly ViewColumn[] {
  return (direct.get(view) ?? []).flatMap((column) => {
    if (!direct.has(column.tableOid)) return [column]
    if (above.includes(column.tableOid) || column.tableOid === view) return []
    return resolve(column.tableOid, direct, [...above, view])
      .filter(({ position }) => position === column.tablePosition)
      .map((source) => ({ ...source, position: column.position }))
  })
}

/** Relevant tokens of a node tree: braces and fields of target entries. `\x` is an escaped character. */
const TOKEN = /\\[\s\S]|[{}]|:(targetList|resno|resorigtbl|resorigcol|resjunk) ([^\s{}()]*)/g

/**
 * Returns the output columns of a stored query that have an origin.
 *
 * @param action - text of `pg_rewrite.ev_action`: `({QUERY … :targetList ({TARGETENTRY … :resno 1 … :resorigtbl 16401 :resorigcol 2 …} …) …})`
 */
export function parseOrigins(action: string): readonly ViewColumn[] {
  const found: ViewColumn[] = []
  let depth = 0
  let inTargets = false
  let entry = { position: 0, tableOid: 0, tablePosition: 0 }
  for (const [token, field, value] of action.matchAll(TOKEN)) {
    if (token === '{') {
      depth++
      if (depth === 2) entry = { position: 0, tableOid: 0, tablePosition: 0 }
    } else if (token === '}') {
      if (depth === 2 && inTargets && entry.tableOid !== 0 && entry.tablePosition > 0) found.push(entry)
      depth--
    } else if (field === 'targetList') {
      if (depth === 1) inTargets = true
    } else if (depth === 2 && inTargets) {
      if (field === 'resno') entry.position = Number(value)
      else if (field === 'resorigtbl') entry.tableOid = Number(value)
      else if (field === 'resorigcol') entry.tablePosition = Number(value)
      else if (value === 'true') entry.tableOid = 0
    }
  }
  return found
}
