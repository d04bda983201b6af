import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { TableInfo } from '../catalog/policy-input.ts'
import type { Dependency } from '../plan.ts'
import { refuseClock, solveClock } from '../syntax/clock.ts'
import type { Expr } from '../syntax/expression.ts'
import { walkExpr } from '../syntax/walk.ts'
import type { Pinned } from './dependency-pin.ts'

/** A table whose columns an expression references. */
export interface ClockedTable {
  readonly table: TableInfo
  readonly pinned: Pinned
}

/** Resolution of the names in an expression. */
export interface ClockedNames {
  /** By range alias. */
  readonly ranges: ReadonlyMap<string, ClockedTable>
  /** The policy's row; `own`: of the table being compiled, whose rows are handled elsewhere. */
  readonly row: ClockedTable | 'own' | 'unknown'
  /** Ranges referenced only by function arguments: they belong to another query and may share an alias with this one. */
  readonly foreign: ReadonlySet<string>
}

/** Nothing is known about the names. */
export const NO_NAMES: ClockedNames = { ranges: new Map(), row: 'unknown', foreign: new Set() }

/**
 * Returns the dependency of a clock comparison on one table's columns; none for the table's own row.
 *
 * @throws {Refusal} if it cannot be solved, or involves no table column
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

/** Rewrites the columns of a range as columns of the row. */
function toRow(value: unknown, range: string): unknown {
  if (Array.isArray(value)) return value.map((item) => toRow(item, range))
  if (typeof value !== 'object' || value === null) return value
  if ('kind' in value && value.kind === 'column' && 'range' in value && value.range === range)
    return { ...value, kind: 'row', range: undefined }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toRow(part, range)]))
}

/** Returns the ranges referenced by some expressions. */
export function rangesIn(exprs: readonly Expr[]): ReadonlySet<string> {
  const named = new Set<string>()
  for (const expr of exprs) walkExpr(expr, { expr: (inner) => inner.kind === 'column' && named.add(inner.range) })
  return named
}
