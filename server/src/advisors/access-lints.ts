import { sql, type Queryable } from '@holdfast/postgres'
import { OF_NO_EXTENSION, OF_PROJECT, type Lint } from './lint.ts'

/** A table without row-level security that holders of an API key reach. */
export interface OpenTable {
  /** Quoted. */
  readonly name: string
  readonly roles: readonly string[]
  readonly isWritable: boolean
}

/** Finds tables of exposed schemas that `anon` or `authenticated` can use without any policy. */
export async function findOpenTables(db: Queryable, schemas: readonly string[]): Promise<readonly OpenTable[]> {
  return await db.query<OpenTable>(sql`
    select pg_catalog.format('%I.%I', n.nspname, c.relname) as name, array_agg(r.rolname::text order by r.rolname) as roles,
           bool_or(pg_catalog.has_table_privilege(r.rolname, c.oid, 'insert, update, delete')) as "isWritable"
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      join pg_catalog.pg_roles r on r.rolname in ('anon', 'authenticated')
     where n.nspname = any (${[...schemas]}::text[]) and c.relkind in ('r', 'p') and not c.relrowsecurity
       and pg_catalog.has_schema_privilege(r.rolname, n.oid, 'usage')
       and (pg_catalog.has_any_column_privilege(r.rolname, c.oid, 'select')
            or pg_catalog.has_table_privilege(r.rolname, c.oid, 'insert, update, delete'))
       and ${OF_NO_EXTENSION}
     group by 1 order by 1`)
}

interface ViewRow {
  readonly name: string
  readonly roles: readonly string[]
}

/** Views of exposed schemas that `anon` or `authenticated` may read. @param condition - over `pg_class c` */
async function findViews(
  db: Queryable,
  schemas: readonly string[],
  condition: ReturnType<typeof sql>,
): Promise<readonly ViewRow[]> {
  return await db.query<ViewRow>(sql`
    select pg_catalog.format('%I.%I', n.nspname, c.relname) as name, array_agg(r.rolname::text order by r.rolname) as roles
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      join pg_catalog.pg_roles r on r.rolname in ('anon', 'authenticated')
     where n.nspname = any (${[...schemas]}::text[]) and ${condition}
       and pg_catalog.has_schema_privilege(r.rolname, n.oid, 'usage')
       and pg_catalog.has_any_column_privilege(r.rolname, c.oid, 'select') and ${OF_NO_EXTENSION}
     group by 1 order by 1`)
}

const IS_INVOKER = sql`coalesce((select option_value::bool from pg_catalog.pg_options_to_table(c.reloptions)
                                  where option_name = 'security_invoker'), false)`

const READS_USERS = sql`exists (
  select from pg_catalog.pg_rewrite w join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = w.oid
   where w.ev_class = c.oid and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = pg_catalog.to_regclass('auth.users'))`

function listed(roles: readonly string[]): string {
  return roles.join(' and ')
}

/** Who reaches what. */
export const ACCESS_LINTS: readonly Lint[] = [
  {
    name: 'rls_disabled_in_public',
    level: 'error',
    category: 'security',
    async find(db, { exposedSchemas }) {
      const tables = await findOpenTables(db, exposedSchemas)
      return tables.map(({ name, roles, isWritable }) => ({
        object: name,
        text: `${listed(roles)} ${isWritable ? 'read and change' : 'read'} every row, because row-level security is off.`,
        action: 'Turn it on, then add policies: without one, nobody but the owner has rows.',
        sql: `alter table ${name} enable row level security;`,
      }))
    },
  },
  {
    name: 'policy_exists_rls_disabled',
    level: 'error',
    category: 'security',
    async find(db) {
      const rows = await db.query<{ name: string; policies: string }>(sql`
        select pg_catalog.format('%I.%I', n.nspname, c.relname) as name, string_agg(p.polname, ', ' order by p.polname) as policies
          from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where not c.relrowsecurity and n.nspname !~ '^pg_' group by 1 order by 1`)
      return rows.map(({ name, policies }) => ({
        object: name,
        text: `Its policies (${policies}) have no effect, because row-level security is off.`,
        action: 'Turn row-level security on.',
        sql: `alter table ${name} enable row level security;`,
      }))
    },
  },
  {
    name: 'rls_enabled_no_policy',
    level: 'info',
    category: 'security',
    async find(db, { exposedSchemas }) {
      const rows = await db.query<{ name: string }>(sql`
        select pg_catalog.format('%I.%I', n.nspname, c.relname) as name
          from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where n.nspname = any (${[...exposedSchemas]}::text[]) and c.relkind in ('r', 'p') and c.relrowsecurity
           and not exists (select from pg_catalog.pg_policy p where p.polrelid = c.oid) and ${OF_PROJECT} and ${OF_NO_EXTENSION} order by 1`)
      return rows.map(({ name }) => ({
        object: name,
        text: 'Row-level security is on and there is no policy, so no user has rows of it.',
        action: 'Add a policy. If only the server uses the table, move it to a schema that is not exposed.',
        sql: `create policy "own rows" on ${name} for select to authenticated using (user_id = (select auth.uid()));`,
      }))
    },
  },
  {
    name: 'auth_users_exposed',
    level: 'error',
    category: 'security',
    async find(db, { exposedSchemas }) {
      const views = await findViews(db, exposedSchemas, sql`c.relkind in ('v', 'm') and ${READS_USERS}`)
      const grants = await db.query<ViewRow>(sql`
        select pg_catalog.format('%I.%I', n.nspname, c.relname) as name, array_agg(r.rolname::text order by r.rolname) as roles
          from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
          join pg_catalog.pg_roles r on r.rolname in ('anon', 'authenticated')
         where n.nspname = 'auth' and c.relkind in ('r', 'p', 'v', 'm') and pg_catalog.has_schema_privilege(r.rolname, n.oid, 'usage')
           and pg_catalog.has_any_column_privilege(r.rolname, c.oid, 'select') group by 1 order by 1`)
      return [
        ...views.map(({ name, roles }) => ({
          object: name,
          text: `The view shows columns of auth.users to ${listed(roles)}.`,
          action: 'Copy what the app needs to a table of your own with policies, and drop the view or the privilege.',
          sql: `revoke select on ${name} from anon, authenticated;`,
        })),
        ...grants.map(({ name, roles }) => ({
          object: name,
          text: `${listed(roles)} may select from a table of accounts.`,
          action: 'Revoke the privilege.',
          sql: `revoke select on ${name} from anon, authenticated;`,
        })),
      ]
    },
  },
  {
    name: 'security_definer_view',
    level: 'error',
    category: 'security',
    async find(db, { exposedSchemas }) {
      const views = await findViews(db, exposedSchemas, sql`c.relkind = 'v' and not ${IS_INVOKER}`)
      return views.map(({ name, roles }) => ({
        object: name,
        text: `${listed(roles)} read it with the rights of its owner, so policies of the tables in it do not apply.`,
        action: 'Make it use the rights of whoever reads it.',
        sql: `alter view ${name} set (security_invoker = on);`,
      }))
    },
  },
  {
    name: 'materialized_view_in_api',
    level: 'warning',
    category: 'security',
    async find(db, { exposedSchemas }) {
      const views = await findViews(db, exposedSchemas, sql`c.relkind = 'm'`)
      return views.map(({ name, roles }) => ({
        object: name,
        text: `${listed(roles)} read all of its rows: a materialized view has no policies.`,
        action: 'Revoke the privilege, and show the rows through a function or a table with policies.',
        sql: `revoke select on ${name} from anon, authenticated;`,
      }))
    },
  },
]
