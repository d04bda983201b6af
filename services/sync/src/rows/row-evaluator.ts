import { createHash } from 'node:crypto'
import { errorMessage } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'
import { sql } from '@holdfast/postgres'
import type { Tuple } from '@holdfast/replication'
import { isPassingError, isStatementError, isTimeout, type PolicyFailures } from '../buckets/policy-failures.ts'
import { ROW_LIMITS, SLOW_ROWS_MAX } from '../limits.ts'
import { evaluateRows, readsOf } from './evaluate-rows.ts'
import { SlowTables } from './slow-tables.ts'
import type { Evaluated, SqlExpression, TableRouter } from './table-router.ts'
import { withTimeLimit, type TimeLimitOptions } from '../user-sql/time-limit.ts'

/** Time limits in ms for evaluating row filters and computed keys. */
export interface RowLimits {
  /** Per statement. */
  readonly statementMs: number
  /** Additionally per row of a statement. */
  readonly rowMs: number
  /** For the second attempt of a slow row. */
  readonly retryMs: number
  /** Total for a table's statements after the first slow one. Beyond it, the table is given up. */
  readonly tableMs: number
}

export interface RowEvaluatorOptions extends TimeLimitOptions {
  readonly failures: PolicyFailures
  readonly limits?: RowLimits | undefined
  /** Time zone of user sessions. */
  readonly timeZone: () => Promise<string>
}

const NOTHING: Evaluated = []
const NO_ROWS: ReadonlySet<Tuple> = new Set()

/** Number of parts a failing group of rows is split into. */
const PARTS = 16

/** One call of {@link RowEvaluator.evaluate}. */
interface Evaluation {
  readonly router: TableRouter
  readonly columnNames: readonly string[]
  readonly olds: ReadonlySet<Tuple>
  /** Time of the first timeout. */
  slowSince: number | undefined
}

/** Evaluates row filters and computed keys. A failing or slow expression affects only its row, or at worst its table. */
export class RowEvaluator {
  readonly #options: RowEvaluatorOptions
  readonly #limits: RowLimits
  /** Results of rows that took too long, which are not evaluated again. */
  readonly #slowRows = new Map<string, Evaluated>()
  readonly #tables = new SlowTables()
  #distrusted = new Set<number>()
  #lastFunctions: string | undefined

  constructor(options: RowEvaluatorOptions) {
    this.#options = options
    this.#limits = options.limits ?? ROW_LIMITS
  }

