import type { Inventory, Source } from './source.ts'
import { leftOutQueues } from './queues.ts'
import type { LeftOut } from './report.ts'

/** Returns what no dump includes, in either direction. */
export function gapsOf({
  eventTriggers,
  otherPublications,
  foreignServers,
  largeObjects,
  queues,
  unreadable,
}: Inventory): readonly LeftOut[] {
  return [
    ...eventTriggers.map((name) => ({
      what: `Event trigger ${name}`,
      why: 'can be created in a migration',
    })),
    ...otherPublications.map((name) => ({ what: `Publication ${name}`, why: 'only supabase_realtime is taken over' })),
    ...foreignServers.map((name) => ({
      what: `Foreign server ${name}`,
      why: 'other servers are not reached from here',
    })),
    ...(largeObjects > 0 ? [{ what: 'Large objects', why: 'only rows of tables are read' }] : []),
    ...leftOutQueues(queues),
    ...unreadable,
  ]
}

/** A source's size by planner estimates, and its number of users. */
export interface SourceCounts {
  readonly tables: number
  readonly rows: number
  readonly users: number
  readonly policies: number
  readonly functions: number
}

export async function countSource({ inventory, connect }: Source): Promise<SourceCounts> {
  const client = await connect()
  try {
    const { rows } = await client.query<{ users: number; policies: number; functions: number }>(
      `select case when pg_catalog.to_regclass('auth.users') is null then 0 else (select coalesce(reltuples, 0)::float8 from pg_catalog.pg_class where oid = pg_catalog.to_regclass('auth.users')) end as users,
              (select count(*)::float8 from pg_catalog.pg_policies where schemaname = any($1)) as policies,
              (select count(*)::float8 from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace where n.nspname = any($1)) as functions`,
      [inventory.schemas],
    )
    const [row] = rows
    return {
      tables: inventory.tables.length,
      rows: inventory.tables.reduce((sum, table) => sum + Math.max(0, table.rows), 0),
      users: Math.max(0, row?.users ?? 0),
      policies: row?.policies ?? 0,
      functions: row?.functions ?? 0,
    }
  } finally {
    await client.end().catch(() => undefined)
  }
}
