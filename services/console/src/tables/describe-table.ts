import type {
  ListedTable,
  TableColumnDetails,
  TableConstraint,
  TableDetails,
  TableGrant,
  TableIndex,
  TablePolicy,
} from '@holdfast/protocol'
import { FOREIGN_KEYS, sql, type Pool, type SqlFragment, type Transaction } from '@holdfast/postgres'
import { LISTED, syncReader, type ReadSyncStates } from './list-tables.ts'
import { findTable, POLICY_COLUMNS, readCatalog, readOnlyReasonOf, readTable } from './read-table.ts'
import { isHiddenSchema, isManagedSchema, isSecretColumn } from './schemas.ts'

/** Roles of the API, whose privileges are shown. */
const API_ROLES = ['anon', 'authenticated', 'service_role']

/**
 * Reads the definition of a table or view.
 *
 * @throws {HoldfastError} `no_such_table`
 */
export async function describeTable(
  pool: Pool,
  readSync: ReadSyncStates,
  schema: string,
  name: string,
): Promise<TableDetails> {
  const known = await readTable(pool, schema, name)
  return await readCatalog(pool, async (tx) => {
    const { oid, kind } = await findTable(tx, schema, name)
    const id = sql`${oid}::int8::oid`
    const [listed] = await tx.query<Omit<ListedTable, 'sync' | 'name'> & { readonly definition: string | null }>(sql`
      select ${LISTED}, case when c.relkind in ('v', 'm') then pg_catalog.pg_get_viewdef(c.oid, true) end as definition
        from pg_catalog.pg_class c where c.oid = ${id}`)
    if (!listed) throw new Error('a table vanished within a transaction')
    const columns = await readColumns(tx, id)
    return {
      ...listed,
      schema,
      name,
      isManaged: isManagedSchema(schema),
      sync: syncReader(readSync())(schema, name, kind),
      columns: columns.map((column) => ({ ...column, isSecret: isSecretColumn(schema, column.name) })),
      key: known.key?.map((column) => column.name) ?? null,
      constraints: await readConstraints(tx, id),
      indexes: await readIndexes(tx, id),
      policies: await readPolicies(tx, id),
      referencedBy: (await readReferences(tx, id)).filter((one) => !isHiddenSchema(one.schema)),
      triggers: await readTriggers(tx, id),
      grants: await readGrants(tx, id),
      readOnlyReason: readOnlyReasonOf({ schema, kind }),
    }
  })
}

async function readColumns(tx: Transaction, id: SqlFragment): Promise<readonly Omit<TableColumnDetails, 'isSecret'>[]> {
  return await tx.query(sql`
    select a.attname::text as name, pg_catalog.format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as "isNullable",
           pg_catalog.pg_get_expr(d.adbin, d.adrelid) as default, (a.attgenerated <> '' or a.attidentity = 'a') as "isGenerated",
           (select array_agg(e.enumlabel::text order by e.enumsortorder) from pg_catalog.pg_enum e where e.enumtypid = a.atttypid) as labels,
           pg_catalog.col_description(a.attrelid, a.attnum) as comment
      from pg_catalog.pg_attribute a
      left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = ${id} and a.attnum > 0 and not a.attisdropped
     order by a.attnum`)
}

async function readConstraints(tx: Transaction, id: SqlFragment): Promise<readonly TableConstraint[]> {
  const rows = await tx.query<
    Omit<TableConstraint, 'target'> & { readonly target: TableConstraint['target'] | null }
  >(sql`
    select con.conname::text as name,
           case con.contype when 'p' then 'primary key' when 'u' then 'unique' when 'f' then 'foreign key' when 'x' then 'exclude' else 'check' end as kind,
           pg_catalog.pg_get_constraintdef(con.oid, true) as definition,
           coalesce((select array_agg(a.attname::text order by k.position) from unnest(con.conkey) with ordinality as k (attnum, position)
              join pg_catalog.pg_attribute a on a.attrelid = con.conrelid and a.attnum = k.attnum), '{}') as columns,
           case when fk.name is not null then json_build_object('schema', fk."targetSchema", 'name', fk."targetTable", 'columns', fk."targetColumns") end as target
      from pg_catalog.pg_constraint con
      left join (${FOREIGN_KEYS}) fk on fk.relation = con.conrelid and fk.name = con.conname
     where con.conrelid = ${id} and con.contype in ('p', 'u', 'f', 'c', 'x')
     order by con.contype <> 'p', con.conname`)
  return rows.map(({ target, ...row }) => ({ ...row, ...(target && { target }) }))
}

async function readIndexes(tx: Transaction, id: SqlFragment): Promise<readonly TableIndex[]> {
  return await tx.query(sql`
    select c.relname::text as name, pg_catalog.pg_get_indexdef(i.indexrelid) as definition, pg_catalog.pg_relation_size(i.indexrelid)::float8 as bytes,
           coalesce(s.idx_scan, 0)::float8 as scans, i.indisvalid as "isValid"
      from pg_catalog.pg_index i
      join pg_catalog.pg_class c on c.oid = i.indexrelid
      left join pg_catalog.pg_stat_all_indexes s on s.indexrelid = i.indexrelid
     where i.indrelid = ${id}
     order by c.relname`)
}

export async function readPolicies(tx: Transaction, id: SqlFragment): Promise<readonly TablePolicy[]> {
  return await tx.query(sql`
    select ${POLICY_COLUMNS},
           array(select case when r.oid = 0 then 'public' else pg_catalog.pg_get_userbyid(r.oid)::text end from unnest(p.polroles) r (oid)) as roles
      from pg_catalog.pg_policy p where p.polrelid = ${id} order by p.polname`)
}

async function readReferences(tx: Transaction, id: SqlFragment): Promise<TableDetails['referencedBy']> {
  return await tx.query(sql`
    select n.nspname::text as schema, c.relname::text as name, fk.name::text as constraint
      from (${FOREIGN_KEYS}) fk
      join pg_catalog.pg_class c on c.oid = fk.relation
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where fk."targetOid" = ${id} order by 1, 2, 3 limit 200`)
}

async function readTriggers(tx: Transaction, id: SqlFragment): Promise<readonly string[]> {
  const rows = await tx.query<{ definition: string }>(sql`
    select pg_catalog.pg_get_triggerdef(t.oid, true) as definition from pg_catalog.pg_trigger t
     where t.tgrelid = ${id} and not t.tgisinternal order by t.tgname`)
  return rows.map(({ definition }) => definition)
}

async function readGrants(tx: Transaction, id: SqlFragment): Promise<readonly TableGrant[]> {
  return await tx.query(sql`
    select r.rolname::text as role,
           array(select p from unnest(array['select', 'insert', 'update', 'delete']) p where pg_catalog.has_table_privilege(r.oid, ${id}, p)) as privileges
      from pg_catalog.pg_roles r where r.rolname = any (${API_ROLES}) order by r.rolname`)
}
