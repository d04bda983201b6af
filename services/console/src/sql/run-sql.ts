import { errorMessage, type Logger, Semaphore, HoldfastError } from '@holdfast/foundation'
import type { OperatorRole, SqlColumn, SqlError, SqlExplain, SqlOutcome } from '@holdfast/protocol'
import { quoteIdentifier, quoteLiteral, runStatements, sql, type Pool } from '@holdfast/postgres'
import { explainError, explainText } from './explain-text.ts'
import { refuseOutsideTransaction } from './outside-transaction.ts'
import { sqlCancelled, sqlTimeout } from '../errors.ts'
import {
  CONNECTION_CHECK_MS,
  SQL_BYTES_MAX,
  SQL_CANCEL_GRACE_MS,
  SQL_PER_OPERATOR_MAX,
  SQL_ROWS_MAX,
  SQL_RUNNING_MAX,
} from '../limits.ts'

/** Whom statements run as. */
export interface SqlSession {
  readonly url: string
  /** A role other than the login's, with the claims that policies read. */
  readonly role?: string
  readonly claims?: Readonly<Record<string, unknown>>
  /** Settings of requests with that role. */
  readonly settings?: Readonly<Record<string, string>>
  /** Role of an operator who may use the session, if `developer` is not enough. */
  readonly needs?: OperatorRole
}

export interface SqlRun {
  readonly text: string
  readonly session: SqlSession
  readonly isReadOnly: boolean
  /** Returns the plan of the only statement. Everything is rolled back. */
  readonly explain?: SqlExplain
  readonly timeoutMs: number
  /** Who asks, for a fair share. */
  readonly operatorId: string
  readonly signal: AbortSignal
}

/** Runs the statements of operators, a few at a time, in sessions that are discarded. */
export interface SqlRunner {
  /** @throws {HoldfastError} `sql_timeout`, `sql_cancelled`, `busy` */
  run(given: SqlRun): Promise<SqlOutcome>
}

/** @param pool - of the superuser: cancels statements and names types */
export function createSqlRunner(pool: Pool, logger: Logger): SqlRunner {
  const semaphore = new Semaphore({
    permits: SQL_RUNNING_MAX,
    perKeyMax: SQL_PER_OPERATOR_MAX,
    waitingMax: 0,
    refuse: () =>
      new HoldfastError('busy', 429, 'Other statements of yours are running. Cancel one, or wait for it.', {
        headers: { 'retry-after': '2' },
      }),
  })

  /** A cancelled statement could go on in an exception handler. */
  async function end(pid: number): Promise<void> {
    await pool.execute(sql`select pg_terminate_backend(${pid})`).catch((error: unknown) => {
      logger.log('warn', 'a session of the SQL editor was not ended', { pid, error: errorMessage(error) })
    })
  }

  return {
    run: (given) =>
      semaphore.run({ key: given.operatorId }, async () => {
        const { text, session, timeoutMs, isReadOnly } = given
        const refused = isReadOnly ? await refuseOutsideTransaction(text) : undefined
        if (refused) return failed(refused)
        const explained = given.explain && (await explainText(text, given.explain))
        if (explained && !('shift' in explained)) return failed(explained)
        let pid: number | undefined
        // The text may set another statement_timeout.
        const timeout = AbortSignal.timeout(timeoutMs + SQL_CANCEL_GRACE_MS)
        const signal = AbortSignal.any([given.signal, timeout])
        const started = performance.now()
        try {
          const { results, notices, error } = await runStatements({
            url: session.url,
            applicationName: 'holdfast console sql',
            preparation: preparationOf(given),
            text: explained?.text ?? text,
            rowsMax: SQL_ROWS_MAX,
            bytesMax: SQL_BYTES_MAX,
            onConnected: (connected) => void (pid = connected),
            signal,
          })
          const ms = Math.round(performance.now() - started)
          const types = await nameTypes(
            pool,
            results.flatMap(({ columns = [] }) => columns.map(({ typeOid }) => typeOid)),
          )
          return {
            ms,
            notices,
            results: results.map(({ columns, ...result }) => ({
              ...result,
              ...(columns && {
                columns: columns.map(({ name, typeOid }): SqlColumn => ({
                  name,
                  type: types.get(typeOid) ?? 'unknown',
                })),
              }),
            })),
            ...(error && { error: explained ? explainError(errorOf(error), explained) : errorOf(error) }),
          }
        } catch (error) {
          if (!signal.aborted) throw error
          throw timeout.aborted ? sqlTimeout() : sqlCancelled()
        } finally {
          if (signal.aborted && pid !== undefined) await end(pid)
        }
      }),
  }
}

function failed(error: SqlError): SqlOutcome {
  return { ms: 0, results: [], notices: [], error }
}

/** Settings and identity of a session, which ends with the run. */
function preparationOf({ session, isReadOnly, explain, timeoutMs }: SqlRun): string {
  const { role, claims, settings = {} } = session
  const given = { ...settings, ...(claims && { 'request.jwt.claims': JSON.stringify(claims) }) }
  return [
    ...Object.entries(given).map(
      ([name, value]) => `select pg_catalog.set_config(${quoteLiteral(name)}, ${quoteLiteral(value)}, false)`,
    ),
    `set statement_timeout = ${timeoutMs}`,
    `set idle_in_transaction_session_timeout = ${timeoutMs}`,
    `set client_connection_check_interval = ${CONNECTION_CHECK_MS}`,
    ...(role === undefined ? [] : [`set role ${quoteIdentifier(role)}`]),
    // After a first query Postgres refuses to leave the mode; only the end of the transaction would.
    ...(isReadOnly ? ['begin read only', 'select 1'] : explain ? ['begin'] : []),
  ].join('; ')
}

async function nameTypes(pool: Pool, oids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (oids.length === 0) return new Map()
  const rows = await pool.query<{ oid: number; name: string }>(
    sql`select o.oid::int8::float8 as oid, format_type(o.oid, null) as name from unnest(${[...new Set(oids)]}::oid[]) o (oid)`,
  )
  return new Map(rows.map(({ oid, name }) => [oid, name]))
}

function errorOf(error: Error): SqlError {
  const { code, detail, hint, where, position } = error as Error &
    Partial<Record<'code' | 'detail' | 'hint' | 'where' | 'position', string>>
  return {
    message: error.message,
    ...(code !== undefined && { code }),
    ...(detail !== undefined && { detail }),
    ...(hint !== undefined && { hint }),
    ...(where !== undefined && { where }),
    ...(position !== undefined && { position: Number(position) }),
  }
}
