import type { CommonPowerSyncDatabase } from '@powersync/common'
import { batchedReads, type Parameter } from './batched-reads.ts'

/** Cache limit per database, against apps that generate texts. */
const TEXTS_MAX = 500

interface Instruction {
  readonly opcode: string
  readonly p2: number
  readonly p3: number
}

type Tables = ReadonlySet<string>

const known = new WeakMap<CommonPowerSyncDatabase, Map<string, Promise<Tables>>>()

/**
 * Returns the SQLite tables a query reads, as named in change notifications: those of PowerSync's views start with `ps_data__`. Derived from SQLite's query
 * program, as in PowerSync's watched queries. Cached until the schema changes.
 */
export function queryTables(
  database: CommonPowerSyncDatabase,
  sql: string,
  parameters: readonly Parameter[],
): Promise<Tables> {
  const texts = textsOf(database)
  const before = texts.get(sql)
  if (before) return before
  if (texts.size >= TEXTS_MAX) texts.clear()
  const tables = findTables(database, sql, parameters)
  texts.set(sql, tables)
  // Another attempt may succeed.
  tables.catch(() => texts.get(sql) === tables && texts.delete(sql))
  return tables
}

function textsOf(database: CommonPowerSyncDatabase): Map<string, Promise<Tables>> {
  const texts = known.get(database)
  if (texts) return texts
  const created = new Map<string, Promise<Tables>>()
  known.set(database, created)
  database.registerListener({ schemaChanged: () => created.clear() })
  return created
}

async function findTables(
  database: CommonPowerSyncDatabase,
  sql: string,
  parameters: readonly Parameter[],
): Promise<Tables> {
  const reads = batchedReads(database)
  const program = await reads.getAll<Instruction>(`explain ${sql}`, parameters)
  const roots = program.filter(({ opcode, p3 }) => opcode === 'OpenRead' && p3 === 0).map(({ p2 }) => p2)
  const tables = await reads.getAll<{ readonly name: string }>(
    'select distinct tbl_name as name from sqlite_master where rootpage in (select value from json_each(?))',
    [JSON.stringify(roots)],
  )
  return new Set(tables.map(({ name }) => name))
}
