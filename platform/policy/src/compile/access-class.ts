import { quoteIdentifier, quoteName } from '@holdfast/postgres'
import type { Catalog } from '../catalog/catalog.ts'
import type { TableInfo } from '../catalog/policy-input.ts'
import type { AccessClass, KeyExpression } from '../plan.ts'
import { Refusal, refuse } from '../refusal.ts'
import { conjunction, type Expr } from '../syntax/expression.ts'
import { renderExpr, ROW_ALIAS } from '../syntax/render.ts'
import { isImmutable, isSettled, OID, operatorsOf, typeOf } from '../syntax/typing.ts'
import { walkExpr } from '../syntax/walk.ts'
import { type AssembledAlternative, hashesOf, rowExpression } from './assemble.ts'
import { dependenciesOfExpr } from './dependencies.ts'
import { isRowOnly, surveyExpr } from './survey.ts'
import { viaFunctionsOf } from './via-functions.ts'

/** Columns that a class may be made of: each combination of their values is one. */
const COLUMNS_MAX = 16

/**
 * Follows a condition that no equality ties to the person: what of it is about the row alone filters the rows, the rest is asked for each combination
 * of the columns that it reads.
 *
 * @param conditions - all of them have to hold; functions in them are calls still
 */
export function assembleClass(
  conditions: readonly Expr[],
  { table, role, catalog }: { readonly table: TableInfo; readonly role: number; readonly catalog: Catalog },
): AssembledAlternative {
  const atoms = distinct(conditions.flatMap((expr) => (expr.kind === 'and' ? expr.args : [expr])))
  const filters = atoms.filter((atom) => isRowOnly(surveyExpr(atom, catalog)) && isImmutable(atom, catalog))
  const asked = atoms.filter((atom) => !filters.includes(atom))
  for (const atom of asked) checkSettled(atom, catalog)
  const condition = conjunction(asked)
  const columns = table.columns.filter((column) => asked.some((atom) => readsOf(atom).has(column.name)))
  if (columns.length > COLUMNS_MAX) refuse(`the condition reads more than ${COLUMNS_MAX} columns of the row`)
  checkUsage(columns, role, catalog)
  const filter = conjunction(filters)
  const accessClass = classOf(condition, columns)
  return {
    rowFilter: filter && rowExpression(filter, filter.kind === 'row' && typeOf(filter, catalog) === OID.bool),
    keys: columns.map(({ name }): KeyExpression => ({
      kind: 'class',
      sql: `${ROW_ALIAS}.${quoteIdentifier(name)}`,
      column: name,
      reads: [name],
    })),
    keyQuery: classKeyQuery(table, columns, accessClass),
    keyFunctions: viaFunctionsOf(atoms, catalog),
    dependencies: condition ? dependenciesOfExpr(condition, role, table.oid, catalog) : [],
    rowFunctions: filters.flatMap((expr) => hashesOf(expr, catalog)).sort(),
    accessClass,
  }
}

/** Several conditions over the same columns, of which one has to hold. */
export function anyOf(classes: readonly AccessClass[], columns: TableInfo['columns']): AccessClass {
  const conditions = [...new Set(classes.map((one) => one.condition))].sort()
  return createClass(
    conditions.length === 1 ? (conditions[0] ?? '') : conditions.map((one) => `(${one})`).join(' or '),
    columns,
  )
}

function classOf(condition: Expr | undefined, columns: TableInfo['columns']): AccessClass {
  return createClass(condition ? renderExpr(condition) : 'true', columns)
}

function createClass(condition: string, columns: TableInfo['columns']): AccessClass {
  const arrays = ['$1::int[]', ...columns.map((_, index) => `$${index + 2}::text[]`)].join(', ')
  const names = ['"#number"', ...columns.map((_, index) => `c${index}`)].join(', ')
  const values = columns.map((column, index) => `u.c${index}::${column.typeName} as ${quoteIdentifier(column.name)}`)
  return {
    condition,
    query: `select r."#number" as number from (select ${['u."#number"', ...values].join(', ')} from unnest(${arrays}) as u (${names})) as ${ROW_ALIAS} where ${condition}`,
  }
}

/** The same, read from the table: for people who look, as it costs more. */
export function classKeyQuery(
  table: { readonly schema: string; readonly name: string },
  columns: TableInfo['columns'],
  { condition }: AccessClass,
): string {
  const from = `from ${quoteName(table.schema, table.name)} as ${ROW_ALIAS} where ${condition}`
  if (columns.length === 0) return `select true as granted ${from} limit 1`
  const keys = columns.map(({ name }, index) => `(${ROW_ALIAS}.${quoteIdentifier(name)})::text as k${index}`)
  return `select distinct ${keys.join(', ')} ${from}`
}

/** Values travel as texts and are read as their types again, by the person. */
function checkUsage(columns: TableInfo['columns'], role: number, catalog: Catalog): void {
  const person = catalog.role(role)
  for (const column of columns) {
    const schema = catalog.type(column.typeOid)?.schema ?? 'pg_catalog'
    if (person && schema !== 'pg_catalog' && !person.schemas.includes(schema)) {
      throw new Refusal(
        `the role ${person.name} has no USAGE on the schema ${schema} of the type of ${column.name}, which its policies read`,
        'role',
      )
    }
  }
}

/** What is about the row may still depend on more than the row. */
function checkSettled(atom: Expr, catalog: Catalog): void {
  const isSteady = (expr: Expr): boolean => {
    if (isRowOnly(surveyExpr(expr, catalog))) return isSettled(expr, catalog)
    if (expr.kind !== 'operator') return true
    const isOverRow = [expr.left, expr.right].some((side) => side && surveyExpr(side, catalog).row.size > 0)
    const candidates = operatorsOf(expr, catalog)
    return !isOverRow || expr.schema !== 'pg_catalog' || candidates.some((operator) => operator.volatility === 'i')
  }
  const check = (expr: Expr): void => {
    if (!isSteady(expr))
      refuse(
        'a condition on the row depends on settings of the session, such as its time zone, or on a function that is not immutable',
      )
  }
  walkExpr(atom, { expr: check })
}

function readsOf(expr: Expr): ReadonlySet<string> {
  const reads = new Set<string>()
  walkExpr(expr, { expr: (inner) => inner.kind === 'row' && reads.add(inner.column) })
  return reads
}

function distinct(exprs: readonly Expr[]): readonly Expr[] {
  return [...new Map(exprs.map((expr) => [renderExpr(expr), expr])).values()]
}
