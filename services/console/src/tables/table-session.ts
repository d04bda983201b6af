import {
  assumeSession,
  sql,
  SQLSTATE,
  sqlstateOf,
  type Connections,
  type Session,
  type Transaction,
} from '@holdfast/postgres'
import { HoldfastError } from '@holdfast/foundation'
import type { TableIdentity } from '@holdfast/protocol'
import { invalidRequest, queryRefused, rowsTimeout } from '../errors.ts'
import { ROWS_LOCK_TIMEOUT_MS, ROWS_TIMEOUT_MS } from '../limits.ts'

/** Connections with the rights of an identity. */
export interface TableSession {
  readonly connections: Connections
  /** Role and claims assumed in each transaction; missing for the project's role, as which the connections log in. */
  readonly session?: Session
}

/** Returns the session of an identity; `undefined` if there is no such user. */
export type OpenTableSession = (as: TableIdentity) => Promise<TableSession | undefined>

/**
 * Runs `body` in a transaction with the rights of an identity and short timeouts.
 *
 * @param suggestion - what to do about a timeout: appended to its message, and SQL to run
 * @throws {HoldfastError} `query_refused` with Postgres's message; `rows_timeout`
 */
export async function runAsIdentity<T>(
  openSession: OpenTableSession,
  as: TableIdentity,
  {
    isReadOnly,
    suggestion,
  }: {
    readonly isReadOnly: boolean
    readonly suggestion?: { readonly text: string; readonly sql?: string }
  },
  body: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const opened = await openSession(as)
  if (!opened) throw invalidRequest('There is no such user.')
  const { connections, session } = opened
  try {
    return await connections.transaction(async (tx) => {
      await tx.execute(sql`
        select set_config('statement_timeout', ${String(ROWS_TIMEOUT_MS)}, true), set_config('lock_timeout', ${String(ROWS_LOCK_TIMEOUT_MS)}, true),
               set_config('transaction_read_only', ${isReadOnly ? 'on' : 'off'}, true), set_config('synchronize_seqscans', 'off', true)`)
      if (session) await assumeSession(tx, session)
      return await body(tx)
    })
  } catch (error) {
    throw refusalOf(error, suggestion)
  }
}

function refusalOf(error: unknown, { text: advice = '', sql: hint }: { text?: string; sql?: string } = {}): unknown {
  const state = sqlstateOf(error)
  if (state === undefined || error instanceof HoldfastError || isServers(state)) return error
  if (state === SQLSTATE.queryCanceled) return rowsTimeout(ROWS_TIMEOUT_MS, { advice, hint, cause: error })
  return queryRefused(error as Error)
}

/** Whether a failure is about the connection, not the statement. */
function isServers(state: string): boolean {
  return state.startsWith('08') || state.startsWith('57P')
}
