import { quoteIdentifier, quoteLiteral } from '@holdfast/postgres'
import type { Source } from './source.ts'
import { TAIL } from './write-schema.ts'

/** API roles, to which projects add settings. */
const API_ROLES: readonly string[] = ['anon', 'authenticated', 'service_role']

/** Settings a project's role may set on these. */
const SAFE_SETTING = /^(?:statement_timeout|lock_timeout|idle_in_transaction_session_timeout|(?:pgrst|app)\..+)$/

/** Settings whose value is a list of already quoted names. */
const LISTS: readonly string[] = [
  'search_path',
  'temp_tablespaces',
  'local_preload_libraries',
  'session_preload_libraries',
]

interface Role {
  readonly name: string
  readonly attributes: readonly string[]
}

/** Renders the project's own roles with memberships and settings, as a repeatable script. Excludes passwords, which only superusers can read. */
export async function renderRoles(source: Source): Promise<string> {
  const { roles: names, memberships } = source.inventory
  const { roles, settings } = await readRoles(source, names)
  const own = new Set(names)
  const lines = [
    ...roles.map(
      ({ name, attributes }) =>
        `DO $$ BEGIN CREATE ROLE ${quoteIdentifier(name)}; EXCEPTION WHEN duplicate_object THEN NULL; END $$;\nALTER ROLE ${quoteIdentifier(name)} WITH ${attributes.join(' ')};`,
    ),
    ...memberships
      .filter(({ role, member }) => own.has(role) || own.has(member))
      .map(({ role, member }) => `GRANT ${quoteIdentifier(role)} TO ${quoteIdentifier(member)};`),
    ...settings
      .filter(({ role, name }) => own.has(role) || SAFE_SETTING.test(name))
      .map(
        ({ role, name, value }) =>
          `ALTER ROLE ${quoteIdentifier(role)} SET ${quoteIdentifier(name)} TO ${LISTS.includes(name) ? value : quoteLiteral(value)};`,
      ),
  ]
  return `SET client_encoding = 'UTF8';\nSET standard_conforming_strings = on;\n\n${lines.map((line) => `${line}\n`).join('')}\n${TAIL}`
}

async function readRoles(
  source: Source,
  names: readonly string[],
): Promise<{
  readonly roles: readonly Role[]
  readonly settings: readonly { readonly role: string; readonly name: string; readonly value: string }[]
}> {
  const client = await source.connect()
  try {
    const { rows: roles } = await client.query<Role>(
      `select rolname::text as name, array[
          case when rolcanlogin then 'LOGIN' else 'NOLOGIN' end, case when rolinherit then 'INHERIT' else 'NOINHERIT' end,
          case when rolcreatedb then 'CREATEDB' else 'NOCREATEDB' end, case when rolcreaterole then 'CREATEROLE' else 'NOCREATEROLE' end,
          case when rolbypassrls then 'BYPASSRLS' else 'NOBYPASSRLS' end, 'CONNECTION LIMIT ' || rolconnlimit] as attributes
         from pg_catalog.pg_roles where rolname = any($1) order by 1`,
      [names],
    )
    const { rows: settings } = await client.query<{ role: string; name: string; value: string }>(
      `select r.rolname::text as role, split_part(c.line, '=', 1) as name, substr(c.line, strpos(c.line, '=') + 1) as value
         from pg_catalog.pg_db_role_setting s join pg_catalog.pg_roles r on r.oid = s.setrole, unnest(s.setconfig) as c (line)
        where s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database())) and r.rolname = any($1)
        order by 1, 2`,
      [[...names, ...API_ROLES]],
    )
    return { roles, settings }
  } finally {
    await client.end().catch(() => undefined) // possibly broken already
  }
}
