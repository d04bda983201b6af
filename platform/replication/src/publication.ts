import { quoteName, sql, type Pool, type Queryable, type SqlFragment, type Transaction } from '@holdfast/postgres'
import { publicationForeign } from './errors.ts'

/**
 * Setting the identity locks the table against everybody; rather fail and be tried again than make a queue. Shorter than Postgres's `deadlock_timeout` of
 * a second, so that a deadlock with somebody's migration ends before Postgres has to choose one of the two.
 */
const LOCK_TIMEOUT = '900ms'
const GENERATED_COLUMNS_SINCE = 180_000

export interface TableName {
  readonly schema: string
  readonly name: string
}

/** A table that cannot be published, and why, in words for a person. */
export interface RefusedTable extends TableName {
  readonly reason: string
}

export interface WantedPublication {
  readonly name: string
  readonly tables: readonly TableName[]
  /**
   * Called in the transaction that is about to change the publication, with the tables whose changes were not, or not all, published until now: they are new,
   * or somebody else has changed the publication.
   */
  readonly beforeChange?: (tx: Transaction, unpublished: readonly TableName[]) => Promise<void>
}

export interface EnsuredPublication {
  /** Whether any DDL ran. */
  readonly changed: boolean
  /** Those of the wanted tables that are not published. */
  readonly refused: readonly RefusedTable[]
}

/**
 * Makes a publication equal to a set of tables: made when it is missing, tables added and dropped, all kinds of changes published, changes
 * of partitions as those of the partitioned table, stored generated columns included. Sets `REPLICA IDENTITY FULL` on the tables and
 * on all their partitions. Runs no DDL when all is so already.
 *
 * A change is published when its table was in the publication at that point of the WAL, so a table that is added needs a snapshot from after.
 * A new partition has no full identity until this has run again, or somebody has set it. `TRUNCATE` of a single partition is not published by
 * Postgres, nor is what an attached or detached partition brings or takes.
 *
 * @throws {HoldfastError} `replication_publication_foreign` when the name belongs to a publication that is not a list of tables
 */
export async function ensurePublication(pool: Pool, wanted: WantedPublication): Promise<EnsuredPublication> {
  const first = await plan(pool, wanted.name, wanted.tables)
  if (first.statements.length === 0) return { changed: false, refused: first.refused }
  return await pool.transaction(async (tx) => {
    await tx.query(
      sql`select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(${`publication ${wanted.name}`}, 0))`,
    )
    await tx.execute(sql`set local lock_timeout = '${sql.trusted(LOCK_TIMEOUT)}'`)
    // Another node may have done it while we waited for the lock.
    const { statements, unpublished, refused } = await plan(tx, wanted.name, wanted.tables)
    if (statements.length > 0) await wanted.beforeChange?.(tx, unpublished)
    for (const statement of statements) await tx.execute(statement)
    return { changed: statements.length > 0, refused }
  })
}

interface Plan {
  readonly statements: readonly SqlFragment[]
  readonly unpublished: readonly TableName[]
  readonly refused: readonly RefusedTable[]
}

async function plan(db: Queryable, name: string, wanted: readonly TableName[]): Promise<Plan> {
  const publication = await readPublication(db, name)
  if (publication?.is_foreign === true) throw publicationForeign(name)
  const members = publication === undefined ? [] : await readMembers(db, name)
  const states = await readTables(db, wanted)

  const refused: RefusedTable[] = []
  const wantedKeys = new Set<string>()
  const statements: SqlFragment[] = []
  const adding: SqlFragment[] = []
  const unpublished: TableName[] = []
  const memberKeys = new Set(members.filter((member) => !member.narrowed).map(key))
  for (const table of states) {
    const reason = refusal(table)
    if (reason !== undefined) {
      refused.push({ schema: table.schema, name: table.name, reason })
      continue
    }
    wantedKeys.add(key(table))
    // Before the table is published, so that no published change lacks its old row.
    for (const [schema = '', relation = ''] of table.not_full) {
      statements.push(sql`alter table only ${sql.identifier(schema, relation)} replica identity full`)
    }
    if (!memberKeys.has(key(table))) adding.push(sql`only ${sql.identifier(table.schema, table.name)}`)
    if (!memberKeys.has(key(table)) || publication?.has_options !== true) unpublished.push(table)
  }
  const dropping = members
    .filter((member) => member.narrowed || !wantedKeys.has(key(member)))
    .map((member) => sql`only ${sql.identifier(member.schema, member.name)}`)

  const target = sql.identifier(name)
  if (publication === undefined) {
    const options = await wantedOptions(db)
    const tables = adding.length === 0 ? sql`` : sql` for table ${sql.join(adding)}`
    statements.push(sql`create publication ${target}${tables} with (${options})`)
  } else {
    if (!publication.has_options) statements.push(sql`alter publication ${target} set (${await wantedOptions(db)})`)
    if (dropping.length > 0) statements.push(sql`alter publication ${target} drop table ${sql.join(dropping)}`)
    if (adding.length > 0) statements.push(sql`alter publication ${target} add table ${sql.join(adding)}`)
  }
  return { statements, unpublished, refused }
}

