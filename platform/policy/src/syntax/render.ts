import { quoteIdentifier, quoteName } from '@holdfast/postgres'
import { assert } from '@holdfast/foundation'
import type { Expr, From, Query } from './expression.ts'

/** Alias of the row in row expressions. */
export const ROW_ALIAS = 'r'

/** Renders an expression with all operators in parentheses. */
export function renderExpr(expr: Expr): string {
  switch (expr.kind) {
    case 'row':
      return `${ROW_ALIAS}.${quoteIdentifier(expr.column)}`
    case 'column':
      return `${alias(expr.range)}.${alias(expr.column)}`
    case 'constant':
      return expr.sql
    case 'cast':
      return `(${renderExpr(expr.arg)})::${expr.sql}`
    case 'operator': {
      const right = `${renderOperator(expr)} ${renderExpr(expr.right)}`
      return expr.left ? `(${renderExpr(expr.left)} ${right})` : `(${right})`
    }
    case 'array-operator':
      return `(${renderExpr(expr.left)} ${renderOperator(expr)} ${expr.quantifier} (${renderArray(expr.right)}))`
    case 'call':
      return `${renderCallee(expr)}(${expr.star ? '*' : `${expr.distinct ? 'distinct ' : ''}${expr.args.map(renderExpr).join(', ')}`})`
    case 'and':
    case 'or':
      return `(${expr.args.map(renderExpr).join(` ${expr.kind} `)})`
    case 'not':
      return `(not ${renderExpr(expr.arg)})`
    case 'test':
      return `(${renderExpr(expr.arg)} ${expr.test})`
    case 'special':
      return renderSpecial(expr)
    case 'case':
      return `(case ${expr.arg ? `${renderExpr(expr.arg)} ` : ''}${expr.whens
        .map((branch) => `when ${renderExpr(branch.when)} then ${renderExpr(branch.value)} `)
        .join('')}${expr.otherwise ? `else ${renderExpr(expr.otherwise)} ` : ''}end)`
    case 'subscript':
      return `(${renderExpr(expr.arg)})${expr.indexes.map((index) => `[${renderExpr(index)}]`).join('')}`
    case 'collate':
      return `(${renderExpr(expr.arg)} collate ${quoteName(expr.schema, expr.name)})`
    case 'keyword':
      return expr.name
    case 'strict':
      return `(case when ${expr.guards.map((guard) => `(${renderExpr(guard)} is not null)`).join(' and ')} then ${renderExpr(expr.body)} end)`
    case 'subquery':
      return renderSubquery(expr)
  }
}

export function renderQuery(query: Query): string {
  const parts: string[] = []
  if (query.ctes.length > 0) {
    const recursive = query.ctes.some((cte) => cte.recursive) ? 'recursive ' : ''
    parts.push(
      `with ${recursive}${query.ctes.map((cte) => `${alias(cte.name)}(${cte.columns.map(alias).join(', ')}) as (${renderQuery(cte.query)})`).join(', ')}`,
    )
  }
  if (query.setOperation) {
    const { left, right, sql } = query.setOperation
    parts.push(`(${renderQuery(left)}) ${sql} (${renderQuery(right)})`)
  } else {
    const targets = query.targets.map(
      (target) => `${renderExpr(target.expr)}${target.name ? ` as ${alias(target.name)}` : ''}`,
    )
    parts.push(['select', query.distinct ? 'distinct' : '', targets.join(', ')].filter(Boolean).join(' '))
    if (query.from.length > 0) parts.push(`from ${query.from.map(renderFrom).join(', ')}`)
    if (query.where) parts.push(`where ${renderTop(query.where)}`)
    if (query.groupBy.length > 0) parts.push(`group by ${query.groupBy.map(renderExpr).join(', ')}`)
    if (query.having) parts.push(`having ${renderExpr(query.having)}`)
  }
  if (query.orderBy.length > 0)
    parts.push(`order by ${query.orderBy.map((item) => `${renderExpr(item.expr)}${item.suffix}`).join(', ')}`)
  if (query.limit) parts.push(`limit ${renderExpr(query.limit)}`)
  if (query.offset) parts.push(`offset ${renderExpr(query.offset)}`)
  return parts.join(' ')
}

