import { errorMessage, type Logger } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import { parseLsn, type Lsn } from '@holdfast/replication'
import { OPENED_AT_RETRY_MS } from '../limits.ts'

/** The end of the Postgres log at startup. */
export interface StartupPosition extends AsyncDisposable {
  /** `undefined` until read. */
  readonly lsn: Lsn | undefined
}

export function readStartupPosition(pool: Pool, logger: Logger): StartupPosition {
  let lsn: Lsn | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let reading = read()

  async function read(): Promise<void> {
    try {
      const [row] = await pool.query<{ lsn: string }>(sql`select pg_catalog.pg_current_wal_insert_lsn()::text as lsn`)
      lsn = row && parseLsn(row.lsn)
    } catch (error) {
      logger.log('debug', 'the position in the Postgres log could not be read', { error: errorMessage(error) })
      if (!isClosed) timer = setTimeout(() => (reading = read()), OPENED_AT_RETRY_MS).unref()
    }
  }

  return {
    get lsn() {
      return lsn
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearTimeout(timer)
      await reading
    },
  }
}
