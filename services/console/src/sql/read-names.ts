import { sql, type Pool } from '@holdfast/postgres'
import { NAMES_MAX } from '../limits.ts'

/** Reads the columns of all tables and views by schema and name, for completion. System schemas come last, and what exceeds the limit is left out. */
export async function readNames(
  pool: Pool,
): Promise<Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>> {
  const rows = await pool.query<{ schema: string; name: string; columns: readonly string[] }>(sql`
    select n.nspname as schema, c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_toast'
     group by n.nspname, c.relname
     order by n.nspname = 'public' desc, n.nspname in ('pg_catalog', 'information_schema'), n.nspname, c.relname
     limit ${NAMES_MAX}`)
  const names: Record<string, Record<string, readonly string[]>> = {}
  for (const { schema, name, columns } of rows) (names[schema] ??= {})[name] = columns
  return names
}