export function renderFrom(from: From): string {
  switch (from.kind) {
    case 'table':
      return `${from.only ? 'only ' : ''}${quoteName(from.table.schema, from.table.name)} as ${alias(from.alias)}`
    case 'cte':
      return `${alias(from.name)} as ${alias(from.alias)}`
    case 'query':
      return `${from.lateral ? 'lateral ' : ''}(${renderQuery(from.query)}) as ${alias(from.alias)}${columnAliases(from.columns)}`
    case 'function':
      return `${from.lateral ? 'lateral ' : ''}${renderExpr(from.call)}${from.ordinality ? ' with ordinality' : ''} as ${alias(from.alias)}${columnAliases(from.columns)}`
    case 'key-function':
      return `${from.name}() as ${alias(from.alias)}${columnAliases(from.columns)}`
    case 'join':
      return `(${renderFrom(from.left)} ${from.on ? `${from.type} join` : 'cross join'} ${renderFrom(from.right)}${from.on ? ` on ${renderExpr(from.on)}` : ''})`
  }
}

/** As {@link renderExpr}, without parentheses around a top-level AND. */
export function renderTop(expr: Expr): string {
  return expr.kind === 'and' ? expr.args.map(renderExpr).join(' and ') : renderExpr(expr)
}

function columnAliases(columns: readonly string[]): string {
  return columns.length > 0 ? `(${columns.map(alias).join(', ')})` : ''
}

const PLAIN = /^[a-z_][a-z0-9_]*$/

/** Omits quotes if no keyword can be meant. */
function alias(name: string): string {
  return PLAIN.test(name) && /_(id|[0-9]+)$|^[kq][0-9]+$/.test(name) ? name : quoteIdentifier(name)
}

function renderOperator(operator: { readonly schema: string; readonly name: string }): string {
  return operator.schema === 'pg_catalog'
    ? operator.name
    : `operator(${quoteIdentifier(operator.schema)}.${operator.name})`
}

/** Renders an array operand: `any ((select …))` would mean the query's rows rather than its array. */
function renderArray(expr: Expr): string {
  return expr.kind === 'subquery' && expr.link === 'scalar' ? `coalesce(${renderExpr(expr)})` : renderExpr(expr)
}

/** Schemas rendered without quotes, for readability. */
const PLAIN_SCHEMAS: ReadonlySet<string> = new Set(['auth', 'holdfast', 'pg_catalog', 'public', 'sync'])

function renderCallee({
  schema,
  name,
  via,
}: {
  readonly schema: string
  readonly name: string
  readonly via?: string
}): string {
  if (via !== undefined) return via
  return `${PLAIN_SCHEMAS.has(schema) ? schema : quoteIdentifier(schema)}.${PLAIN.test(name) ? name : quoteIdentifier(name)}`
}

function renderSpecial(expr: Extract<Expr, { kind: 'special' }>): string {
  const args = expr.args.map(renderExpr)
  switch (expr.form) {
    case 'coalesce':
    case 'greatest':
    case 'least':
    case 'nullif':
      return `${expr.form}(${args.join(', ')})`
    case 'array':
      return `array[${args.join(', ')}]`
    case 'row':
      return `row(${args.join(', ')})`
    case 'is distinct from':
    case 'is not distinct from':
      return `(${args[0]} ${expr.form} ${args[1]})`
  }
}

function renderSubquery(expr: Extract<Expr, { kind: 'subquery' }>): string {
  const query = `(${renderQuery(expr.query)})`
  switch (expr.link) {
    case 'exists':
      return `(exists ${query})`
    case 'scalar':
      return query
    case 'array':
      return `array${query}`
    case 'any':
    case 'all': {
      const tests = expr.tests.map(renderExpr)
      const left = tests.length === 1 ? tests[0] : `(${tests.join(', ')})`
      assert(expr.operator, 'a comparison with a subquery has an operator')
      return `(${left} ${renderOperator(expr.operator)} ${expr.link} ${query})`
    }
  }
}
