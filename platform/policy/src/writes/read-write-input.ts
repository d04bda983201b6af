import { type Pool, type SqlFragment, sql } from '@holdfast/postgres'
import type { WriteCommand } from '@holdfast/protocol'
import type { PolicyInput } from '../catalog/policy-input.ts'
import { list } from '../read/catalog-lists.ts'
import { readPolicyInput } from '../read/read-policy-input.ts'

/** What decides about writes, as it stands in the catalog. */
export interface WriteInput {
  /** With the policies for writing. */
  readonly policies: PolicyInput
  readonly rights: readonly WriteRight[]
  readonly triggers: readonly RowTrigger[]
}

/** What a role may write of a table, by grant. */
export interface WriteRight {
  readonly table: number
  readonly role: number
  readonly insertable: readonly string[] | null
  readonly updatable: readonly string[] | null
  readonly canDelete: boolean
}

/** A trigger that runs before a row is written, and may change it. */
export interface RowTrigger {
  readonly table: number
  readonly commands: readonly WriteCommand[]
  /** The statement that creates its function, of one in PL/pgSQL. */
  readonly definition: string | null
}

/**
 * Reads what {@link compileWriteRules} needs.
 *
 * @param pool - connected as `holdfast_reader`, as {@link readPolicyInput} needs it
 */
export async function readWriteInput(
  pool: Pick<Pool, 'transaction' | 'query' | 'execute'>,
  signal?: AbortSignal,
): Promise<WriteInput> {
  const policies = await readPolicyInput(pool, { isWriting: true, ...(signal ? { signal } : {}) })
  const tables = policies.tables.map(({ oid }) => oid)
  const rights = await list<WriteRight>(pool, writeRights(tables, policies.apiRoles))
  const triggers = await list<RowTrigger>(pool, ROW_TRIGGERS)
  return { policies, rights, triggers }
}

/**
 * Changes with everything that write rules are made of. It costs a look at the catalog, and no reading of policies.
 *
 * @param pool - connected as `holdfast_reader`
 */
export async function writeFingerprint(pool: Pick<Pool, 'query'>): Promise<string> {
  const [row] = await pool.query<{ fingerprint: string }>(sql`
    select md5(string_agg(object, ' ' order by object)) as fingerprint from (
      select 'p' || oid || ' ' || xmin as object from pg_catalog.pg_policy
      union all select 'd' || objoid || ' ' || xmin from pg_catalog.pg_description where classoid = 'pg_catalog.pg_policy'::regclass
      union all select 't' || oid || ' ' || xmin from pg_catalog.pg_trigger where not tgisinternal
      union all select 'f' || p.oid || ' ' || p.xmin from pg_catalog.pg_proc p where p.oid >= 16384
      union all select 'y' || oid || ' ' || xmin from pg_catalog.pg_type where oid >= 16384
      union all select 'o' || oid || ' ' || xmin from pg_catalog.pg_operator where oid >= 16384
      union all select 'n' || oid || ' ' || xmin from pg_catalog.pg_namespace
      union all select 'c' || oid || ' ' || xmin from pg_catalog.pg_class where oid >= 16384 and relkind in ('r', 'p', 'v', 'm', 'f', 'i')
      union all select 'a' || attrelid || ' ' || attnum || ' ' || xmin from pg_catalog.pg_attribute where attrelid >= 16384
      union all select 'm' || roleid || ' ' || member from pg_catalog.pg_auth_members
    ) objects`)
  return row?.fingerprint ?? ''
}

function writeRights(tables: readonly number[], roles: readonly number[]): SqlFragment {
  return sql`
    select c.oid::int8 as table, r.oid::int8 as role,
           json_agg(a.attname order by a.attnum) filter (where has_column_privilege(r.oid, c.oid, a.attnum, 'insert')) as insertable,
           json_agg(a.attname order by a.attnum) filter (where has_column_privilege(r.oid, c.oid, a.attnum, 'update')) as updatable,
           has_table_privilege(r.oid, c.oid, 'delete') as "canDelete"
      from pg_catalog.pg_class c
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     cross join unnest(${roles}::oid[]) r(oid)
     where c.oid = any (${tables}::oid[]) and c.relkind in ('r', 'p')
     group by c.oid, r.oid`
}

/** `tgtype`: 1 for each row, 2 before, 4 insert, 16 update. Triggers that are off, or only for replicas, do not run. */
const ROW_TRIGGERS = sql`
  select t.tgrelid::int8 as table,
         array_remove(array[case when t.tgtype & 4 <> 0 then 'insert' end, case when t.tgtype & 16 <> 0 then 'update' end], null) as commands,
         case when l.lanname = 'plpgsql' then pg_get_functiondef(p.oid) end as definition
    from pg_catalog.pg_trigger t
    join pg_catalog.pg_proc p on p.oid = t.tgfoid
    join pg_catalog.pg_language l on l.oid = p.prolang
   where not t.tgisinternal and t.tgtype & 3 = 3 and t.tgenabled in ('O', 'A')`
