import type { SqlHistoryEntry } from '@holdfast/protocol'
import { sql, type Pool } from '@holdfast/postgres'
import { queryUnknown } from '../errors.ts'
import { HISTORY_MAX, SQL_START_CHARS } from '../limits.ts'

/** An operator's own runs, read from the audit log: statements are kept once. */
export class SqlHistory {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Lists the last runs, newest first. */
  async list(operatorId: string): Promise<readonly SqlHistoryEntry[]> {
    return await this.#pool.query<SqlHistoryEntry>(sql`
      select id::text, at, target, left(coalesce(after->>'text', ''), ${SQL_START_CHARS}) as start, after->>'explain' as explain,
             (after->>'ms')::float8 as ms, coalesce(error, after->>'error') as error
        from holdfast_console.audit_log l
       where operator_id = ${operatorId} and action = 'run_sql'
       order by l.id desc limit ${HISTORY_MAX}`)
  }

  /** Reads the text of a run; `isCut` if the log has its start only. @throws {HoldfastError} `query_unknown` */
  async read(operatorId: string, id: string): Promise<{ readonly text: string; readonly isCut: boolean }> {
    const [row] = await this.#pool.query<{ text: string; isCut: boolean }>(sql`
      select coalesce(after->>'text', '') as text, after ? 'isCut' as "isCut"
        from holdfast_console.audit_log
       where operator_id = ${operatorId} and action = 'run_sql' and id::text = ${id}`)
    if (!row) throw queryUnknown()
    return row
  }
}
