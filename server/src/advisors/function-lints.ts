import { sql } from '@holdfast/postgres'
import { OF_PROJECT, type Lint } from './lint.ts'

const OF_NO_EXTENSION = sql`not exists (
  select from pg_catalog.pg_depend e where e.classid = 'pg_catalog.pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')`

interface FunctionRow {
  readonly name: string
  readonly roles: string
}

/** Functions that run with their owner's rights. */
export const FUNCTION_LINTS: readonly Lint[] = [
  {
    name: 'function_search_path_mutable',
    level: 'warning',
    category: 'security',
    async find(db) {
      const rows = await db.query<Pick<FunctionRow, 'name'>>(sql`
        select pg_catalog.format('%I.%I(%s)', n.nspname, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as name
          from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
         where p.prosecdef and p.prokind in ('f', 'p') and ${OF_PROJECT} and ${OF_NO_EXTENSION}
           and not exists (select from unnest(coalesce(p.proconfig, '{}')) s where s like 'search!_path=%' escape '!')
         order by 1`)
      return rows.map(({ name }) => ({
        object: name,
        text: 'It runs with the rights of its owner and finds tables and functions by the search path of its caller, who can put others in their place.',
        action: 'Set its search path, and write the schema before each name in it.',
        sql: `alter function ${name} set search_path = '';`,
      }))
    },
  },
  {
    name: 'anon_security_definer_function_executable',
    level: 'warning',
    category: 'security',
    async find(db, { exposedSchemas }) {
      const rows = await db.query<Pick<FunctionRow, 'name'>>(sql`
        select pg_catalog.format('%I.%I(%s)', n.nspname, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as name
          from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
         where p.prosecdef and p.prokind = 'f' and p.prorettype <> 'pg_catalog.trigger'::regtype and ${OF_PROJECT} and ${OF_NO_EXTENSION}
           and n.nspname = any (${[...exposedSchemas]}::text[]) and pg_catalog.has_schema_privilege('anon', n.oid, 'usage')
           and pg_catalog.has_function_privilege('anon', p.oid, 'execute')
         order by 1`)
      return rows.map(({ name }) => ({
        object: name,
        text: 'Everybody calls it through the API without signing in, and it runs with the rights of its owner.',
        action: 'Revoke the right to call it, unless it is meant for visitors.',
        sql: `revoke execute on function ${name} from public, anon;`,
      }))
    },
  },
]
