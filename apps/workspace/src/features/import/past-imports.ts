import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { Command, LocalStatement, RecordChange } from '../../lib/records/record-change.ts'
import { importMessages as words } from '../../messages/import.ts'

/** Imports that a device keeps, and for how long, in ms. */
const IMPORTS_MAX = 3
const KEPT_MS = 7 * 86_400_000

/** Limit of the kept changes of one import in characters. A larger import is undone only until the page is left. */
const CHARS_MAX = 32_000_000

/** An import of this device that can still be undone. */
export interface PastImport {
  readonly id: string
  readonly fileName: string
  readonly table: string
  readonly records: number
  readonly at: string
}

/** Lists the imports after a time, newest first. */
export const PAST_IMPORTS_SQL = `
  select i.id, i.file_name as fileName, i.table_name as "table", i.records, i.imported_at as at from hf_local_imports i
   where i.import_id is null and i.imported_at > ? and exists (select 1 from hf_local_imports c where c.import_id = i.id)
   order by i.imported_at desc`

/** Returns the time before which imports are forgotten. */
export function pastImportsSince(now: Date): string {
  return new Date(now.getTime() - KEPT_MS).toISOString()
}

/** Keeps the changes of an import on this device. */
export interface ImportLog {
  /** Returns what keeps a chunk, for the transaction that writes it. */
  add(command: Command): readonly LocalStatement[]
}

export function createImportLog(
  fileName: string,
  { charsMax = CHARS_MAX, now = new Date() }: { readonly charsMax?: number; readonly now?: Date } = {},
): ImportLog {
  const id = crypto.randomUUID()
  let [chunks, records, chars] = [0, 0, 0]
  return {
    add({ id: commandId, changes }) {
      const [first] = changes
      if (!first || chars > charsMax) return []
      const text = JSON.stringify(changes.map(({ table: _table, ...change }) => change))
      chars += text.length
      if (chars > charsMax) return [forgetImport(id)]
      records += changes.length
      chunks++
      const facts = [id, fileName, first.table, records, now.toISOString()]
      return [
        ...(chunks === 1 ? forgetOld(now) : []),
        {
          sql: `insert or replace into hf_local_imports (id, file_name, table_name, records, imported_at) values (?, ?, ?, ?, ?)`,
          parameters: facts,
        },
        {
          sql: 'insert into hf_local_imports (id, import_id, seq, changes) values (?, ?, ?, ?)',
          parameters: [commandId, id, chunks, text],
        },
      ]
    },
  }
}

/** Makes room for one more import. */
function forgetOld(now: Date): readonly LocalStatement[] {
  return [
    {
      sql: `delete from hf_local_imports where import_id is null and (imported_at <= ? or id not in (
              select id from hf_local_imports where import_id is null order by imported_at desc limit ?))`,
      parameters: [pastImportsSince(now), IMPORTS_MAX - 1],
    },
    {
      sql: `delete from hf_local_imports where import_id not in (select id from hf_local_imports where import_id is null)`,
      parameters: [],
    },
  ]
}

function forgetImport(id: string): LocalStatement {
  return { sql: 'delete from hf_local_imports where ? in (id, import_id)', parameters: [id] }
}

/** Returns what forgets chunks, for the transaction that undoes them, and imports of which none are left. */
export function forgetChunks(commands: readonly Command[]): readonly LocalStatement[] {
  return [
    {
      sql: 'delete from hf_local_imports where id in (select value from json_each(?))',
      parameters: [JSON.stringify(commands.map(({ id }) => id))],
    },
    {
      sql: `delete from hf_local_imports where import_id is null
              and id not in (select import_id from hf_local_imports where import_id is not null)`,
      parameters: [],
    },
  ]
}

/** Reads the commands of an import, in the order in which they were written. */
export async function readPastImport(
  database: Pick<CommonPowerSyncDatabase, 'getAll'>,
  { id, fileName, table }: PastImport,
): Promise<Command[]> {
  const rows = await database.getAll<{ readonly id: string; readonly changes: string }>(
    'select id, changes from hf_local_imports where import_id = ? order by seq',
    [id],
  )
  return rows.map((row) => {
    const changes = JSON.parse(row.changes) as readonly Omit<RecordChange, 'table'>[]
    return {
      id: row.id,
      label: words.label(fileName),
      changes: changes.map((change) => ({ ...change, table }) as RecordChange),
      byRecord: true,
    }
  })
}
