import { sql, type Queryable } from '@holdfast/postgres'
import { OF_PROJECT, type Lint } from './lint.ts'
import { wrapAuthCalls } from './wrap-auth-calls.ts'

interface PolicyRow {
  /** Quoted. */
  readonly table: string
  readonly policy: string
  /** Quoted. */
  readonly policyName: string
  readonly using: string | null
  readonly check: string | null
}

/** Reads the policies of the project's tables. Calls are qualified, because the search path is empty. */
async function readPolicies(db: Queryable): Promise<readonly PolicyRow[]> {
  return await db.query<PolicyRow>(sql`
    select pg_catalog.format('%I.%I', n.nspname, c.relname) as table, p.polname as policy, pg_catalog.quote_ident(p.polname) as "policyName",
           pg_catalog.pg_get_expr(p.polqual, p.polrelid) as using, pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid) as check
      from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.relrowsecurity and ${OF_PROJECT} order by 1, 2`)
}

function objectOf({ table, policy }: Pick<PolicyRow, 'table' | 'policy'>): string {
  return `policy "${policy}" on ${table}`
}

/** Policies that are slow or weaker than they look. */
export const POLICY_LINTS: readonly Lint[] = [
  {
    name: 'auth_rls_initplan',
    level: 'warning',
    category: 'performance',
    async find(db) {
      return (await readPolicies(db)).flatMap((row) => {
        const using = wrapAuthCalls(row.using)
        const check = wrapAuthCalls(row.check)
        if (using === undefined && check === undefined) return []
        const parts = [
          `alter policy ${row.policyName} on ${row.table}`,
          ...(using === undefined ? [] : [`  using (${using})`]),
          ...(check === undefined ? [] : [`  with check (${check})`]),
        ]
        return [
          {
            object: objectOf(row),
            text: 'It calls a function of auth for every row, such as auth.uid().',
            action: 'Put the call in a subquery, which Postgres evaluates once per statement.',
            sql: `${parts.join('\n')};`,
          },
        ]
      })
    },
  },
  {
    name: 'rls_references_user_metadata',
    level: 'error',
    category: 'security',
    async find(db) {
      return (await readPolicies(db))
        .filter(({ using, check }) => /user_metadata/.test(`${using ?? ''} ${check ?? ''}`))
        .map((row) => ({
          object: objectOf(row),
          text: 'It trusts user_metadata, which users change themselves.',
          action: 'Use app_metadata, which only the server changes, or a table of memberships.',
        }))
    },
  },
  {
    name: 'rls_policy_always_true',
    level: 'warning',
    category: 'security',
    async find(db) {
      const rows = await db.query<{ table: string; policy: string; command: string }>(sql`
        select pg_catalog.format('%I.%I', n.nspname, c.relname) as table, p.polname as policy,
               case p.polcmd when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'change' end as command
          from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where c.relrowsecurity and p.polpermissive and p.polcmd <> 'r' and ${OF_PROJECT}
           and (p.polroles = '{0}' or exists (select from pg_catalog.pg_roles r where r.oid = any (p.polroles) and r.rolname in ('anon', 'authenticated')))
           and case when p.polcmd = 'a' then pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid)
                    else pg_catalog.pg_get_expr(p.polqual, p.polrelid) end = 'true'
         order by 1, 2`)
      return rows.map((row) => ({
        object: objectOf(row),
        text: `It lets every user ${row.command} ${row.command === 'insert' ? 'any row' : 'every row'}.`,
        action: 'Say which rows. If it is meant so, for example for a form, nothing is to do.',
      }))
    },
  },
  {
    name: 'multiple_permissive_policies',
    // Less than in Supabase's linter: alternatives as policies of their own sync best.
    level: 'info',
    category: 'performance',
    async find(db) {
      const rows = await db.query<{ table: string; command: string; roles: string; policies: string }>(sql`
        select t.name as table, t.command, string_agg(t.role, ', ' order by t.role) as roles, t.policies
          from (
            select pg_catalog.format('%I.%I', n.nspname, c.relname) as name, r.rolname::text as role, a.command,
                   string_agg('"' || p.polname || '"', ', ' order by p.polname) as policies
              from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
              join pg_catalog.pg_roles r on r.rolname in ('anon', 'authenticated') and (p.polroles = '{0}' or r.oid = any (p.polroles))
              join (values ('select', 'r'), ('insert', 'a'), ('update', 'w'), ('delete', 'd')) a (command, letter)
                on p.polcmd = '*' or p.polcmd = a.letter::"char"
             where c.relrowsecurity and p.polpermissive and ${OF_PROJECT}
             group by 1, 2, 3 having count(*) > 1) t
         group by 1, 2, 4 order by 1, 2`)
      return rows.map(({ table, command, roles, policies }) => ({
        object: `${table}, ${command} as ${roles}`,
        text: `Postgres evaluates each of the policies ${policies} for a row until one allows it.`,
        action: 'Join them with OR in one policy if the table is large. Sync handles them separately, at no cost.',
      }))
    },
  },
  {
    name: 'unindexed_policy_columns',
    level: 'info',
    category: 'performance',
    async find(db) {
      // A policy depends on each column that it names. Of a table with rows, one of them should lead an index.
      const rows = await db.query<{ policies: string; table: string; column: string; rows: number }>(sql`
        with named as (
          select p.oid, p.polname, p.polrelid, d.refobjid as relation, a.attname, a.attnum,
                 exists (select from pg_catalog.pg_index i
                          where i.indrelid = d.refobjid and i.indisvalid and i.indkey[0] = a.attnum) as is_indexed,
                 (select s.n_distinct from pg_catalog.pg_stats s
                   where s.schemaname = rn.nspname and s.tablename = rc.relname and s.attname = a.attname and not s.inherited) as n_distinct,
                 pg_catalog.format('%I.%I', rn.nspname, rc.relname) as name, rc.reltuples
            from pg_catalog.pg_policy p
            join pg_catalog.pg_class c on c.oid = p.polrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
            join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
             and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjsubid > 0
            join pg_catalog.pg_class rc on rc.oid = d.refobjid and rc.relkind in ('r', 'p')
            join pg_catalog.pg_namespace rn on rn.oid = rc.relnamespace
            join pg_catalog.pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
           where c.relrowsecurity and ${OF_PROJECT} and rn.nspname <> 'auth' and p.polcmd in ('r', '*')
        ), lacking as (
          select oid, relation from named group by oid, relation having not bool_or(is_indexed)
        )
        select string_agg(distinct '"' || m.polname || '"', ', ') as policies, m.name as table, m.attname as column, max(m.reltuples)::float8 as rows
          from named m join lacking l on l.oid = m.oid and l.relation = m.relation
         where m.reltuples >= 1000 and (m.n_distinct < -0.01 or m.n_distinct > 50)
         group by m.name, m.attname order by 2, 3`)
      return rows.map(({ policies, table, column, rows: count }) => ({
        object: `${table}.${column}`,
        text: `Policies (${policies}) look rows up by it in about ${Math.round(count).toLocaleString('en')} rows, and no index begins with it.`,
        action: 'Add an index.',
        sql: `create index concurrently on ${table} (${quoteColumn(column)});`,
      }))
    },
  },
]

function quoteColumn(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}
