import { baseTypesOf, sql, uniqueIndexesOf, type Pool, type Transaction, type UniqueIndex } from '@holdfast/postgres'
import type { RelationKind } from '@holdfast/protocol'
import { noSuchTable } from '../errors.ts'
import { isHiddenSchema, isManagedSchema, isSecretColumn } from './schemas.ts'

/** A column as queries over rows need it. */
export interface KnownColumn {
  readonly name: string
  /** SQL of the type without length limits, valid with any `search_path`. Of a domain: its base type. */
  readonly type: string
  readonly isNullable: boolean
  /** Only Postgres sets it. */
  readonly isGenerated: boolean
}

/** A table or view as queries over its rows need it. */
export interface KnownTable {
  readonly schema: string
  readonly name: string
  readonly oid: number
  readonly kind: RelationKind
  /** The readable columns, in order. */
  readonly columns: readonly KnownColumn[]
  /** Columns of the key that identifies rows; `undefined` without one. */
  readonly key: readonly KnownColumn[] | undefined
  /** Leading columns of indexes. */
  readonly indexed: readonly string[]
}

/** SQL that names the kind of a relation. @param alias - of `pg_class` */
export const RELATION_KIND = sql`case c.relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'v' then 'view'
                 when 'm' then 'materialized view' else 'foreign table' end`

/** Columns of `TablePolicy`, for a query over `pg_policy p`. */
export const POLICY_COLUMNS = sql`
           p.polname::text as name,
           case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end as command,
           p.polpermissive as "isPermissive",
           pg_catalog.pg_get_expr(p.polqual, p.polrelid) as using, pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid) as check`

/** Runs queries over the catalog so that printed types and expressions have qualified names. */
export async function readCatalog<T>(pool: Pool, body: (tx: Transaction) => Promise<T>): Promise<T> {
  return await pool.transaction(async (tx) => {
    await tx.execute(sql`select set_config('search_path', '', true)`)
    return await body(tx)
  })
}

/** @throws {HoldfastError} `no_such_table`, also for tables that the console does not show */
export async function findTable(
  tx: Transaction,
  schema: string,
  name: string,
): Promise<{ readonly oid: number; readonly kind: RelationKind }> {
  if (isHiddenSchema(schema)) throw noSuchTable()
  const [row] = await tx.query<{ oid: number; kind: RelationKind }>(sql`
    select c.oid::int8::float8 as oid, ${RELATION_KIND} as kind
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = ${schema} and c.relname = ${name} and c.relkind in ('r', 'p', 'v', 'm', 'f')`)
  if (!row) throw noSuchTable()
  return row
}

/**
 * Reads what queries over a table's rows need.
 *
 * @param pool - of the superuser
 * @throws {HoldfastError} `no_such_table`
 */
export async function readTable(pool: Pool, schema: string, name: string): Promise<KnownTable> {
  return await readCatalog(pool, async (tx) => {
    const { oid, kind } = await findTable(tx, schema, name)
    const columns = await tx.query<KnownColumn>(sql`
      select a.attname::text as name, pg_catalog.format_type(base.base, -1) as type, not a.attnotnull as "isNullable",
             (a.attgenerated <> '' or a.attidentity = 'a') as "isGenerated"
        from pg_catalog.pg_attribute a
        join (${baseTypesOf(sql`select distinct atttypid from pg_catalog.pg_attribute where attrelid = ${oid}::int8::oid`)}) base on base.oid = a.atttypid
       where a.attrelid = ${oid}::int8::oid and a.attnum > 0 and not a.attisdropped
       order by a.attnum`)
    const readable = columns.filter((column) => !isSecretColumn(schema, column.name))
    const unique = await tx.query<UniqueIndex>(uniqueIndexesOf(sql`${oid}::int8::oid`))
    const indexed = await tx.query<{ name: string }>(sql`
      select distinct a.attname::text as name
        from pg_catalog.pg_index i
        join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
       where i.indrelid = ${oid}::int8::oid and i.indisvalid and i.indpred is null`)
    const key = unique.find(({ isNullable, isImmediate }) => !isNullable && isImmediate)?.columns
    const keyColumns = key?.flatMap((one) => readable.find((column) => column.name === one) ?? [])
    return {
      schema,
      name,
      oid,
      kind,
      columns: readable,
      key: keyColumns && keyColumns.length === key?.length ? keyColumns : undefined,
      indexed: indexed.map((one) => one.name),
    }
  })
}

/** Returns why rows of a relation cannot be changed in the console, if so. */
export function readOnlyReasonOf({ schema, kind }: Pick<KnownTable, 'schema' | 'kind'>): string | null {
  if (isManagedSchema(schema)) return `The schema ${schema} belongs to Holdfast. Change its rows through its APIs.`
  return kind === 'table' || kind === 'partitioned table' ? null : `Rows of a ${kind} cannot be changed here.`
}