async function wantedOptions(db: Queryable): Promise<SqlFragment> {
  const rows = await db.query<{ version: number }>(sql`select current_setting('server_version_num')::int as version`)
  const generated = (rows[0]?.version ?? 0) >= GENERATED_COLUMNS_SINCE ? ', publish_generated_columns = stored' : ''
  return sql.trusted(`publish = 'insert, update, delete, truncate', publish_via_partition_root = true${generated}`)
}

interface PublicationRow {
  readonly is_foreign: boolean
  readonly has_options: boolean
}

async function readPublication(db: Queryable, name: string): Promise<PublicationRow | undefined> {
  const rows = await db.query<PublicationRow>(sql`
    select
      p.puballtables or exists (select from pg_catalog.pg_publication_namespace n where n.pnpubid = p.oid) as is_foreign,
      p.pubinsert and p.pubupdate and p.pubdelete and p.pubtruncate and p.pubviaroot
        and coalesce(to_jsonb(p) ->> 'pubgencols', 's') = 's' as has_options
    from pg_catalog.pg_publication p where p.pubname = ${name}`)
  return rows[0]
}

interface MemberRow extends TableName {
  /** Published with a filter or a column list. */
  readonly narrowed: boolean
}

async function readMembers(db: Queryable, name: string): Promise<MemberRow[]> {
  return await db.query<MemberRow>(sql`
    select n.nspname as schema, c.relname as name, r.prqual is not null or r.prattrs is not null as narrowed
    from pg_catalog.pg_publication p
      join pg_catalog.pg_publication_rel r on r.prpubid = p.oid
      join pg_catalog.pg_class c on c.oid = r.prrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where p.pubname = ${name} order by 1, 2`)
}

interface TableRow extends TableName {
  readonly kind: string | null
  readonly persistence: string | null
  /** Names of virtual generated columns. */
  readonly virtual_columns: readonly string[]
  /** Schema and name of the table itself and of those of its partitions whose identity is not full. */
  readonly not_full: readonly (readonly string[])[]
}

async function readTables(db: Queryable, wanted: readonly TableName[]): Promise<TableRow[]> {
  return await db.query<TableRow>(sql`
    select w.schema, w.name, c.relkind as kind, c.relpersistence as persistence,
      array(
        select a.attname::text from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attgenerated = 'v' and not a.attisdropped order by a.attnum
      ) as virtual_columns,
      coalesce((
        select jsonb_agg(jsonb_build_array(ns.nspname, t.relname) order by ns.nspname, t.relname)
        from pg_catalog.pg_class t join pg_catalog.pg_namespace ns on ns.oid = t.relnamespace
        where t.oid in (select c.oid union select p.relid from pg_catalog.pg_partition_tree(c.oid) p)
          and t.relkind in ('r', 'p') and t.relreplident <> 'f'
      ), '[]') as not_full
    from unnest(${wanted.map((table) => table.schema)}::text[], ${wanted.map((table) => table.name)}::text[]) w (schema, name)
      left join pg_catalog.pg_namespace n on n.nspname = w.schema
      left join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = w.name
    order by 1, 2`)
}

function refusal(table: TableRow): string | undefined {
  if (table.kind === null) return 'there is no such table'
  if (table.kind !== 'r' && table.kind !== 'p')
    return 'only tables have changes in the WAL; this is a view, a foreign table or another relation'
  if (table.persistence !== 'p') return 'unlogged and temporary tables have no changes in the WAL'
  if (table.virtual_columns.length > 0) {
    // With a full identity Postgres would refuse every UPDATE and DELETE of the table.
    const names = table.virtual_columns.join(', ')
    return `Postgres cannot replicate virtual generated columns (${names}); declare them STORED`
  }
  return undefined
}

function key(table: TableName): string {
  return quoteName(table.schema, table.name)
}
