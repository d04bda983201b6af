import { errorMessage } from '@holdfast/foundation'
import { isConnectionLoss, sql, SQLSTATE, sqlstateOf, type SqlFragment, type Transaction } from '@holdfast/postgres'
import type { PolicyResult } from '@holdfast/protocol'
import { rowsTimeout } from '../errors.ts'
import { EXPLAIN_TIMEOUT_MS, POLICY_TIMEOUT_MS } from '../limits.ts'
import type { KnownTable } from '../tables/read-table.ts'
import type { ApplicablePolicy } from './applicable-policies.ts'

/** A statement that failed, in Postgres's words. */
export class Failed {
  readonly message: string
  readonly isPolicyRefusal: boolean

  constructor(error: unknown) {
    this.message = sqlstateOf(error) === SQLSTATE.queryCanceled ? TOO_LONG : sentenceOf(error)
    this.isPolicyRefusal =
      sqlstateOf(error) === SQLSTATE.insufficientPrivilege && this.message.includes('row-level security policy')
  }
}

const TOO_LONG = `It took longer than ${POLICY_TIMEOUT_MS / 1_000} s.`

function sentenceOf(error: unknown): string {
  const { detail } = error as { readonly detail?: string }
  return [errorMessage(error), ...(detail ? [detail] : [])].map((part) => part.replace(/[^.!?]$/, '$&.')).join(' ')
}

/** Runs statements one by one as the user of a transaction. None of them leaves anything behind, and together they take a bounded time. */
export class Attempts {
  readonly #tx: Transaction
  readonly #endMs = performance.now() + EXPLAIN_TIMEOUT_MS

  constructor(tx: Transaction) {
    this.#tx = tx
  }

  /** @throws {HoldfastError} `rows_timeout` once the time of all statements is used up */
  async run<T>(body: (tx: Transaction) => Promise<T>): Promise<T | Failed> {
    const leftMs = Math.floor(this.#endMs - performance.now())
    if (leftMs <= 0) throw rowsTimeout(EXPLAIN_TIMEOUT_MS)
    await this.#tx.execute(sql`savepoint attempt`)
    await this.#tx.execute(
      sql`select set_config('statement_timeout', ${String(Math.min(POLICY_TIMEOUT_MS, leftMs))}, true)`,
    )
    try {
      return await body(this.#tx)
    } catch (error) {
      if (isConnectionLoss(error) || sqlstateOf(error) === undefined) throw error
      return new Failed(error)
    } finally {
      await this.#tx.execute(sql`rollback to savepoint attempt`).catch(() => undefined) // a lost connection has none
    }
  }
}

/** A row as Postgres prints it whole, to be read back as a value: the user need not see it in the table. */
export type PrintedRow = string

/** Evaluates an expression over columns of a row. */
export async function evaluateOver<T>(
  attempts: Attempts,
  table: KnownTable,
  row: PrintedRow,
  expression: SqlFragment,
): Promise<T | Failed> {
  const type = sql.identifier(table.schema, table.name)
  const found = await attempts.run((tx) =>
    tx.query<{ value: T }>(
      sql`select (${expression}) as value from (select (${row}::text::${type}).*) as ${sql.identifier(table.name)}`,
    ),
  )
  if (found instanceof Failed) return found
  const [first] = found
  if (!first) throw new Error('Postgres returned no row for a row')
  return first.value
}

/** Evaluates the policies that a command needs for a row. */
export async function evaluatePolicies(
  attempts: Attempts,
  table: KnownTable,
  policies: readonly ApplicablePolicy[],
  { command, row }: Pick<PolicyResult, 'command' | 'row'>,
  printed: PrintedRow,
): Promise<readonly PolicyResult[]> {
  const results: PolicyResult[] = []
  for (const { name, command: of, isPermissive, using, check } of policies) {
    if (of !== command && of !== 'all') continue
    // A new row must pass WITH CHECK, and USING where there is none; to be seen again, the USING of select.
    const text = row === 'existing' || command === 'select' ? using : (check ?? using)
    const expression = text ?? 'true'
    const value = await evaluateOver<boolean | null>(attempts, table, printed, sql.trusted(expression))
    results.push({
      policy: name,
      isPermissive,
      command,
      row,
      expression,
      ...(value instanceof Failed ? { passes: null, fails: value.message } : { passes: value }),
    })
  }
  return results
}
