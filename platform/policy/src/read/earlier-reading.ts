import { lockedRelations, sql, type Transaction } from '@holdfast/postgres'
import { LOCKED, LOCKED_REASON } from '../syntax/parse.ts'
import type { FunctionInfo, PolicyInput, ResolvedBody } from '../catalog/policy-input.ts'

/** A catalog snapshot and the transactions visible to it. */
export interface EarlierReading {
  readonly input: PolicyInput
  /** From `pg_current_snapshot`. */
  readonly snapshot: string
}

/** Remembers the last reading of a catalog. */
export interface ReadingMemory {
  earlier?: EarlierReading
  /** Texts that Postgres parsed for the last plan. */
  accepted?: ReadonlySet<string>
}

/** Locks that block printing of policies, views and functions, and their known definitions. */
export interface Locks {
  /** Locked relations; nothing referencing them can be printed. */
  readonly relations: readonly number[]
  readonly earlier: EarlierReading | undefined
  /** Objects possibly changed since, as `catalog oid`; `undefined` without an earlier reading. */
  readonly changed: ReadonlySet<string> | undefined
  /** Names whose meaning may have changed since. */
  readonly changedNames: ReadonlySet<string>
}

type Tables = readonly Pick<PolicyInput['tables'][number], 'oid' | 'schema' | 'name' | 'kind' | 'columns'>[]

export const NO_LOCKS: Locks = { relations: [], earlier: undefined, changed: undefined, changedNames: new Set() }

/** Returns relations locked against reading by other sessions, or about to be; reading them would block. */
export async function readLocked(tx: Transaction): Promise<readonly number[]> {
  const rows = await tx.query<{ oid: string }>(
    sql`select distinct oid::int8::text as oid from (${lockedRelations()}) locked`,
  )
  return rows.map(({ oid }) => Number(oid))
}

/** Compares with an earlier reading without touching a table. */
export async function compareWithEarlier(
  tx: Transaction,
  relations: readonly number[],
  earlier: EarlierReading | undefined,
  tables: Tables,
): Promise<Locks> {
  if (!earlier) return { ...NO_LOCKS, relations }
  const rows = await tx.query<{ object: string; name: string }>(sql`
    with row_of (catalog, oid, name, xmin) as (
      select 'pg_policy', oid, polname, xmin from pg_policy
      union all select 'pg_rewrite', oid, rulename, xmin from pg_rewrite
      union all select 'pg_proc', oid, proname, xmin from pg_proc
      union all select 'pg_type', oid, typname, xmin from pg_type where typrelid = 0
      union all select 'pg_type', enumtypid, '', xmin from pg_enum
      union all select 'pg_operator', oid, '*', xmin from pg_operator
      union all select 'pg_cast', oid, '*', xmin from pg_cast
      union all select 'pg_collation', oid, '*', xmin from pg_collation
      union all select 'pg_namespace', oid, '*', xmin from pg_namespace where not starts_with(nspname, 'pg_')
    ), now (xid) as materialized (select pg_snapshot_xmax(pg_current_snapshot()))
    select catalog || ' ' || oid as object, name
      from row_of, now
     where not pg_visible_in_snapshot(
             greatest(now.xid::text::int8 - (age(row_of.xmin)::int8 - age(now.xid::xid)), 3)::text::xid8, ${earlier.snapshot}::pg_snapshot)`)
  const changed = new Set(rows.map(({ object }) => object))
  const names = new Set(rows.map(({ name }) => name))
  const before = new Map(earlier.input.tables.map((table) => [table.oid, table]))
  for (const table of tables) {
    const known = before.get(table.oid)
    before.delete(table.oid)
    if (known && printsAlike(table, known)) continue
    changed.add(`pg_class ${table.oid}`)
    names.add(table.name)
    if (known) names.add(known.name)
  }
  for (const { name } of before.values()) names.add(name)
  return { relations, earlier, changed, changedNames: names }
}

function printsAlike(table: Tables[number], known: Tables[number]): boolean {
  return (
    table.schema === known.schema &&
    table.name === known.name &&
    table.kind === known.kind &&
    JSON.stringify(table.columns) === JSON.stringify(known.columns)
  )
}

/** @param objects - the printed object and everything it references, as `catalog oid` */
export function isUnchanged({ changed }: Locks, objects: readonly string[]): boolean {
  return changed !== undefined && objects.every((object) => !changed.has(object) && IS_COMPARED.test(object))
}

const IS_COMPARED = /^pg_(policy|rewrite|proc|type|operator|collation|class) /

/** Returns the known text of a policy that cannot be printed now. */
export function knownUsing(locks: Locks, table: number, name: string, objects: readonly string[]): string {
  const known = isUnchanged(locks, objects)
    ? locks.earlier?.input.policies.find((one) => one.table === table && one.name === name)
    : undefined
  return known?.using ?? LOCKED
}

/** Returns the known text of a view that cannot be printed now. */
export function knownView(locks: Locks, table: number, objects: readonly string[]): string {
  const known = isUnchanged(locks, objects)
    ? locks.earlier?.input.tables.find(({ oid }) => oid === table)?.view
    : undefined
  return known?.definition ?? LOCKED
}

/**
 * Returns a function as read before, if it and the meaning of all its names are unchanged.
 *
 * @param source - its body as written
 * @param error - thrown if the locked tables are not known yet
 */
export function knownFunction(locks: Locks, oid: number, source: string, error: unknown): FunctionInfo | undefined {
  throwUnlessCompared(locks, error)
  if (locks.changed?.has(`pg_proc ${oid}`) || !isNamedAlike(locks, source)) return undefined
  return locks.earlier?.input.functions.find((one) => one.oid === oid)
}

/** Returns a stream's query as resolved before, under the same conditions. */
export function knownStreamQuery(locks: Locks, stream: string, text: string, error: unknown): ResolvedBody {
  throwUnlessCompared(locks, error)
  const known = isNamedAlike(locks, text)
    ? locks.earlier?.input.streams.find(({ name }) => name === stream)?.queries.find((query) => query.text === text)
        ?.resolved
    : undefined
  return known ?? { error: LOCKED_REASON }
}

function throwUnlessCompared(locks: Locks, error: unknown): void {
  if (locks === NO_LOCKS) throw error
}

/** Whether all names in a text have the same meaning as in the earlier reading. */
function isNamedAlike({ changed, changedNames }: Locks, text: string): boolean {
  if (changed === undefined || changedNames.has('*')) return false
  const words = [...text.matchAll(/"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*/gu)].map(([word]) =>
    word.startsWith('"') ? word.slice(1, -1).replaceAll('""', '"') : word.toLowerCase(),
  )
  return !words.some((word) => changedNames.has(word))
}
