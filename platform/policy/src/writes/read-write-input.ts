import { type Pool, quoteIdentifier, type SqlFragment, sql } from '@holdfast/postgres'
import type { WriteCommand } from '@holdfast/protocol'
import type { PolicyInput } from '../catalog/policy-input.ts'
import { list } from '../read/catalog-lists.ts'
import { readPolicyInput } from '../read/read-policy-input.ts'

/** Catalog input that determines writes. */
export interface WriteInput {
  /** Including write policies. */
  readonly policies: PolicyInput
  readonly rights: readonly WriteRight[]
  readonly triggers: readonly RowTrigger[]
  /** Columns with NOT NULL or a length limit. */
  readonly columns: readonly LimitedColumn[]
  readonly transitions: readonly EnforcedTransitions[]
}

export interface LimitedColumn {
  readonly table: number
  readonly name: string
  readonly isRequired: boolean
  /** Omitted values get a default. */
  readonly hasDefault: boolean
  /** Characters of a `varchar(n)`. */
  readonly length: number | null
}

/** Transitions of a column enforced by a `holdfast.enforce_transitions` trigger. */
export interface EnforcedTransitions {
  readonly table: number
  readonly column: string
  readonly commands: readonly WriteCommand[]
  readonly steps: readonly {
    readonly from: string | null
    readonly to: string | null
    /** An expression without the row. */
    readonly allowedIf: string | null
    readonly words: string
  }[]
  /** Allowed successors of each value, as sentences. */
  readonly sentences: readonly { readonly from: string | null; readonly words: string }[]
}

/** Columns a role may write, by grant. */
export interface WriteRight {
  readonly table: number
  readonly role: number
  readonly insertable: readonly string[] | null
  readonly updatable: readonly string[] | null
  readonly canDelete: boolean
}

/** A BEFORE row trigger, which may change the row. */
export interface RowTrigger {
  readonly table: number
  readonly name: string
  readonly commands: readonly WriteCommand[]
  /** `CREATE` statement of its function, if PL/pgSQL. */
  readonly definition: string | null
  /** Columns that a trigger of Holdfast assigns, where its text does not tell; `null` for all others. */
  readonly assigned: readonly string[] | null
}

/**
 * Reads the input of {@link compileWriteRules}.
 *
 * @param pool - connected as `holdfast_reader`, as for {@link readPolicyInput}
 * @param options.schemas - exposed by the API; nothing of others is disclosed
 */
export async function readWriteInput(
  pool: Pick<Pool, 'transaction' | 'query' | 'execute'>,
  { schemas, signal }: { readonly schemas?: readonly string[]; readonly signal?: AbortSignal } = {},
): Promise<WriteInput> {
  const transitions = await readTransitions(pool)
  const expressions = transitions.flatMap(({ steps }) => steps.flatMap(({ allowedIf }) => allowedIf ?? []))
  const policies = await readPolicyInput(pool, {
    isWriting: true,
    expressions,
    ...(schemas ? { schemas } : {}),
    ...(signal ? { signal } : {}),
  })
  const tables = policies.tables.map(({ oid }) => oid)
  const rights = await list<WriteRight>(pool, writeRights(tables, policies.apiRoles))
  const triggers = await list<RowTrigger>(pool, ROW_TRIGGERS)
  const columns = await list<LimitedColumn>(pool, limitedColumns(tables))
  return { policies, rights, triggers, columns, transitions }
}

/**
 * Returns a fingerprint of everything write rules depend on. Reads the catalog, but not the policies.
 *
 * @param pool - connected as `holdfast_reader`
 */
