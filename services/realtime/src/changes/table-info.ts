import { preparePolicyParser } from '@holdfast/policy'
import { sql, type Pool, type Queryable } from '@holdfast/postgres'
import type { TableName } from '@holdfast/replication'
import { COMPARABLE, confirmLinks } from './confirm-links.ts'
import { OWN_SCHEMAS, PUBLICATION } from './published-tables.ts'
import { readPolicies, type RoleAccess } from './role-access.ts'
import type { ChangeKind } from './subscription.ts'

export interface Column {
  readonly name: string
  /** As in `pg_type`. */
  readonly type: string
  readonly isBytes: boolean
  /** Equal values have equal texts, which allows lookup. */
  readonly isComparable: boolean
}

/** Catalog information of a followed table. */
export interface TableInfo extends TableName {
  readonly oid: number
  /** In table order, including columns that the stream lacks. */
  readonly columns: readonly Column[]
  /** Primary key columns. */
  readonly key: ReadonlySet<string>
  /** Columns of old rows covered by the table's own replica identity; `undefined` for all. */
  readonly identity: ReadonlySet<string> | undefined
  readonly hasPolicies: boolean
  readonly published: ReadonlySet<ChangeKind>
  readonly roles: ReadonlyMap<string, RoleAccess>
}

interface TableRow {
  readonly oid: string
  readonly columns: readonly (readonly [name: string, type: string, comparable: boolean])[]
  readonly key: readonly string[]
  readonly identity_columns: readonly string[]
  readonly secured: boolean
  readonly inserts: boolean
  readonly updates: boolean
  readonly deletes: boolean
}

/**
 * Reads a table's current definition and the rights of some roles.
 *
 * @param isFull - whether the project itself set replica identity full
 * @returns `undefined` if the table is absent or not in the publication
 */
export async function readTableInfo(
  pool: Pool,
  table: TableName,
  roles: readonly string[],
  isFull: (oid: number) => Promise<boolean>,
): Promise<TableInfo | undefined> {
  await preparePolicyParser()
  const read = await pool.transaction(async (tx) => {
    // Makes Postgres print expressions with qualified names.
    await tx.execute(sql`set local search_path = ''`)
    const row = await readRow(tx, table)
    if (!row) return undefined
    const columns = row.columns.map(([name, type, isComparable]) => ({
      name,
      type,
      isBytes: type === 'bytea',
      isComparable,
    }))
    const access = new Map<string, RoleAccess>()
    for (const [role, own] of await readPolicies(tx, { ...table, oid: Number(row.oid) }, roles))
      access.set(role, { ...own, links: await confirmLinks(tx, columns, own.links) })
    return { row, columns, access }
  })
  if (!read) return undefined
  const { row, columns, access } = read
  const published = new Set<ChangeKind>()
  if (row.inserts) published.add('INSERT')
  if (row.updates) published.add('UPDATE')
  if (row.deletes) published.add('DELETE')
  const key = new Set(row.key)
  const own = row.identity_columns.length > 0 ? new Set(row.identity_columns) : key
  return {
    schema: table.schema,
    name: table.name,
    oid: Number(row.oid),
    columns,
    key,
    identity: (await isFull(Number(row.oid))) ? undefined : own,
    hasPolicies: row.secured,
    published,
    roles: access,
  }
}

async function readRow(db: Queryable, { schema, name }: TableName): Promise<TableRow | undefined> {
  const [row] = await db.query<TableRow>(sql`
    select c.oid::int8::text as oid, c.relrowsecurity as secured,
      p.pubinsert as inserts, p.pubupdate as updates, p.pubdelete as deletes,
      (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(a.attname, t.typname, ${COMPARABLE}) order by a.attnum), '[]')
         from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      array(select a.attname::text from pg_catalog.pg_index i
             join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey::int2[])
            where i.indrelid = c.oid and i.indisprimary) as key,
      array(select a.attname::text from pg_catalog.pg_index i
             join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey::int2[])
            where i.indrelid = c.oid and i.indisreplident) as identity_columns
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      join pg_catalog.pg_publication p on p.pubname = ${PUBLICATION}
     where n.nspname = ${schema} and c.relname = ${name} and n.nspname <> all (${OWN_SCHEMAS}::text[])
       and (p.puballtables and n.nspname <> 'auth'
         or exists (select from pg_catalog.pg_publication_namespace s where s.pnpubid = p.oid and s.pnnspid = n.oid)
         or exists (select from pg_catalog.pg_publication_rel r where r.prpubid = p.oid
                      and coalesce(pg_catalog.pg_partition_root(r.prrelid), r.prrelid) = c.oid))`)
  return row
}
