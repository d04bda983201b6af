import { createHash } from 'node:crypto'
import { errorMessage } from '@holdfast/foundation'
import type { SyncPlan, TablePlan } from '@holdfast/policy'
import { sql } from '@holdfast/postgres'
import type { Tuple } from '@holdfast/replication'
import { isPassingError, isStatementError, isTimeout, type PolicyFailures } from '../buckets/policy-failures.ts'
import { ROW_LIMITS, SLOW_ROWS_MAX, SLOW_SHARE } from '../limits.ts'
import { evaluateRows, readsOf } from './evaluate-rows.ts'
import type { Evaluated, SqlExpression, TableRouter } from './table-router.ts'
import { withTimeLimit, type TimeLimitOptions } from '../time-limit.ts'

/** How long the evaluation of row filters and computed keys may take, in milliseconds. */
export interface RowLimits {
  /** Of one statement, whatever it evaluates. */
  readonly statementMs: number
  /** Of one statement, for each of its rows, in addition. */
  readonly rowMs: number
  /** Of the second attempt for a row that took too long. */
  readonly retryMs: number
  /** Of all statements of one table, from the first on that takes too long. Then the table is given up. */
  readonly tableMs: number
}

/** Evaluates row filters and computed keys. What fails for a row, or takes too long, costs that row, or at worst its table. */
export interface RowEvaluator {
  /**
   * An expression that fails for a row gives NULL for it, which puts the row into no bucket of that definition: nobody can select it through that policy
   * either, and one row must not hold up all others.
   *
   * @param columnNames - the columns of the rows, in their order
   * @param olds - which of the rows were there before, and may be in buckets
   */
  evaluate(
    router: TableRouter,
    columnNames: readonly string[],
    rows: readonly Tuple[],
    olds?: ReadonlySet<Tuple>,
  ): Promise<readonly Evaluated[]>
  /** Tables, by oid, whose buckets can no longer be trusted: given up, or a row could not be evaluated again that may be in one. Each is told once. */
  takeDistrusted(): ReadonlySet<number>
  /**
   * Takes out of a plan what was given up, until its policies or some function are others.
   *
   * @param functionsVersion - of the functions by which the plan was compiled
   */
  withoutGivenUp(plan: SyncPlan, functionsVersion: string): SyncPlan
}

export interface RowEvaluatorOptions extends TimeLimitOptions {
  readonly failures: PolicyFailures
  readonly limits?: RowLimits | undefined
  /** Of people's sessions. */
  readonly timeZone: () => Promise<string>
}

const NOTHING: Evaluated = []
const NO_ROWS: ReadonlySet<Tuple> = new Set()

/** Of a group of rows that fails, so many parts are tried next. */
const PARTS = 16

/** One call for one table. */
interface Evaluation {
  readonly router: TableRouter
  readonly columnNames: readonly string[]
  readonly olds: ReadonlySet<Tuple>
  /** When something took too long for the first time. */
  slowSince: number | undefined
}

