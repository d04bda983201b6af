import type { LocalDatabase, WriteRefusal } from '@holdfast/client'
import { quoteName } from '../sql.ts'
import { toPlanned } from './judge-changes.ts'
import type { Refused } from './not-stored.ts'
import { type RecordChange, recordKey, type RecordValues } from './record-change.ts'
import { refusalWords } from './refusal-words.ts'

type Local = Pick<LocalDatabase, 'database' | 'judge' | 'schema'>

/**
 * Returns why Postgres would certainly refuse a command. Policies may read what an earlier change of the command wrote to another table (such as the first
 * answer starting a checklist), so changes after one to another table are left to the server.
 */
export async function judgeCommand(
  { database, judge, schema }: Local,
  changes: readonly RecordChange[],
): Promise<Refused | undefined> {
  const rows = new Map<string, RecordValues>()
  for (const { kind, table, id } of changes) {
    if (kind === 'insert') continue
    const row = await database.getOptional<RecordValues>(`select * from ${quoteName(table)} where id = ?`, [id])
    if (row) rows.set(recordKey({ table, id }), row)
  }
  const planned = changes.map((change) => {
    const key = recordKey(change)
    const columns = schema.get().tables.find(({ name }) => name === change.table)?.columns
    const write = toPlanned(change, rows.get(key), columns)
    // A later change of a record is judged on the earlier one's result.
    if (write.after) rows.set(key, write.after as RecordValues)
    return write
  })
  const another = changes.findIndex(({ table }) => table !== changes[0]?.table)
  for (const judgement of await judge(another === -1 ? planned : planned.slice(0, another))) {
    if (judgement.kind === 'refused') {
      return { kind: 'refused', words: refusalWords(judgement.refusal), columns: columnsOf(judgement.refusal) }
    }
  }
  return undefined
}

function columnsOf(refusal: WriteRefusal): readonly string[] {
  switch (refusal.reason) {
    case 'transition':
      return [refusal.column]
    case 'required':
    case 'grant':
      return refusal.columns
    case 'check':
      return refusal.check.columns
    default:
      return []
  }
}
