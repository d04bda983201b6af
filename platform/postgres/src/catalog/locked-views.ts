import type { Queryable } from '../connection/pool.ts'
import { sql } from '../sql/sql.ts'
import { lockedRelations } from './shared-queries.ts'

/**
 * Returns views whose writability Postgres cannot currently report without waiting, because they or views below them are locked against reading. Does not wait.
 *
 * @returns their OIDs, and those of other locked relations
 */
export async function readLockedViews(tx: Queryable): Promise<readonly number[]> {
  const rows = await tx.query<{ oid: number }>(sql`
    with recursive locked (oid) as (
      ${lockedRelations()}
       union
      select rule.ev_class
        from locked
        join pg_catalog.pg_depend dep on dep.refclassid = 'pg_catalog.pg_class'::regclass and dep.refobjid = locked.oid
                                     and dep.classid = 'pg_catalog.pg_rewrite'::regclass
        join pg_catalog.pg_rewrite rule on rule.oid = dep.objid
    )
    select oid::int8::float8 as oid from locked`)
  return rows.map(({ oid }) => oid)
}
