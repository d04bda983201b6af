import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { TableInfo } from '../catalog/policy-input.ts'
import type { Dependency } from '../plan.ts'
import { refuseClock, solveClock } from '../syntax/clock.ts'
import type { Expr } from '../syntax/expression.ts'
import { walkExpr } from '../syntax/walk.ts'
import type { Pinned } from './dependency-pin.ts'

/** A table whose columns an expression names. */
export interface ClockedTable {
  readonly table: TableInfo
  readonly pinned: Pinned
}

/** What the names in an expression stand for. */
export interface ClockedNames {
  /** By the alias of their range. */
  readonly ranges: ReadonlyMap<string, ClockedTable>
  /** The row that a policy is about; `own`: of the table that is being compiled, whose rows are looked at elsewhere. */
  readonly row: ClockedTable | 'own' | 'unknown'
  /** Ranges that only the arguments of a function name: another query's, which may have the same alias as one of this. */
  readonly foreign: ReadonlySet<string>
}

/** Nothing in it is known. */
export const NO_NAMES: ClockedNames = { ranges: new Map(), row: 'unknown', foreign: new Set() }

/**
 * The dependency of a comparison with the clock: on the columns of one table. Without: of the table's own row.
 *
 * @throws {Refusal} when it cannot be solved, or compares the clock with no column of a table
 */
export function clockDependency(
  expr: Extract<Expr, { kind: 'operator' }>,
  { ranges, row, foreign }: ClockedNames,
  catalog: PolicyCatalog,
): { readonly values: readonly Expr[]; readonly dependency: Dependency | undefined } {
  const solved = solveClock(expr, catalog) ?? refuseClock()
  const named = new Set<string>()
  let readsRow = false
  for (const value of solved.values) {
    walkExpr(value, {
      expr: (inner) => {
        if (inner.kind === 'column') named.add(inner.range)
        if (inner.kind === 'row') readsRow = true
        if (inner.kind === 'call' && inner.schema !== 'pg_catalog') refuseClock()
        if (inner.kind === 'keyword') refuseClock()
      },
    })
  }
  if (readsRow && row === 'own') return { values: solved.values, dependency: undefined }
  const [range, other] = named
  const found = readsRow ? row : range === undefined || foreign.has(range) ? undefined : ranges.get(range)
  if (!found || typeof found === 'string' || other !== undefined || (readsRow && range !== undefined))
    return refuseClock()
  const { table, pinned } = found
  const overRow = readsRow ? expr : (toRow(expr, range ?? '') as typeof expr)
  const next = (solveClock(overRow, catalog) ?? refuseClock()).next('t.after')
  const columns = new Set<string>(pinned.pin ? [pinned.pin.column] : [])
  walkExpr(overRow, { expr: (inner) => inner.kind === 'row' && columns.add(inner.column) })
  const { schema, name, oid } = table
  const pinType = table.columns.find((column) => column.name === pinned.pin?.column)?.typeName
  const dependency = {
    schema,
    name,
    oid,
    columns: [...columns].sort(),
    pin: pinned.pin,
    clock: { next: [next], pinType },
  }
  return { values: solved.values, dependency }
}

/** The columns of one range as those of the row. */
function toRow(value: unknown, range: string): unknown {
  if (Array.isArray(value)) return value.map((item) => toRow(item, range))
  if (typeof value !== 'object' || value === null) return value
  if ('kind' in value && value.kind === 'column' && 'range' in value && value.range === range)
    return { ...value, kind: 'row', range: undefined }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toRow(part, range)]))
}

/** The ranges that some expressions name. */
export function rangesIn(exprs: readonly Expr[]): ReadonlySet<string> {
  const named = new Set<string>()
  for (const expr of exprs) walkExpr(expr, { expr: (inner) => inner.kind === 'column' && named.add(inner.range) })
  return named
}
