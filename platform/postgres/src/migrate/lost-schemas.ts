import type { Logger } from '@holdfast/foundation'
import type { Pool, Queryable } from '../connection/pool.ts'
import { sql } from '../sql/sql.ts'
import type { Migration, MigrationPart, MigrationSource } from './migration.ts'

/** Dropped objects of migrations. */
interface Loss {
  /** Sources whose objects are gone. */
  readonly lost: readonly string[]
  /** Sources whose objects exist, though the migration record is gone. */
  readonly unrecorded: readonly string[]
  /** Migrations as `source/name` with missing parts. */
  readonly incomplete: readonly string[]
  /** Whether the record exists. */
  readonly hasRecord: boolean
}

/** Finds dropped objects of these sources' migrations, by source and schema name. */
export async function findLostSchemas(db: Pool, sources: readonly MigrationSource[]): Promise<readonly string[]> {
  const { lost, unrecorded, incomplete, hasRecord } = await findLoss(db, sources)
  const found = new Set([...lost, ...schemasOfParts(sources, incomplete)])
  return found.size === 0 && (!hasRecord || unrecorded.length > 0) ? ['the record of migrations'] : [...found]
}

function schemasOfParts(sources: readonly MigrationSource[], incomplete: readonly string[]): readonly string[] {
  return sources.flatMap(({ name, parts = [] }) =>
    parts
      .filter(({ migration }) => incomplete.includes(`${name}/${migration}`))
      .flatMap(({ functions }) => functions.map((one) => one.split('.')[0] ?? one)),
  )
}

/**
 * Updates the migration record so that exactly the dropped objects are created again.
 *
 * If the record itself is gone, migrations of existing schemas count as applied: every start brings a database to its own release, and this one ran last.
 *
 * @returns migrations to reapply although their objects exist, because they grant rights on the schemas
 */
export async function forgetLost(
  db: Queryable,
  sources: readonly MigrationSource[],
  migrations: readonly Migration[],
  logger: Logger,
): Promise<readonly Migration[]> {
  const { lost, unrecorded, incomplete } = await findLoss(db, sources)
  if (incomplete.length > 0)
    logger.log('error', 'functions of Holdfast were dropped by another session, and are made again', {
      lost: [...new Set(schemasOfParts(sources, incomplete))].join(', '),
    })
  if (lost.length + unrecorded.length === 0) return migrations.filter((one) => incomplete.includes(nameOf(one)))
  for (const { source, name, checksum } of migrations.filter((one) => unrecorded.includes(one.source)))
    await db.execute(sql`
      insert into holdfast.migrations (source, name, checksum) values (${source}, ${name}, ${checksum}) on conflict do nothing`)
  for (const { otherSchemas = [] } of sources.filter(({ name }) => lost.includes(name)))
    for (const schema of otherSchemas) await db.execute(sql`drop schema if exists ${sql.identifier(schema)} cascade`)
  await db.execute(sql`delete from holdfast.migrations where source = any(${[...lost]}::text[])`)
  logger.log('error', 'schemas of Holdfast were dropped by another session, and are made again', {
    lost: lost.join(', '),
    hint: 'Their contents are gone. Policies, foreign keys and triggers of yours that referred to them went with them: apply your migrations again.',
  })
  const repeatable = sources.filter(({ name }) => !lost.includes(name)).flatMap((one) => one.repeatable ?? [])
  return migrations.filter((one) => repeatable.includes(nameOf(one)) || incomplete.includes(nameOf(one)))
}

const nameOf = ({ source, name }: Pick<Migration, 'source' | 'name'>): string => `${source}/${name}`

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
  const applied = new Set<string>()
  const [record] = await db.query<{ there: boolean }>(
    sql`select to_regclass('holdfast.migrations') is not null as there`,
  )
  if (record?.there === true)
    for (const one of await db.query<{ source: string; name: string }>(
      sql`select source, name from holdfast.migrations`,
    )) {
      recorded.add(one.source)
      applied.add(nameOf(one))
    }
  const isOurs = recorded.size > 0 || rows.some(({ isThere }) => isThere) || (await hasTraces(db, sources))
  const lost = rows
    .filter(({ name, isGone }) => isGone && (recorded.size === 0 ? isOurs : recorded.has(name)))
    .map(({ name }) => name)
  const isPart = (source: string, { migration }: MigrationPart): boolean =>
    !lost.includes(source) && applied.has(`${source}/${migration}`)
  return {
    lost,
    incomplete: await findIncomplete(
      db,
      sources.flatMap(({ name, parts = [] }) =>
        parts
          .filter((part) => isPart(name, part))
          .map(({ migration, functions }) => ({ name: `${name}/${migration}`, functions })),
      ),
    ),
    hasRecord: record?.there === true,
    unrecorded: rows.filter(({ name, isThere }) => isThere && !recorded.has(name)).map(({ name }) => name),
  }
}

/** @returns migrations with a missing function */
async function findIncomplete(
  db: Queryable,
  parts: readonly { readonly name: string; readonly functions: readonly string[] }[],
): Promise<readonly string[]> {
  const all = parts.flatMap(({ functions }) => functions)
  if (all.length === 0) return []
  const gone = await db.query<{ name: string }>(
    sql`select f.name from unnest(${all}::text[]) f (name) where to_regprocedure(f.name) is null`,
  )
  const names = new Set(gone.map(({ name }) => name))
  return parts.filter(({ functions }) => functions.some((one) => names.has(one))).map(({ name }) => name)
}

/** Whether a database without any of our schemas has traces of Holdfast, as opposed to a new one. */
async function hasTraces(db: Queryable, sources: readonly MigrationSource[]): Promise<boolean> {
  const others = sources.flatMap(({ otherSchemas = [] }) => otherSchemas)
  const [row] = await db.query<{ found: boolean }>(sql`
    select exists (select from pg_catalog.pg_namespace where nspname = any(${others}::text[]))
        or exists (select from pg_catalog.pg_publication where pubname = 'holdfast')
        or exists (select from pg_catalog.pg_replication_slots where database = current_database() and slot_name like 'holdfast%') as found`)
  return row?.found === true
}
