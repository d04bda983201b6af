import { sql, type Pool } from '@holdfast/postgres'
import type { TablePolicy } from '@holdfast/protocol'
import { POLICY_COLUMNS, readCatalog } from '../tables/read-table.ts'

/** A policy that applies to a role, with names in its expressions that any `search_path` resolves. */
export type ApplicablePolicy = Omit<TablePolicy, 'roles'>

/** Reads the policies of a table that apply to a role, as Postgres chooses them. */
export async function readApplicablePolicies(
  pool: Pool,
  oid: number,
  role: string,
): Promise<readonly ApplicablePolicy[]> {
  return await readCatalog(pool, (tx) =>
    tx.query<ApplicablePolicy>(sql`
      select ${POLICY_COLUMNS}
        from pg_catalog.pg_policy p
       where p.polrelid = ${oid}::int8::oid
         and (0 = any(p.polroles) or exists (
               select from unnest(p.polroles) r (oid) where r.oid <> 0 and pg_catalog.pg_has_role(${role}, r.oid, 'usage')))
       order by p.polname`),
  )
}
