import { sql, type Pool } from '@holdfast/postgres'

/** Finds the tables, as `schema.table`, that were created in the app for workspaces that a user is not in. */
export async function findTablesOfOthers(pool: Pool, userId: string): Promise<ReadonlySet<string>> {
  const rows = await pool.query<{ name: string }>(sql`
    select t.schema_name || '.' || t.table_name as name from holdfast.tables t
     where t.workspace_id is not null and not exists (
       select from holdfast.members m where m.workspace_id = t.workspace_id and m.user_id::text = ${userId} and m.status = 'active')`)
  return new Set(rows.map(({ name }) => name))
}
