import { errorMessage } from '@holdfast/foundation'
import {
  quoteName,
  sql,
  sqlstateOf,
  type Pool,
  type Queryable,
  type SqlFragment,
  type Transaction,
} from '@holdfast/postgres'
import { publicationForeign } from './errors.ts'
import { publishTogether } from './publish-together.ts'
import { excludeGrants, runShortStep, startDeadline } from './short-step.ts'

const GENERATED_COLUMNS_SINCE = 180_000

export interface TableName {
  readonly schema: string
  readonly name: string
}

/** A table that cannot be published, and the reason for the operator. */
export interface RefusedTable extends TableName {
  readonly reason: string
}

export interface WantedPublication {
  readonly name: string
  readonly tables: readonly TableName[]
  /**
   * Called in each transaction that changes the publication, with the tables whose changes were not or only partly published until now: new ones, or after an
   * external change of the publication.
   */
  readonly beforeChange?: (tx: Transaction, unpublished: readonly TableName[]) => Promise<void>
  /** Total wait in ms for locked tables. Default: 3 s. */
  readonly timeoutMs?: number
}

export interface EnsuredPublication {
  /** Whether any DDL ran. */
  readonly changed: boolean
  /** Wanted tables that cannot be published. */
  readonly refused: readonly RefusedTable[]
  /** Tables not published yet because of locks; retry later. */
  readonly busy: readonly RefusedTable[]
}

/**
 * Makes a publication match a set of tables: creates it, adds and drops tables, publishes all kinds of changes, partition changes as those of the partitioned
 * table, and stored generated columns. Sets `REPLICA IDENTITY FULL` on tables and partitions. Runs no DDL if everything matches, otherwise short transactions
 * that block others only briefly.
 *
 * A change is published if its table was in the publication at that WAL position, so an added table needs a later snapshot. A new partition lacks full identity
 * until the next run. Postgres does not publish `TRUNCATE` of a single partition, nor attaching or detaching partitions.
 *
 * @throws {HoldfastError} `replication_publication_foreign` if the existing publication is not a list of tables
 */
export async function ensurePublication(pool: Pool, wanted: WantedPublication): Promise<EnsuredPublication> {
  const deadline = startDeadline(wanted.timeoutMs)
  const busy = new Map<string, RefusedTable>()
  let changed = false
  const beforeChange = async (tx: Transaction, unpublished: readonly TableName[]): Promise<void> =>
    wanted.beforeChange?.(tx, unpublished)

  async function run(step: Step): Promise<void> {
    if (step.table && busy.has(key(step.table))) return
    let ran = false
    const outcome = await runShortStep(
      pool,
      async (tx) => {
        await takeTurn(tx, wanted.name)
        ran = await step.run(tx, (unpublished) => beforeChange(tx, unpublished))
      },
      deadline,
    ).catch((error: unknown) => {
      // The table was dropped or renamed since planning; the schema change notification is on its way.
      if (step.table && GONE_STATES.has(sqlstateOf(error) ?? '')) return { kind: 'busy', error } as const
      throw error
    })
    if (outcome.kind === 'busy') {
      if (!step.table) throw outcome.error
      busy.set(key(step.table), { ...step.table, reason: errorMessage(outcome.error) })
    } else if (ran) changed = true
  }

  let { steps, refused, plainNew } = await plan(pool, wanted.name, wanted.tables)
  if (plainNew.length > 1) {
    for (const step of steps) if (!step.table) await run(step)
    const begin = async (tx: Transaction, tables: readonly TableName[]): Promise<void> => {
      await takeTurn(tx, wanted.name)
      await beforeChange(tx, tables)
    }
    changed = (await publishTogether(pool, { publication: wanted.name, tables: plainNew, begin, deadline })) || changed
    // Remaining: partitioned and locked tables.
    ;({ steps, refused } = await plan(pool, wanted.name, wanted.tables))
  }
  for (const step of steps) await run(step)
  // Tables no longer wanted stay published until next time; their changes are dropped.
  const wantedKeys = new Set(wanted.tables.map(key))
  return { changed, refused, busy: [...busy.values()].filter((table) => wantedKeys.has(key(table))) }
}

/** Serializes nodes; each step of another takes milliseconds. */
async function takeTurn(tx: Transaction, publication: string): Promise<void> {
  await tx.query(
    sql`select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(${`publication ${publication}`}, 0))`,
  )
}

/** undefined_table, and wrong_object_type for a view of the same name. */
const GONE_STATES: ReadonlySet<string> = new Set(['42P01', '42809', '42704'])

/** One short transaction. No-op if done meanwhile. */
interface Step {
  /** The affected table; `undefined` for all tables. */
  readonly table: TableName | undefined
  /** @returns whether DDL ran */
  run(tx: Transaction, beforeChange: BeforeChange): Promise<boolean>
}

/** Called with the tables not published until now. */
type BeforeChange = (unpublished: readonly TableName[]) => Promise<void> | undefined

interface Plan {
  readonly steps: readonly Step[]
  readonly refused: readonly RefusedTable[]
  /** Unpartitioned tables to add. */
  readonly plainNew: readonly TableName[]
}

