import type { ListedSchema, ListedTable, TableList, TableSync } from '@holdfast/protocol'
import { sql, type Pool, type SqlFragment } from '@holdfast/postgres'
import { TABLES_MAX } from '../limits.ts'
import { readCatalog, RELATION_KIND } from './read-table.ts'
import { isHiddenSchema, isManagedSchema } from './schemas.ts'

/** What the sync service says about tables. */
export interface SyncStates {
  /** Whether policies have been compiled. */
  readonly isKnown: boolean
  readonly synced: readonly { readonly schema: string; readonly name: string }[]
  readonly refused: readonly {
    readonly schema: string
    readonly name: string
    readonly policy?: string
    readonly reason: string
  }[]
}

export type ReadSyncStates = () => SyncStates

/** Fields of `ListedTable`, for a query over `pg_class c`. */
export const LISTED: SqlFragment = sql`
           ${RELATION_KIND} as kind, case when c.reltuples >= 0 and c.relkind not in ('v', 'f') then c.reltuples::float8 end as estimate,
           case when c.relkind in ('r', 'm') then pg_catalog.pg_total_relation_size(c.oid)::float8 else 0 end as bytes,
           case when c.relkind not in ('r', 'p') then null when not c.relrowsecurity then 'off'
                when c.relforcerowsecurity then 'forced' else 'on' end as rls,
           pg_catalog.obj_description(c.oid, 'pg_class') as comment`

/** Lists tables and views by schema: the project's schemas first. Partitions are left out, their table stands for them. */
export async function listTables(pool: Pool, readSync: ReadSyncStates): Promise<TableList> {
  const rows = await readCatalog(pool, (tx) =>
    tx.query<Omit<ListedTable, 'sync'> & { readonly schema: string }>(sql`
      select n.nspname::text as schema, c.relname::text as name, ${LISTED}
        from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
       order by n.nspname, c.relname`),
  )
  const shown = rows.filter(({ schema }) => !isHiddenSchema(schema)).toSorted((one, other) => rank(one) - rank(other))
  const syncOf = syncReader(readSync())
  const schemas: ListedSchema[] = []
  const tablesBySchema = new Map<string, ListedTable[]>()
  for (const { schema, ...table } of shown.slice(0, TABLES_MAX)) {
    let tables = tablesBySchema.get(schema)
    if (!tables) {
      tables = []
      tablesBySchema.set(schema, tables)
      schemas.push({ name: schema, isManaged: isManagedSchema(schema), tables })
    }
    tables.push({ ...table, sync: syncOf(schema, table.name, table.kind) })
  }
  return { schemas, isCut: shown.length > TABLES_MAX }
}

function rank({ schema }: { readonly schema: string }): number {
  return schema === 'public' ? 0 : isManagedSchema(schema) ? 2 : 1
}

/** Returns a function that says whether a table syncs. */
export function syncReader({
  isKnown,
  synced,
  refused,
}: SyncStates): (schema: string, name: string, kind: ListedTable['kind']) => TableSync {
  const keyOf = (one: { readonly schema: string; readonly name: string }): string =>
    JSON.stringify([one.schema, one.name])
  const names = new Set(synced.map(keyOf))
  const reasons = new Map(
    refused.map((one) => [keyOf(one), one.policy === undefined ? one.reason : `Policy "${one.policy}": ${one.reason}`]),
  )
  return (schema, name, kind) => {
    const key = keyOf({ schema, name })
    if (names.has(key)) return { state: 'synced' }
    const reason = reasons.get(key)
    if (reason !== undefined) return { state: 'refused', reason }
    if (!isKnown) return { state: 'none', reason: 'Policies are being compiled.' }
    if (kind !== 'table') return { state: 'none', reason: `A ${kind} does not sync.` }
    return {
      state: 'none',
      reason: isManagedSchema(schema)
        ? 'It belongs to Holdfast.'
        : 'Its schema is not exposed, or no user may read it.',
    }
  }
}
