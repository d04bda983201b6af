import { anyOfLinks, cheapestLinks, claimLinksOf, type ClaimLinks } from '@holdfast/policy'
import { sql, type Queryable } from '@holdfast/postgres'
import type { TableName } from '@holdfast/replication'

/** Access of one role to a table. */
export interface RoleAccess {
  readonly selectable: ReadonlySet<string>
  /** SQL condition over the table's columns; `undefined` for all rows. */
  readonly condition: string | undefined
  /** Claims read by the condition, which define the classes; `undefined` for any claim. */
  readonly claims: readonly string[] | undefined
  /** Links between a row and the claims of users who can see it; `undefined` if it may be any user. */
  readonly links: ClaimLinks | undefined
}

interface RoleRow {
  readonly role: string
  readonly selectable: readonly string[]
  readonly unrestricted: boolean
}

interface PolicyRow {
  readonly permissive: boolean
  /** Applicable roles among those requested. */
  readonly roles: readonly string[]
  readonly condition: string
  /** The {@link CLAIM_FUNCTIONS} it calls. */
  readonly calls: readonly string[]
  /** Whether it reads other tables or calls further functions. */
  readonly reads_more: boolean
}

/** Claim read by each function in schema `auth`. Any other function may read all claims. */
const CLAIM_FUNCTIONS: Readonly<Record<string, string>> = { uid: 'sub', role: 'role', email: 'email' }

/** Built-in functions that read settings or may run SQL that does. Postgres records no dependencies on built-ins. */
const READS_SETTINGS = /current_setting|pg_settings|pg_show_all_settings|_to_xml/

/** Reads which rows and columns of a table some roles may select, combining policies as Postgres does for a query. */
export async function readPolicies(
  db: Queryable,
  { oid, name }: TableName & { readonly oid: number },
  roles: readonly string[],
): Promise<ReadonlyMap<string, RoleAccess>> {
  const rows = await readRoles(db, oid, roles)
  const policies = await readConditions(db, oid, roles)
  return new Map(
    rows.map(({ role, selectable, unrestricted }) => [
      role,
      {
        selectable: new Set(selectable),
        ...(unrestricted
          ? { condition: undefined, claims: [], links: undefined }
          : joinPolicies(
              policies.filter((policy) => policy.roles.includes(role)),
              name,
            )),
      },
    ]),
  )
}

/**
 * A row is visible if all restrictive policies and at least one permissive policy pass. The evaluation order matches Postgres (by name, permissive ones in
 * reverse), because it decides whether a failing policy is reached.
 */
function joinPolicies(
  policies: readonly PolicyRow[],
  table: string,
): Pick<RoleAccess, 'condition' | 'claims' | 'links'> {
  const permissive = policies.filter((policy) => policy.permissive)
  if (permissive.length === 0) return { condition: 'false', claims: [], links: anyOfLinks([]) }
  const some = permissive
    .toReversed()
    .map(({ condition }) => `(${condition})`)
    .join(' or ')
  const restrictive = policies.filter((policy) => !policy.permissive)
  const all = restrictive.map(({ condition }) => `(${condition})`)
  const linksOf = ({ condition }: PolicyRow): ClaimLinks | undefined => claimLinksOf(condition, table)
  return {
    condition: [...all, `(${some})`].join(' and '),
    claims: claimsOf(policies),
    links: cheapestLinks([anyOfLinks(permissive.map(linksOf)), ...restrictive.map(linksOf)]),
  }
}

function claimsOf(policies: readonly PolicyRow[]): readonly string[] | undefined {
  const claims = new Set<string>()
  for (const { condition, calls, reads_more: readsMore } of policies) {
    if (readsMore || READS_SETTINGS.test(condition)) return undefined
    for (const call of calls) claims.add(CLAIM_FUNCTIONS[call] ?? '')
  }
  return [...claims].toSorted()
}

function readRoles(db: Queryable, oid: number, roles: readonly string[]): Promise<RoleRow[]> {
  return db.query<RoleRow>(sql`
    select r.rolname::text as role,
      array(select a.attname::text from pg_catalog.pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
               and pg_catalog.has_schema_privilege(r.oid, c.relnamespace, 'USAGE')
               and pg_catalog.has_column_privilege(r.oid, c.oid, a.attnum, 'SELECT')) as selectable,
      not c.relrowsecurity or r.rolsuper or r.rolbypassrls
        or (not c.relforcerowsecurity and pg_catalog.pg_has_role(r.oid, c.relowner, 'USAGE')) as unrestricted
      from pg_catalog.pg_roles r, pg_catalog.pg_class c
     where r.rolname = any(${[...roles]}::text[]) and c.oid = ${String(oid)}::int8::oid`)
}

function readConditions(db: Queryable, oid: number, roles: readonly string[]): Promise<PolicyRow[]> {
  return db.query<PolicyRow>(sql`
    with claim_functions as (
      select f.oid, f.proname::text as name from pg_catalog.pg_proc f join pg_catalog.pg_namespace n on n.oid = f.pronamespace
       where n.nspname = 'auth' and f.proname = any(${Object.keys(CLAIM_FUNCTIONS)}::text[]) and f.pronargs = 0
    )
    select p.polpermissive as permissive, pg_catalog.pg_get_expr(p.polqual, p.polrelid) as condition,
      array(select r.rolname::text from pg_catalog.pg_roles r
             where r.rolname = any(${[...roles]}::text[])
               and exists (select from unnest(p.polroles) one (oid)
                            where one.oid = 0 or pg_catalog.pg_has_role(r.oid, nullif(one.oid, 0), 'USAGE'))) as roles,
      array(select f.name from claim_functions f join pg_catalog.pg_depend d on d.refobjid = f.oid
             where d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
               and d.refclassid = 'pg_catalog.pg_proc'::regclass) as calls,
      exists (
        select from pg_catalog.pg_depend d
         where d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
           and (d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid <> p.polrelid
             or d.refclassid = 'pg_catalog.pg_operator'::regclass
             or d.refclassid = 'pg_catalog.pg_proc'::regclass
                and d.refobjid <> all (array(select f.oid from claim_functions f)))
      ) as reads_more
      from pg_catalog.pg_policy p
     where p.polrelid = ${String(oid)}::int8::oid and p.polcmd in ('r', '*') and p.polqual is not null
     order by p.polname`)
}
