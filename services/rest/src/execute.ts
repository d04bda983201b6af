import { HoldfastError } from '@holdfast/foundation'
import type { Pool, SqlFragment } from '@holdfast/postgres'
import type { Query } from './query/render-query.ts'

/** What the main statement of a request answers: always one row, everything as text. */
export interface ResultRow {
  /** Rows without the range, when they were counted. */
  readonly total: string | null
  /** Rows that were read or written. */
  readonly rows: string
  readonly body: string
  readonly location: string | null
  /** Rows of an upsert that were inserted. */
  readonly inserted: string | null
  /** `response.headers` and `response.status`, which functions may set. */
  readonly headers: string | null
  readonly status: string | null
}

export interface ExecuteResult {
  readonly row: ResultRow
  /** Rows that the planner expects, when it was asked. */
  readonly planned: number | undefined
}

export interface ExecuteInput {
  readonly query: Query
  /** The name under which a connection keeps a statement, or `undefined` for one that it does not keep. */
  readonly nameOf: (text: string) => string | undefined
  readonly settings: readonly (readonly [name: string, value: string])[]
  readonly readOnly: boolean
  /** Whether nothing is kept of what was written. */
  readonly rollback: boolean
  /** Looks at the row before the end of the transaction, which is then rolled back when it throws. */
  readonly verify: ((row: ResultRow) => void) | undefined
}

/** The part of the driver that this file uses. In pipeline mode a statement is sent without waiting for the answer to the last one. */
interface Connection {
  pipeline?: boolean
  query(config: { text: string; values?: unknown[]; name?: string }): Promise<{ rows: unknown[] }>
  getTransactionStatus?(): string | null
}

const SETTINGS_STATEMENT = {
  name: 'rest_settings',
  text: 'select count(set_config(setting.name, setting.value, true)) from unnest($1::text[], $2::text[]) as setting (name, value)',
}

/**
 * Runs a request in one transaction: settings, role and statement go to Postgres together with the commit, so that a request costs
 * one round trip. Only what has to be looked at before it is kept (`verify`) costs a second one.
 *
 * The result is read whole before anything is answered, so a slow client never holds a transaction. The connection goes back clean
 * or not at all.
 *
 * @throws what the driver throws; the first error of the transaction
 */
export async function execute(pool: Pool, input: ExecuteInput): Promise<ExecuteResult> {
  const outcome = await pool.withClient(async (client) => {
    const connection = client as unknown as Connection
    const before = connection.pipeline ?? false
    connection.pipeline = true
    try {
      return await runTransaction(connection, input)
    } finally {
      connection.pipeline = before
    }
  })
  if (outcome.kind === 'failed') throw outcome.error
  return outcome.result
}

type Outcome =
  | { readonly kind: 'done'; readonly result: ExecuteResult }
  /** The statement failed; the connection is well. */
  | { readonly kind: 'failed'; readonly error: unknown }

/** @throws when the connection cannot be used again */
async function runTransaction(connection: Connection, input: ExecuteInput): Promise<Outcome> {
  const { query, settings, readOnly, verify } = input
  const statements = [
    connection.query({ text: `begin isolation level read committed ${readOnly ? 'read only' : 'read write'}` }),
    connection.query({
      ...SETTINGS_STATEMENT,
      values: [settings.map(([name]) => name), settings.map(([, value]) => value)],
    }),
    connection.query(toConfig(query.main, input.nameOf)),
    ...(query.explain ? [connection.query(toConfig(query.explain))] : []),
    ...(verify ? [] : endStatements(connection, input.rollback)),
  ]
  const answers = await Promise.allSettled(statements)
  let failure = answers.find((answer) => answer.status === 'rejected')?.reason as unknown
  const main = answers[2]
  const row = main?.status === 'fulfilled' ? (main.value.rows[0] as ResultRow | undefined) : undefined
  if (verify) {
    if (failure === undefined && row) failure = thrownBy(() => verify(row))
    const ends = await Promise.allSettled(endStatements(connection, input.rollback || failure !== undefined))
    failure ??= ends.find((answer) => answer.status === 'rejected')?.reason as unknown
  }
  const status = connection.getTransactionStatus?.()
  if (status !== undefined && status !== 'I') throw failure ?? new Error('the connection is still in a transaction')
  if (failure !== undefined) return { kind: 'failed', error: failure }
  if (!row) return { kind: 'failed', error: new Error('the statement answered no row') }
  const explain = answers[3]
  const planned = query.explain && explain?.status === 'fulfilled' ? plannedRows(explain.value.rows[0]) : undefined
  return { kind: 'done', result: { row, planned } }
}

function endStatements(connection: Connection, rollback: boolean): Promise<{ rows: unknown[] }>[] {
  // A function may have changed settings for longer than its transaction.
  if (!rollback) return [connection.query({ text: 'commit; reset all; reset role' })]
  // Deferred constraints are still checked, so that what would have failed at the commit fails now.
  return [connection.query({ text: 'set constraints all immediate' }), connection.query({ text: 'rollback' })]
}

function toConfig(
  fragment: SqlFragment,
  nameOf?: (text: string) => string | undefined,
): { text: string; values: unknown[]; name?: string } {
  const { text, values } = fragment.render()
  const name = nameOf?.(text)
  return { text, values: [...values], ...(name === undefined ? {} : { name }) }
}

function thrownBy(body: () => void): unknown {
  try {
    body()
    return undefined
  } catch (error) {
    if (error instanceof HoldfastError) return error
    throw error
  }
}

/** Reads `[{"Plan": {"Plan Rows": 42}}]`, which the driver has parsed already. */
function plannedRows(row: unknown): number | undefined {
  const plans = (row as { 'QUERY PLAN'?: readonly { Plan?: { 'Plan Rows'?: number } }[] } | undefined)?.['QUERY PLAN']
  return plans?.[0]?.Plan?.['Plan Rows']
}
