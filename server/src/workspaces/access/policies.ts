import { sql, type Queryable, type SqlFragment } from '@holdfast/postgres'

/** A policy as Postgres prints it, with the condition on existing rows. */
export interface RowPolicy {
  readonly table: string
  readonly name: string
  readonly command: 'select' | 'update' | 'all'
  readonly isPermissive: boolean
  /** Absent: every row. */
  readonly using: string | null
  readonly words: string | null
}

/**
 * Reads the policies for reading and changing rows of tables in schema `public` that apply to signed-in users.
 *
 * @param project - in a transaction; afterwards its search path is `pg_catalog`, so that every other name is printed with its schema
 */
export async function readRowPolicies(project: Queryable, tables: readonly string[]): Promise<readonly RowPolicy[]> {
  await project.execute(sql`set local search_path = pg_catalog`)
  return project.query<RowPolicy>(sql`
    select c.relname as table, p.polname as name, p.polpermissive as "isPermissive", pg_get_expr(p.polqual, p.polrelid) as using,
           case p.polcmd when 'r' then 'select' when 'w' then 'update' else 'all' end as command,
           obj_description(p.oid, 'pg_policy') as words
      from pg_policy p join pg_class c on c.oid = p.polrelid
     where c.relnamespace = 'public'::regnamespace and c.relname = any (${tables}::text[]) and p.polcmd in ('r', 'w', '*')
       and (0 = any (p.polroles) or exists (select from unnest(p.polroles) r where r <> 0 and pg_has_role('authenticated', r, 'usage')))
     order by c.relname, p.polname`)
}

/** The condition under which policies let a row be read or changed: any permissive one, and all restrictive ones. Never NULL. */
export function conditionOf(policies: readonly RowPolicy[], command: 'select' | 'update'): SqlFragment {
  const of = policies.filter((policy) => policy.command === command || policy.command === 'all')
  const list = (isPermissive: boolean): readonly string[] =>
    of.filter((policy) => policy.isPermissive === isPermissive).map(({ using }) => `(${using ?? 'true'}) is true`)
  const any = list(true)
  return sql.trusted([`(${any.length === 0 ? 'false' : any.join(' or ')})`, ...list(false)].join(' and '))
}

/** Rows of a table under its own name, which conditions of policies use for columns inside subqueries. */
export function rowsOf(table: string, max: number): SqlFragment {
  return sql`(select * from ${sql.identifier('public', table)} limit ${max}) as ${sql.identifier(table)}`
}