export async function writeFingerprint(pool: Pick<Pool, 'query'>): Promise<string> {
  const transitions = (await hasTransitions(pool))
    ? sql`union all select 's' || id || ' ' || xmin from holdfast.transitions`
    : sql``
  const [row] = await pool.query<{ fingerprint: string }>(sql`
    select md5(string_agg(object, ' ' order by object)) as fingerprint from (
      select 'p' || oid || ' ' || xmin as object from pg_catalog.pg_policy
      union all select 'd' || objoid || ' ' || objsubid || ' ' || xmin from pg_catalog.pg_description
                 where classoid in ('pg_catalog.pg_policy'::regclass, 'pg_catalog.pg_constraint'::regclass, 'pg_catalog.pg_class'::regclass) and objoid >= 16384
      union all select 'k' || oid || ' ' || xmin from pg_catalog.pg_constraint where contype = 'c'
      union all select 'e' || oid || ' ' || xmin from pg_catalog.pg_attrdef
      union all select 't' || oid || ' ' || xmin from pg_catalog.pg_trigger where not tgisinternal
      union all select 'f' || p.oid || ' ' || p.xmin from pg_catalog.pg_proc p where p.oid >= 16384
      union all select 'y' || oid || ' ' || xmin from pg_catalog.pg_type where oid >= 16384
      union all select 'o' || oid || ' ' || xmin from pg_catalog.pg_operator where oid >= 16384
      union all select 'n' || oid || ' ' || xmin from pg_catalog.pg_namespace
      union all select 'c' || oid || ' ' || xmin from pg_catalog.pg_class where oid >= 16384 and relkind in ('r', 'p', 'v', 'm', 'f', 'i')
      union all select 'a' || attrelid || ' ' || attnum || ' ' || xmin from pg_catalog.pg_attribute where attrelid >= 16384
      union all select 'm' || roleid || ' ' || member from pg_catalog.pg_auth_members
      union all select 'r' || setdatabase || ' ' || setrole || ' ' || array_to_string(setconfig, ' ') from pg_catalog.pg_db_role_setting
      ${transitions}
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

/** `tgtype`: 1 row, 2 before, 4 insert, 16 update. Disabled and replica-only triggers do not run. */
const ROW_TRIGGERS = sql`
  select t.tgrelid::int8 as table, t.tgname as name,
         array_remove(array[case when t.tgtype & 4 <> 0 then 'insert' end, case when t.tgtype & 16 <> 0 then 'update' end], null) as commands,
         case when l.lanname = 'plpgsql' then pg_get_functiondef(p.oid) end as definition,
         case
           -- Corrects names of files that a device has written as they are.
           when t.tgfoid = to_regprocedure('holdfast.keep_file_names()') then '[]'::json
           when t.tgfoid = to_regprocedure('holdfast.fill_people()') and t.tgnargs = 1
             then convert_from(substring(t.tgargs from 1 for length(t.tgargs) - 1), 'UTF8')::json
         end as assigned
    from pg_catalog.pg_trigger t
    join pg_catalog.pg_proc p on p.oid = t.tgfoid
    join pg_catalog.pg_language l on l.oid = p.prolang
   where not t.tgisinternal and t.tgtype & 3 = 3 and t.tgenabled in ('O', 'A')`

/** `atttypmod` of `varchar(n)` is n + 4. */
function limitedColumns(tables: readonly number[]): SqlFragment {
  return sql`
    select a.attrelid::int8 as table, a.attname as name, a.attnotnull as "isRequired",
           a.atthasdef or a.attidentity <> '' or t.typdefault is not null as "hasDefault",
           case when a.atttypid = 'pg_catalog.varchar'::regtype and a.atttypmod > 4 then a.atttypmod - 4 end as length
      from pg_catalog.pg_attribute a
      join pg_catalog.pg_type t on t.oid = a.atttypid
     where a.attrelid = any (${tables}::oid[]) and a.attnum > 0 and not a.attisdropped
       and (a.attnotnull or a.atttypid = 'pg_catalog.varchar'::regtype and a.atttypmod > 4)
     order by a.attrelid, a.attnum`
}

/** Databases without the server's schema have none. */
async function hasTransitions(pool: Pick<Pool, 'query'>): Promise<boolean> {
  const [row] = await pool.query<{ has: boolean }>(sql`select to_regclass('holdfast.transitions') is not null as has`)
  return row?.has ?? false
}

async function readTransitions(pool: Pick<Pool, 'query' | 'execute'>): Promise<readonly EnforcedTransitions[]> {
  if (!(await hasTransitions(pool))) return []
  const found = await list<EnforcedTransitions>(pool, ENFORCED_TRANSITIONS)
  return found.map((one) => ({
    ...one,
    steps: one.steps.map((step) => ({ ...step, allowedIf: step.allowedIf === null ? null : callOf(step.allowedIf) })),
  }))
}

/** `schema.function` as an expression. */
function callOf(name: string): string {
  return `${name.split('.').map(quoteIdentifier).join('.')}()`
}

/** A trigger argument ends with a NUL. */
const ENFORCED_TRANSITIONS = sql`
  with enforced as (
    select t.tgrelid, convert_from(substring(t.tgargs from 1 for length(t.tgargs) - 1), 'UTF8') as field,
           array_remove(array[case when bool_or(t.tgtype & 4 <> 0) then 'insert' end, case when bool_or(t.tgtype & 16 <> 0) then 'update' end], null) as commands
      from pg_catalog.pg_trigger t
     where not t.tgisinternal and t.tgfoid = to_regprocedure('holdfast.check_transition()') and t.tgtype & 3 = 3 and t.tgenabled in ('O', 'A')
     group by 1, 2
  )
  select e.tgrelid::int8 as table, e.field as column, e.commands,
         (select coalesce(json_agg(json_build_object('from', r.from_value, 'to', r.to_value, 'allowedIf', r.allowed_if,
                   'words', (select w.words from holdfast.transition_to(e.tgrelid, e.field, r.from_value, r.to_value) w))
                   order by (select l.enumsortorder from pg_catalog.pg_enum l where l.enumtypid = a.atttypid and l.enumlabel = r.to_value), r.to_value, r.from_value), '[]'::json)
            from holdfast.transitions r where r.schema_name = n.nspname and r.table_name = c.relname and r.field = e.field) as steps,
         (select json_agg(json_build_object('from', v.value, 'words', holdfast.transition_words(e.tgrelid, e.field, v.value)) order by v.value nulls first)
            from (select null::text as value
                  union select r.from_value from holdfast.transitions r where r.schema_name = n.nspname and r.table_name = c.relname and r.field = e.field
                  union select r.to_value from holdfast.transitions r where r.schema_name = n.nspname and r.table_name = c.relname and r.field = e.field
                  union select l.enumlabel from pg_catalog.pg_enum l where l.enumtypid = a.atttypid) v) as sentences
    from enforced e
    join pg_catalog.pg_class c on c.oid = e.tgrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_attribute a on a.attrelid = e.tgrelid and a.attname = e.field
   order by e.tgrelid, e.field`
