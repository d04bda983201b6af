import type { Logger } from '@holdfast/foundation'
import type { Pool, Queryable } from '../connection/pool.ts'
import { sql } from '../sql/sql.ts'
import type { Migration, MigrationSource } from './migration.ts'

/** What somebody has dropped of what migrations had made. */
interface Loss {
  /** Names of the sources whose objects are gone. */
  readonly lost: readonly string[]
  /** Names of the sources whose objects are there, though the record of what was applied is gone. */
  readonly unrecorded: readonly string[]
  /** Whether there is a record at all. */
  readonly hasRecord: boolean
}

/** Whether a tool has dropped schemas that the migrations of these sources had made. */
export async function hasLostSchemas(db: Pool, sources: readonly MigrationSource[]): Promise<boolean> {
  const { lost, unrecorded, hasRecord } = await findLoss(db, sources)
  return !hasRecord || lost.length + unrecorded.length > 0
}

/**
 * Changes the record of what was applied so that what was dropped is applied again, and nothing else is.
 *
 * Where the record itself is gone, what is still there counts as applied: every start brings a database to its own release, and this is the one that ran last.
 *
 * @returns migrations that are to be applied once more although their objects are there, as they grant rights on the schemas
 */
export async function forgetLost(
  db: Queryable,
  sources: readonly MigrationSource[],
  migrations: readonly Migration[],
  logger: Logger,
): Promise<readonly Migration[]> {
  const { lost, unrecorded } = await findLoss(db, sources)
  if (lost.length + unrecorded.length === 0) return []
  for (const { source, name, checksum } of migrations.filter((one) => unrecorded.includes(one.source)))
    await db.execute(sql`
      insert into holdfast.migrations (source, name, checksum) values (${source}, ${name}, ${checksum}) on conflict do nothing`)
  for (const { otherSchemas = [] } of sources.filter(({ name }) => lost.includes(name)))
    for (const schema of otherSchemas) await db.execute(sql`drop schema if exists ${sql.identifier(schema)} cascade`)
  await db.execute(sql`delete from holdfast.migrations where source = any(${[...lost]}::text[])`)
  logger.log('error', 'schemas of Holdfast were dropped by somebody, and are made again', {
    lost: lost.join(', '),
    hint: 'Their contents are gone. Policies, foreign keys and triggers of yours that referred to them went with them: apply your migrations again.',
  })
  const repeatable = sources.filter(({ name }) => !lost.includes(name)).flatMap((one) => one.repeatable ?? [])
  return migrations.filter(({ source, name }) => repeatable.includes(`${source}/${name}`))
}

async function findLoss(db: Queryable, sources: readonly MigrationSource[]): Promise<Loss> {
  const witnesses = sources.flatMap(({ name, witness }) => (witness === undefined ? [] : [{ name, witness }]))
  const rows = await db.query<{ name: string; isThere: boolean; isGone: boolean }>(sql`
    select w.name, to_regclass(w.witness) is not null or to_regproc(w.witness) is not null as "isThere",
           -- One object alone may be missing for other reasons.
           to_regclass(w.witness) is null and to_regproc(w.witness) is null and not exists (
             select from pg_catalog.pg_class c
              where c.relnamespace = to_regnamespace(split_part(w.witness, '.', 1)) and c.relkind in ('r', 'p')
                and c.oid is distinct from to_regclass('holdfast.migrations')) as "isGone"
      from unnest(${witnesses.map(({ name }) => name)}::text[], ${witnesses.map(({ witness }) => witness)}::text[]) w (name, witness)`)
  const recorded = new Set<string>()
  const [record] = await db.query<{ there: boolean }>(
    sql`select to_regclass('holdfast.migrations') is not null as there`,
  )
  if (record?.there === true)
    for (const { source } of await db.query<{ source: string }>(sql`select distinct source from holdfast.migrations`))
      recorded.add(source)
  const isOurs = recorded.size > 0 || rows.some(({ isThere }) => isThere) || (await hasTraces(db, sources))
  return {
    lost: rows
      .filter(({ name, isGone }) => isGone && (recorded.size === 0 ? isOurs : recorded.has(name)))
      .map(({ name }) => name),
    hasRecord: record?.there === true,
    unrecorded: rows.filter(({ name, isThere }) => isThere && !recorded.has(name)).map(({ name }) => name),
  }
}

/** Whether Holdfast has been at work in a database where none of its schemas is left: what tells it from one that is new. */
async function hasTraces(db: Queryable, sources: readonly MigrationSource[]): Promise<boolean> {
  const others = sources.flatMap(({ otherSchemas = [] }) => otherSchemas)
  const [row] = await db.query<{ found: boolean }>(sql`
    select exists (select from pg_catalog.pg_namespace where nspname = any(${others}::text[]))
        or exists (select from pg_catalog.pg_publication where pubname = 'holdfast')
        or exists (select from pg_catalog.pg_replication_slots where database = current_database() and slot_name like 'holdfast%') as found`)
  return row?.found === true
}