async function plan(db: Queryable, name: string, wanted: readonly TableName[]): Promise<Plan> {
  const publication = await readPublication(db, name)
  if (publication?.is_foreign === true) throw publicationForeign(name)
  const members = publication === undefined ? [] : await readMembers(db, name)
  const states = await readTables(db, wanted)

  const refused: RefusedTable[] = []
  const steps: Step[] = []
  const wantedKeys = new Set<string>()
  const memberKeys = new Set(members.filter((member) => !member.narrowed).map(key))
  const adding: TableName[] = []
  for (const table of states) {
    const reason = refusal(table)
    if (reason !== undefined) {
      refused.push({ schema: table.schema, name: table.name, reason })
      continue
    }
    wantedKeys.add(key(table))
    // Before publishing, so that no published change lacks its old row.
    for (const [schema = '', relation = ''] of table.not_full)
      steps.push(identityStep(nameOf(table), { schema, name: relation }))
    if (!memberKeys.has(key(table))) adding.push(nameOf(table))
  }
  for (const member of members)
    if (member.narrowed || !wantedKeys.has(key(member))) steps.push(memberStep(name, nameOf(member), 'drop'))
  for (const table of adding) steps.push(memberStep(name, table, 'add'))
  const published = states.filter((table) => wantedKeys.has(key(table))).map(nameOf)
  if (publication?.has_options !== true) steps.unshift(publicationStep(name, published))
  const plain = new Set(states.filter(({ kind }) => kind === 'r').map(key))
  const narrowed = new Set(members.map(key))
  const plainNew = adding.filter((table) => plain.has(key(table)) && !narrowed.has(key(table)))
  return { steps, refused, plainNew }
}

/** @param tables - all tables that are or will be published */
function publicationStep(name: string, tables: readonly TableName[]): Step {
  return {
    table: undefined,
    async run(tx, beforeChange) {
      const found = await readPublication(tx, name)
      if (found?.has_options === true) return false
      await beforeChange(tables)
      const verb =
        found === undefined
          ? sql`create publication ${sql.identifier(name)} with`
          : sql`alter publication ${sql.identifier(name)} set`
      await tx.execute(sql`${verb} (${await wantedOptions(tx)})`)
      if (found === undefined) await giveToProject(tx, name)
      return true
    },
  }
}

/**
 * In a packaged database with a separate superuser, gives the publication to the project's role: reset tools drop every publication and fail on those they do
 * not own. Dropping is detected.
 */
async function giveToProject(tx: Transaction, name: string): Promise<void> {
  const [owner] = await tx.query<{ name: string }>(sql`
    select r.rolname as name from pg_catalog.pg_database d join pg_catalog.pg_roles r on r.oid = d.datdba
     where d.datname = pg_catalog.current_database() and not r.rolsuper
       and (select u.rolsuper from pg_catalog.pg_roles u where u.rolname = current_user)
       and exists (select from pg_catalog.pg_roles b where b.oid = 10 and b.rolname = 'supabase_admin')`)
  if (owner) await tx.execute(sql`alter publication ${sql.identifier(name)} owner to ${sql.identifier(owner.name)}`)
}

/** @param relation - the table or one of its partitions */
function identityStep(table: TableName, relation: TableName): Step {
  const target = sql.identifier(relation.schema, relation.name)
  return {
    table,
    async run(tx) {
      await tx.execute(sql`lock table only ${target} in access exclusive mode`)
      const [found] = await tx.query(sql`
        select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where n.nspname = ${relation.schema} and c.relname = ${relation.name} and c.relreplident <> 'f'`)
      if (!found || (await hasVirtualColumns(tx, relation))) return false
      await excludeGrants(tx)
      // Skips the trigger that records identities set by the project.
      await tx.query(sql`select set_config('holdfast.publishes', 'on', true)`)
      await tx.execute(sql`alter table only ${target} replica identity full`)
      return true
    },
  }
}

function memberStep(publication: string, table: TableName, verb: 'add' | 'drop'): Step {
  const target = sql.identifier(table.schema, table.name)
  return {
    table,
    async run(tx, beforeChange) {
      await tx.execute(sql`lock table only ${target} in share update exclusive mode`)
      const members = await readMembers(tx, publication)
      if (members.some((member) => key(member) === key(table)) === (verb === 'add')) return false
      if (verb === 'add' && (await hasVirtualColumns(tx, table))) return false
      await beforeChange(verb === 'add' ? [table] : [])
      await tx.execute(sql`alter publication ${sql.identifier(publication)} ${sql.trusted(verb)} table only ${target}`)
      return true
    },
  }
}

/** Whether a locked table got a virtual generated column since planning; the schema change notification is on its way. */
async function hasVirtualColumns(tx: Transaction, { schema, name }: TableName): Promise<boolean> {
  const [table] = await readTables(tx, [{ schema, name }])
  return table !== undefined && table.virtual_columns.length > 0
}

function nameOf({ schema, name }: TableName): TableName {
  return { schema, name }
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
  /** Published with a filter or column list. */
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
  /** Virtual generated columns. */
  readonly virtual_columns: readonly string[]
  /** Schema and name of the table and partitions without full identity. */
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
        where t.oid in (
            -- pg_partition_tree would wait for each partition that is locked.
            with recursive tree (relid) as (
              select c.oid
              union
              select i.inhrelid from tree join pg_catalog.pg_inherits i on i.inhparent = tree.relid
               where c.relkind = 'p' and not i.inhdetachpending
            ) select relid from tree)
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
    // With full identity Postgres would refuse every UPDATE and DELETE.
    const names = table.virtual_columns.join(', ')
    return `Postgres cannot replicate virtual generated columns (${names}); declare them STORED`
  }
  return undefined
}

function key(table: TableName): string {
  return quoteName(table.schema, table.name)
}
