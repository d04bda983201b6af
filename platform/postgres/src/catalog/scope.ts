import { sql, type SqlFragment } from '../sql/sql.ts'

/** Condition on `pg_namespace`: schemas other than Postgres's own. */
export function ownSchema(alias: 'nsp'): SqlFragment {
  return sql`${sql.identifier(alias)}.nspname !~ '^pg_' and ${sql.identifier(alias)}.nspname <> 'information_schema'`
}
