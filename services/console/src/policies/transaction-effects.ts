import { sql, type Transaction } from '@holdfast/postgres'
import type { PreviewedLock, WrittenRows } from '@holdfast/protocol'
import { PREVIEW_SEQUENCES_SHOWN } from '../limits.ts'
import { isHiddenSchema } from '../tables/schemas.ts'
import { idOf } from './synced-tables.ts'

export interface WrittenTable {
  readonly schema: string
  readonly name: string
  readonly counts: WrittenRows
}

/** Counts the rows that the transaction has written so far, by table. */
export async function readWritten(tx: Transaction): Promise<ReadonlyMap<string, WrittenTable>> {
  const rows = await tx.query<WrittenRows & { readonly schema: string; readonly name: string }>(sql`
    select schemaname::text as schema, relname::text as name,
           n_tup_ins::float8 as inserted, n_tup_upd::float8 as updated, n_tup_del::float8 as deleted
      from pg_catalog.pg_stat_xact_user_tables
     where n_tup_ins + n_tup_upd + n_tup_del > 0`)
  return new Map(
    rows
      .filter(({ schema }) => !isHiddenSchema(schema))
      .map(({ schema, name, ...counts }) => [idOf({ schema, name }), { schema, name, counts }]),
  )
}

/** A locked relation. */
interface Lock {
  readonly oid: number
  readonly blocks: PreviewedLock['blocks']
}

/** Reads which relations the transaction keeps others from reading or writing. */
export async function readLocked(tx: Transaction): Promise<readonly Lock[]> {
  return await tx.query<Lock>(sql`
    select l.relation::int8::float8 as oid, case when bool_or(l.mode = 'AccessExclusiveLock') then 'all' else 'writes' end as blocks
      from pg_catalog.pg_locks l
     where l.pid = pg_catalog.pg_backend_pid() and l.locktype = 'relation' and l.granted
       and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
     group by l.relation`)
}

/** Names the locked tables. Those that the SQL created are gone by now. */
export async function nameLocked(tx: Transaction, locks: readonly Lock[]): Promise<readonly PreviewedLock[]> {
  const names = await tx.query<{ readonly oid: number; readonly schema: string; readonly table: string }>(sql`
    select c.oid::int8::float8 as oid, n.nspname::text as schema, c.relname::text as table
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.oid = any(${locks.map(({ oid }) => oid)}::int8[]::oid[]) and c.relkind in ('r', 'p', 'v', 'm', 'f')
     order by 2, 3`)
  return names
    .filter(({ schema }) => !isHiddenSchema(schema))
    .map(({ oid, ...name }) => ({ ...name, blocks: locks.find((lock) => lock.oid === oid)?.blocks ?? 'writes' }))
}

/** Reads the last values of sequences, which other transactions change too, by name. */
export async function readSequences(tx: Transaction): Promise<ReadonlyMap<string, string | null>> {
  const rows = await tx.query<{ readonly name: string; readonly value: string | null }>(sql`
    select schemaname || '.' || sequencename as name, last_value::text as value from pg_catalog.pg_sequences`)
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** Returns the names of sequences that were there before and have another value, up to a limit. */
export function findMoved(
  before: ReadonlyMap<string, string | null>,
  after: ReadonlyMap<string, string | null>,
): readonly string[] {
  return [...after]
    .filter(([name, value]) => before.has(name) && before.get(name) !== value)
    .map(([name]) => name)
    .toSorted()
    .slice(0, PREVIEW_SEQUENCES_SHOWN)
}