  /**
   * Evaluates a table's expressions for rows. An expression that fails for a row yields NULL, so the row is in no bucket of that definition: no role can
   * select it through that policy, and one row must not block the others.
   *
   * @param columnNames - column names in row order
   * @param olds - rows that existed before and may be in buckets
   */
  async evaluate(
    router: TableRouter,
    columnNames: readonly string[],
    rows: readonly Tuple[],
    olds = NO_ROWS,
  ): Promise<readonly Evaluated[]> {
    if (router.expressions.length === 0) return rows.map(() => NOTHING)
    const evaluation: Evaluation = { router, columnNames, olds, slowSince: undefined }
    // Rows known to be slow would delay the others in the same statement.
    const found = rows.map((row) => (this.#slowRows.size > 0 ? this.#slowRows.get(idOf(evaluation, row)) : undefined))
    const others = await this.#evaluateSome(
      evaluation,
      rows.filter((_, index) => found[index] === undefined),
    )
    if (evaluation.slowSince !== undefined) this.#tables.spend(router.table.oid, evaluation.slowSince)
    let next = 0
    return found.map((known) => known ?? others[next++] ?? NOTHING)
  }

  /**
   * Returns once the oids of tables whose buckets are unreliable: tables that were given up, and tables with a row that may be in a bucket but could not be
   * evaluated again.
   */
  takeDistrusted(): ReadonlySet<number> {
    const taken = this.#distrusted
    if (taken.size > 0) this.#distrusted = new Set()
    return taken
  }

  /**
   * Moves tables that were given up to the refused ones, until their policies or any function change.
   *
   * @param functionsVersion - version of the functions used by the plan
   */
  withoutGivenUp(plan: SyncPlan, functionsVersion: string): SyncPlan {
    if (functionsVersion !== this.#lastFunctions) this.#slowRows.clear()
    this.#lastFunctions = functionsVersion
    return this.#tables.withoutGivenUp(plan, functionsVersion)
  }

  async #evaluateSome(evaluation: Evaluation, rows: readonly Tuple[]): Promise<readonly Evaluated[]> {
    const { table, expressions } = evaluation.router
    if (this.#tables.isGivenUp(table.oid)) return rows.map(() => NOTHING)
    const [first] = rows
    if (rows.length === 1 && first) return [await this.#evaluateAlone(evaluation, first)]
    const startedAt = performance.now()
    try {
      const { statementMs, rowMs } = this.#limits
      return await this.#attempt(evaluation, expressions, rows, statementMs + rows.length * rowMs)
    } catch (error) {
      this.#tolerate(evaluation, error, startedAt)
    }
    const results: Evaluated[] = []
    const size = Math.ceil(rows.length / PARTS)
    for (let at = 0; at < rows.length; at += size)
      results.push(...(await this.#evaluateSome(evaluation, rows.slice(at, at + size))))
    return results
  }

  async #evaluateAlone(evaluation: Evaluation, row: Tuple): Promise<Evaluated> {
    const { table, expressions } = evaluation.router
    const id = idOf(evaluation, row)
    const known = this.#slowRows.get(id)
    if (known) return known
    const results: (string | null)[] = []
    let isUncertain = false
    for (const expression of expressions) {
      const { value, error } = await this.#evaluateOne(evaluation, expression, row)
      if (error !== undefined) {
        this.#options.failures.note({ table: table.localName, of: 'row', sql: expression.sql }, error)
        isUncertain ||= isPassingError(error)
      }
      results.push(value)
    }
    if (isUncertain) {
      // The row may be in a bucket. Only reading the table again can determine which.
      if (evaluation.olds.has(row)) this.#distrusted.add(table.oid)
      if (expressions.every(({ result }) => result !== 'moment')) this.#slowRows.set(id, results)
      const [oldest] = this.#slowRows.keys()
      if (this.#slowRows.size > SLOW_ROWS_MAX && oldest !== undefined) this.#slowRows.delete(oldest)
    }
    return results
  }

  /** Retries after a transient error. */
  async #evaluateOne(
    evaluation: Evaluation,
    expression: SqlExpression,
    row: Tuple,
  ): Promise<{ readonly value: string | null; readonly error?: unknown }> {
    let last: unknown
    for (const ms of [this.#limits.statementMs, this.#limits.retryMs]) {
      if (this.#tables.isGivenUp(evaluation.router.table.oid)) return { value: null }
      const startedAt = performance.now()
      try {
        const [found] = await this.#attempt(evaluation, [expression], [row], ms)
        return { value: found?.[0] ?? null }
      } catch (error) {
        this.#tolerate(evaluation, error, startedAt)
        last = error
        if (!isPassingError(error)) break
      }
    }
    return { value: null, error: last }
  }

  #attempt(
    { router, columnNames }: Evaluation,
    expressions: readonly SqlExpression[],
    rows: readonly Tuple[],
    ms: number,
  ): Promise<readonly Evaluated[]> {
    return withTimeLimit(this.#options, ms, async (tx) => {
      // Days begin as in user sessions.
      if (router.hasClock) await tx.execute(sql`select set_config('TimeZone', ${await this.#options.timeZone()}, true)`)
      return evaluateRows(tx, router, expressions, columnNames, rows)
    })
  }

  /** Continues after a statement error. Gives the table up if it has taken too much time. */
  #tolerate(evaluation: Evaluation, error: unknown, startedAt: number): void {
    if (!isStatementError(error)) throw error
    if (isTimeout(error)) evaluation.slowSince ??= startedAt
    if (evaluation.slowSince === undefined) return
    const { oid } = evaluation.router.table
    const { tableMs } = this.#limits
    const spentMs = this.#tables.spentBy(oid) + performance.now() - evaluation.slowSince
    if (spentMs < tableMs || this.#tables.isGivenUp(oid)) return
    this.#tables.giveUp(
      oid,
      `its policies took more than ${tableMs / 1_000} s to evaluate for rows that changed: ${errorMessage(error)}`,
    )
    this.#distrusted.add(oid)
  }
}

/** Returns a hash of everything that the table's expressions read of a row. */
function idOf({ router: { table, expressions }, columnNames }: Evaluation, row: Tuple): string {
  const values = readsOf(expressions).map((name) => row[columnNames.indexOf(name)] ?? null)
  const content = JSON.stringify([table.oid, expressions.map((expression) => expression.sql), values])
  return createHash('sha256').update(content).digest('base64')
}