export function createRowEvaluator(options: RowEvaluatorOptions): RowEvaluator {
  const { failures, limits = ROW_LIMITS } = options
  /** What was found for rows that took too long: the same row is not waited for again. */
  const slowRows = new Map<string, Evaluated>()
  /** Time that tables have taken, and when it was noted: it is forgotten little by little. */
  const spent = new Map<number, { readonly ms: number; readonly at: number }>()
  /** By oid, why and by which policies. */
  const givenUp = new Map<number, { readonly reason: string; readonly content: string | undefined }>()
  let distrusted = new Set<number>()
  let contents = new Map<number, string>()
  let lastFunctions: string | undefined

  function spentBy(oid: number): number {
    const before = spent.get(oid)
    return before ? Math.max(0, before.ms - (performance.now() - before.at) * SLOW_SHARE) : 0
  }

  function attempt(
    { router, columnNames }: Evaluation,
    expressions: readonly SqlExpression[],
    rows: readonly Tuple[],
    ms: number,
  ): Promise<readonly Evaluated[]> {
    return withTimeLimit(options, ms, async (tx) => {
      // A day begins for a row when it does for people.
      if (router.hasClock) await tx.execute(sql`select set_config('TimeZone', ${await options.timeZone()}, true)`)
      return evaluateRows(tx, router, expressions, columnNames, rows)
    })
  }

  /** Goes on after an error that is the statement's. Gives the table up when it has taken too much time. */
  function tolerate(evaluation: Evaluation, error: unknown, startedAt: number): void {
    if (!isStatementError(error)) throw error
    if (isTimeout(error)) evaluation.slowSince ??= startedAt
    if (evaluation.slowSince === undefined) return
    const { oid } = evaluation.router.table
    if (spentBy(oid) + performance.now() - evaluation.slowSince < limits.tableMs || givenUp.has(oid)) return
    const reason = `its policies took more than ${limits.tableMs / 1_000} s to evaluate for rows that changed: ${errorMessage(error)}`
    givenUp.set(oid, { reason, content: contents.get(oid) })
    distrusted.add(oid)
  }

  async function evaluateSome(evaluation: Evaluation, rows: readonly Tuple[]): Promise<readonly Evaluated[]> {
    const { table, expressions } = evaluation.router
    if (givenUp.has(table.oid)) return rows.map(() => NOTHING)
    const [first] = rows
    if (rows.length === 1 && first) return [await evaluateAlone(evaluation, first)]
    const startedAt = performance.now()
    try {
      return await attempt(evaluation, expressions, rows, limits.statementMs + rows.length * limits.rowMs)
    } catch (error) {
      tolerate(evaluation, error, startedAt)
    }
    const results: Evaluated[] = []
    const size = Math.ceil(rows.length / PARTS)
    for (let at = 0; at < rows.length; at += size)
      results.push(...(await evaluateSome(evaluation, rows.slice(at, at + size))))
    return results
  }

  async function evaluateAlone(evaluation: Evaluation, row: Tuple): Promise<Evaluated> {
    const { table, expressions } = evaluation.router
    const id = idOf(evaluation, row)
    const known = slowRows.get(id)
    if (known) return known
    const results: (string | null)[] = []
    let isUncertain = false
    for (const expression of expressions) {
      const { value, error } = await evaluateOne(evaluation, expression, row)
      if (error !== undefined) {
        failures.note({ table: table.localName, of: 'row', sql: expression.sql }, error)
        isUncertain ||= isPassingError(error)
      }
      results.push(value)
    }
    if (isUncertain) {
      const isTimeless = expressions.every(({ result }) => result !== 'moment')
      // It may have been in a bucket: who knows which, knows it from reading the table again.
      if (evaluation.olds.has(row)) distrusted.add(table.oid)
      if (isTimeless) slowRows.set(id, results)
      const [oldest] = slowRows.keys()
      if (slowRows.size > SLOW_ROWS_MAX && oldest !== undefined) slowRows.delete(oldest)
    }
    return results
  }

  /** What may be the fault of the moment is tried once more. */
  async function evaluateOne(
    evaluation: Evaluation,
    expression: SqlExpression,
    row: Tuple,
  ): Promise<{ readonly value: string | null; readonly error?: unknown }> {
    let last: unknown
    for (const ms of [limits.statementMs, limits.retryMs]) {
      if (givenUp.has(evaluation.router.table.oid)) return { value: null }
      const startedAt = performance.now()
      try {
        const [found] = await attempt(evaluation, [expression], [row], ms)
        return { value: found?.[0] ?? null }
      } catch (error) {
        tolerate(evaluation, error, startedAt)
        last = error
        if (!isPassingError(error)) break
      }
    }
    return { value: null, error: last }
  }

  return {
    async evaluate(router, columnNames, rows, olds = NO_ROWS) {
      if (router.expressions.length === 0) return rows.map(() => NOTHING)
      const { oid } = router.table
      const evaluation: Evaluation = { router, columnNames, olds, slowSince: undefined }
      // Rows that are known to be slow would make all those beside them slow.
      const found = rows.map((row) => (slowRows.size > 0 ? slowRows.get(idOf(evaluation, row)) : undefined))
      const others = await evaluateSome(
        evaluation,
        rows.filter((_, index) => found[index] === undefined),
      )
      if (evaluation.slowSince !== undefined) {
        const ms = spentBy(oid) + performance.now() - evaluation.slowSince
        spent.set(oid, { ms, at: performance.now() })
      }
      let next = 0
      return found.map((known) => known ?? others[next++] ?? NOTHING)
    },
    takeDistrusted() {
      const taken = distrusted
      if (taken.size > 0) distrusted = new Set()
      return taken
    },
    withoutGivenUp(plan, functionsVersion) {
      if (functionsVersion !== lastFunctions) slowRows.clear()
      lastFunctions = functionsVersion
      contents = new Map(plan.tables.map((table) => [table.oid, `${functionsVersion} ${expressionsOf(table)}`]))
      for (const [oid, { content }] of givenUp) {
        if (content === contents.get(oid)) continue
        givenUp.delete(oid)
        spent.delete(oid)
      }
      const out = plan.tables.filter(({ oid }) => givenUp.has(oid))
      if (out.length === 0) return plan
      return {
        ...plan,
        version: `${plan.version}-${out.map(({ oid }) => oid).join('-')}`,
        tables: plan.tables.filter(({ oid }) => !givenUp.has(oid)),
        refused: [
          ...plan.refused,
          ...out.map(({ schema, name, oid, definitions }) => {
            const policy = definitions.find(({ rowFilter }) => rowFilter)?.policies[0]
            return {
              schema,
              name,
              oid,
              ...(policy === undefined ? {} : { policy }),
              reason: givenUp.get(oid)?.reason ?? '',
            }
          }),
        ],
      }
    },
  }
}

function expressionsOf({ definitions }: TablePlan): string {
  return JSON.stringify(definitions.map(({ rowFilter, keys }) => [rowFilter?.sql, keys.map((key) => key.sql)]))
}

/** Of all that the expressions of a table can tell rows apart by. */
function idOf({ router: { table, expressions }, columnNames }: Evaluation, row: Tuple): string {
  const values = readsOf(expressions).map((name) => row[columnNames.indexOf(name)] ?? null)
  const content = JSON.stringify([table.oid, expressions.map((expression) => expression.sql), values])
  return createHash('sha256').update(content).digest('base64')
}
