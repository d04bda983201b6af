import { INSTEAD_OF_SESSION } from '../syntax/policy-advice.ts'
import { quoteIdentifier, quoteName } from '@holdfast/postgres'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { TableInfo } from '../catalog/policy-input.ts'
import type { AccessClass, KeyExpression, RowExpression } from '../plan.ts'
import { Refusal, refuse } from '../refusal.ts'
import { conjunction, type Expr } from '../syntax/expression.ts'
import { clockComparisonsIn, isImmutableBesideClock, refuseClock, solveClock } from '../syntax/clock.ts'
import { renderExpr, ROW_ALIAS } from '../syntax/render.ts'
import { isSettled, operatorsOf } from '../syntax/typing.ts'
import { walkExpr } from '../syntax/walk.ts'
import { allNext, type AssembledAlternative, filterExpression, hashesOf } from './assemble.ts'
import { dependenciesOfExpr } from './dependencies.ts'
import { NO_TABLE } from './dependency-reading.ts'
import { mergeDependencies } from './merge-dependencies.ts'
import { isRowOnly, surveyExpr } from './survey.ts'
import { viaFunctionsOf } from './via-functions.ts'

/** Maximum number of columns per access class; each combination of their values is one class. */
const COLUMNS_MAX = 16

interface ClassInput {
  readonly table: TableInfo
  readonly role: number
  readonly catalog: PolicyCatalog
  /** Whether the conditions are a query that may read the table itself. */
  readonly readsItself: boolean
}

/**
 * Compiles a condition without an equality to the user: parts about the row alone filter the rows, and the rest is evaluated per combination of the columns it
 * reads.
 *
 * @param conditions - a conjunction; functions are not inlined
 */
export function assembleClass(
  conditions: readonly Expr[],
  { table, role, catalog, readsItself }: ClassInput,
): AssembledAlternative {
  const atoms = distinct(conditions.flatMap((expr) => (expr.kind === 'and' ? expr.args : [expr])))
  const filters = atoms.filter((atom) => isRowOnly(surveyExpr(atom, catalog)) && isImmutableBesideClock(atom, catalog))
  const asked = atoms.filter((atom) => !filters.includes(atom))
  for (const atom of asked) {
    checkRowClock(atom, catalog)
    checkSettled(atom, catalog)
  }
  const condition = conjunction(asked)
  const columns = table.columns.filter((column) => asked.some((atom) => readsOf(atom).has(column.name)))
  if (columns.length > COLUMNS_MAX) refuse(`the condition reads more than ${COLUMNS_MAX} columns of the row`)
  checkUsage(columns, role, catalog)
  const filter = conjunction(filters)
  const read = condition && dependenciesOfExpr(condition, role, readsItself ? NO_TABLE : table.oid, catalog)
  const accessClass = classOf(condition, columns)
  const keys = columns.map(({ name }): KeyExpression => ({
    kind: 'class',
    sql: `${ROW_ALIAS}.${quoteIdentifier(name)}`,
    column: name,
    reads: [name],
  }))
  return {
    rowFilter: filter && filterExpression(filter, catalog),
    keys,
    keyQuery: classKeyQuery(table, keys, accessClass),
    keyFunctions: [...viaFunctionsOf(atoms, catalog), ...(read?.keyFunctions ?? [])],
    dependencies: read?.dependencies ?? [],
    rowFunctions: filters.flatMap((expr) => hashesOf(expr, catalog)).sort(),
    accessClass,
  }
}

/** Narrows a link by access classes: the remaining conditions are evaluated only for rows whose keys a user has. */
export function narrowLink(
  link: AssembledAlternative,
  { accessClass, ...rest }: AssembledAlternative,
  { table }: { readonly table: TableInfo },
): AssembledAlternative {
  // Arrays give a row several keys; they are not split.
  if (!accessClass || link.keys.some((key) => key.kind !== 'value')) return refuse('the link cannot be narrowed')
  const filters = [link.rowFilter, rest.rowFilter].filter((filter) => filter !== undefined)
  const [only] = filters
  const rowFilter: RowExpression | undefined =
    filters.length < 2
      ? only
      : {
          sql: filters.map((filter) => `(${filter.sql})`).join(' and '),
          column: undefined,
          reads: [...new Set(filters.flatMap((filter) => filter.reads))].sort(),
          next: allNext(filters.map((filter) => filter.next)),
        }
  const narrowed = { ...accessClass, link: { keys: link.keys.length, query: link.keyQuery } }
  const keys = [...link.keys, ...rest.keys]
  return {
    rowFilter,
    keys,
    keyQuery: classKeyQuery(table, keys, narrowed),
    keyFunctions: [...link.keyFunctions, ...rest.keyFunctions],
    dependencies: mergeDependencies([...link.dependencies, ...rest.dependencies]),
    rowFunctions: [...link.rowFunctions, ...rest.rowFunctions].sort(),
    accessClass: narrowed,
  }
}

