import { sql, type SqlFragment } from '@holdfast/postgres'

/**
 * A condition on a relation: whether a policy for the command asks one of the functions of schema `holdfast` for the records of this table that are shared with the
 * caller. A policy that asks through a function of the project is not seen.
 *
 * @param relation - alias with `oid` and `local`, the name of the table on devices
 * @param command - of `pg_policy`: `r` reads, `w` updates
 */
export function asksForShares(
  relation: string,
  asked: 'shared_record_ids' | 'changeable_record_ids',
  command: 'r' | 'w',
): SqlFragment {
  const row = sql.identifier(relation)
  return sql`exists (
    select from pg_catalog.pg_policy p
      join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
                                 and d.refclassid = 'pg_catalog.pg_proc'::regclass
      join pg_catalog.pg_proc f on f.oid = d.refobjid and f.proname = ${asked}
      join pg_catalog.pg_namespace n on n.oid = f.pronamespace and n.nspname = 'holdfast'
     where p.polrelid = ${row}.oid and p.polpermissive and p.polcmd in (${command}, '*')
       and position(${`${asked}(`} || quote_literal(${row}.local) in pg_catalog.pg_get_expr(p.polqual, p.polrelid)) > 0)`
}