/** Disjunction over the same columns. All have the same link, or none. */
export function anyOf(classes: readonly AccessClass[], columns: TableInfo['columns']): AccessClass {
  const conditions = [...new Set(classes.map((one) => one.condition))].sort()
  const any = createClass(
    conditions.length === 1 ? (conditions[0] ?? '') : conditions.map((one) => `(${one})`).join(' or '),
    columns,
  )
  return { ...any, link: classes[0]?.link }
}

function classOf(condition: Expr | undefined, columns: TableInfo['columns']): AccessClass {
  return createClass(condition ? renderExpr(condition) : 'true', columns)
}

function createClass(condition: string, columns: TableInfo['columns']): AccessClass {
  const arrays = ['$1::int[]', ...columns.map((_, index) => `$${index + 2}::text[]`)].join(', ')
  const names = ['"#number"', ...columns.map((_, index) => `c${index}`)].join(', ')
  // A cast has the collation of its type.
  const collated = ({ collation }: TableInfo['columns'][number]): string =>
    collation ? ` collate ${quoteName(collation.schema, collation.name)}` : ''
  const values = columns.map(
    (column, index) => `u.c${index}::${column.typeName}${collated(column)} as ${quoteIdentifier(column.name)}`,
  )
  return {
    link: undefined,
    condition,
    query: `select r."#number" as number from (select ${['u."#number"', ...values].join(', ')} from unnest(${arrays}) as u (${names})) as ${ROW_ALIAS} where ${condition}`,
  }
}

/** The same, reading the table: for reports, because it is more expensive. */
export function classKeyQuery(
  table: { readonly schema: string; readonly name: string },
  keys: readonly KeyExpression[],
  { condition, link }: AccessClass,
): string {
  const linked = keys.slice(0, link?.keys ?? 0).map((key, index) => ` and (${key.sql})::text = q.k${index}`)
  const from = `${link ? `(${link.query}) as q, ` : ''}${quoteName(table.schema, table.name)} as ${ROW_ALIAS}`
  const where = `${condition}${linked.join('')}`
  if (keys.length === 0) return `select true as granted from ${from} where ${where} limit 1`
  return `select distinct ${keys.map((key, index) => `(${key.sql})::text as k${index}`).join(', ')} from ${from} where ${where}`
}

/** Values are sent as text and cast to their types as the user. */
function checkUsage(columns: TableInfo['columns'], role: number, catalog: PolicyCatalog): void {
  const person = catalog.role(role)
  for (const column of columns) {
    for (const [what, schema] of [
      ['type', catalog.type(column.typeOid)?.schema],
      ['collation', column.collation?.schema],
    ] as const) {
      if (!person || !schema || schema === 'pg_catalog' || person.schemas.includes(schema)) continue
      throw new Refusal(
        `the role ${person.name} has no USAGE on the schema ${schema} of the ${what} of ${column.name}, which its policies read`,
        'role',
      )
    }
  }
}

/**
 * The classes of a user are evaluated when the user's facts or a table the condition reads change, but not at times given by the row. Refuses such conditions.
 */
function checkRowClock(atom: Expr, catalog: PolicyCatalog): void {
  if (isRowOnly(surveyExpr(atom, catalog))) clockComparisonsIn(atom, catalog)
  walkExpr(atom, {
    expr: (inner) => {
      if (inner.kind !== 'operator') return
      if (solveClock(inner, catalog)?.values.some((value) => readsOf(value).size > 0)) refuseClock()
    },
  })
}

/** Refuses a row condition whose value may depend on more than the row. */
function checkSettled(atom: Expr, catalog: PolicyCatalog): void {
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
        `a condition on the row depends on settings of the session, such as its time zone, or on a function that is not immutable: ${INSTEAD_OF_SESSION}`,
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
