import type { JoinExpr, Node, RangeFunction, RangeSubselect, RangeVar, SelectStmt, WithClause } from 'libpg-query'
import { convertArguments } from './convert-arguments.ts'
import { Refusal, refuse } from '../refusal.ts'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { TableInfo } from '../catalog/policy-input.ts'
import {
  type CommonTable,
  conjunction,
  EMPTY_QUERY,
  isSingleRow,
  type Expr,
  type From,
  type Query,
} from './expression.ts'
import { dependsOnRow, queryOfFunction } from './convert-call.ts'
import { checkDisclosed, freshAlias, type Range, type RangeColumn, type Scope, tableColumns } from './scope.ts'
import { need } from './names.ts'
import { parseViewDefinition } from './parse.ts'
import { elementOf, functionsOf, typeOf } from './typing.ts'
import { walkExpr } from './walk.ts'

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

/** Converts a `SELECT` to a query with resolved names. */
export function convertQuery(node: Node, outer: Scope): Query {
  if (!('SelectStmt' in node)) return refuse('a statement that is not a SELECT')
  return convertSelect(node.SelectStmt, outer)
}

function convertSelect(select: SelectStmt, outer: Scope): Query {
  if (select.lockingClause || select.intoClause) return refuse('a SELECT that locks rows or makes a table')
  if (select.windowClause) return refuse('window functions are not followed')
  if (select.valuesLists) return refuse('VALUES is not followed')
  if (select.limitOption === 'LIMIT_OPTION_WITH_TIES') return refuse('LIMIT WITH TIES is not followed')
  const { scope: scopeWithCtes, ctes } = convertCtes(select.withClause, outer)
  const query: Mutable<Query> = { ...EMPTY_QUERY, ctes }
  let inner = scopeWithCtes
  if (select.op && select.op !== 'SETOP_NONE') {
    const left = convertSelect(select.larg ?? refuse('an incomplete set operation'), scopeWithCtes)
    const right = convertSelect(select.rarg ?? refuse('an incomplete set operation'), scopeWithCtes)
    query.setOperation = {
      sql: `${select.op.replace('SETOP_', '').toLowerCase()}${select.all ? ' all' : ''}`,
      left,
      right,
    }
  } else {
    const ranges: Range[] = []
    inner = { ...scopeWithCtes, levels: [ranges, ...scopeWithCtes.levels] }
    query.from = (select.fromClause ?? []).map((from) => convertFrom(from, inner, ranges))
    query.where = select.whereClause && inner.convert.expr(select.whereClause, inner)
    query.having = select.havingClause && inner.convert.expr(select.havingClause, inner)
    query.groupBy = (select.groupClause ?? []).map((item) => inner.convert.expr(item, inner))
    query.distinct = isDistinct(select.distinctClause)
    const body = functionAsQuery(select, query, inner)
    if (body) return body
    query.targets = (select.targetList ?? []).flatMap(
      (target) => expandStar(target, ranges) ?? [convertTarget(target, inner)],
    )
  }
  query.orderBy = (select.sortClause ?? []).map((item) => convertSort(item, inner))
  // `LIMIT ALL` is a NULL.
  query.limit = select.limitCount && inner.convert.expr(select.limitCount, inner)
  query.offset = select.limitOffset && inner.convert.expr(select.limitOffset, inner)
  return query
}

/** Converts `SELECT f(row.column)` of a set-returning SQL function to the function's query. */
function functionAsQuery(select: SelectStmt, query: Query, scope: Scope): Query | undefined {
  const [target, second] = select.targetList ?? []
  if (!scope.inline) return undefined
  if (!target || second || !isSingleRow(query) || query.distinct || select.limitCount || select.limitOffset)
    return undefined
  const call =
    'ResTarget' in target && target.ResTarget.val && 'FuncCall' in target.ResTarget.val
      ? target.ResTarget.val.FuncCall
      : undefined
  if (!call) return undefined
  const name = (call.funcname ?? []).map((part) => ('String' in part ? (part.String.sval ?? '') : ''))
  if (name.length !== 2) return undefined
  const args = convertArguments(call, name[0] ?? '', name[1] ?? '', scope)
  if (!dependsOnRow(args)) return undefined
  const converted = {
    kind: 'call',
    schema: name[0] ?? '',
    name: name[1] ?? '',
    args,
    star: false,
    distinct: false,
    as: scope.as,
  } as const
  const [meant, other] = functionsOf(converted, scope.catalog)
  if (!meant || other || !meant.returnsSet || meant.language !== 'sql') return undefined
  if (meant.securityDefiner)
    return refuse(`the set-returning security definer function ${meant.schema}.${meant.name} depends on the row`)
  const role = scope.catalog.role(scope.role)
  if (!role?.superuser && !meant.executableBy.includes(scope.role)) return undefined // refused as a call
  if (meant.strict || meant.settings.some((setting) => !setting.startsWith('search_path='))) return undefined
  return queryOfFunction(converted, meant, scope)
}

function isDistinct(clause: readonly Node[] | undefined): boolean {
  if (!clause || clause.length === 0) return false
  return clause.every((item) => Object.keys(item).length === 0) || refuse('DISTINCT ON is not followed')
}

/** Expands `*` and `range.*`, which PL/pgSQL keeps as written. */
function expandStar(node: Node, ranges: readonly Range[]): Query['targets'] | undefined {
  const val = 'ResTarget' in node ? node.ResTarget.val : undefined
  const fields = val && 'ColumnRef' in val ? (val.ColumnRef.fields ?? []) : []
  const [first, second] = fields
  const star = second ?? first
  if (!star || !('A_Star' in star) || fields.length > 2) return undefined
  const name = second && first && 'String' in first ? first.String.sval : undefined
  const meant = name === undefined ? ranges : ranges.filter((range) => range.name === name)
  return meant.flatMap((range) =>
    [...range.columns].map(([label, column]) => ({
      expr: { kind: 'column' as const, range: range.alias, ...column },
      name: label,
    })),
  )
}

function convertTarget(node: Node, scope: Scope): Query['targets'][number] {
  if (!('ResTarget' in node)) return refuse('an incomplete parse tree')
  const expr = scope.convert.expr(need(node.ResTarget.val), scope)
  return { expr, name: node.ResTarget.name ?? (expr.kind === 'column' || expr.kind === 'row' ? expr.column : '') }
}

function convertSort(node: Node, scope: Scope): Query['orderBy'][number] {
  if (!('SortBy' in node) || node.SortBy.sortby_dir === 'SORTBY_USING') return refuse('ORDER BY USING is not followed')
  const direction = node.SortBy.sortby_dir === 'SORTBY_DESC' ? ' desc' : ''
  const nulls = { SORTBY_NULLS_FIRST: ' nulls first', SORTBY_NULLS_LAST: ' nulls last' } as Readonly<
    Record<string, string>
  >
  return {
    expr: scope.convert.expr(need(node.SortBy.node), scope),
    suffix: `${direction}${nulls[node.SortBy.sortby_nulls ?? ''] ?? ''}`,
  }
}

function convertCtes(
  clause: WithClause | undefined,
  outer: Scope,
): { readonly scope: Scope; readonly ctes: readonly CommonTable[] } {
  let scope = outer
  const ctes: CommonTable[] = []
  for (const node of clause?.ctes ?? []) {
    if (!('CommonTableExpr' in node)) return refuse('an incomplete parse tree')
    const cte = node.CommonTableExpr
    if (!cte.ctename || !cte.ctequery || !('SelectStmt' in cte.ctequery))
      return refuse('WITH over something else than a SELECT is not followed')
    if (cte.search_clause || cte.cycle_clause) return refuse('SEARCH and CYCLE are not followed')
    const alias = freshAlias(outer.aliases, cte.ctename)
    const names = (cte.aliascolnames ?? []).map((part) => ('String' in part ? (part.String.sval ?? '') : ''))
    const first = cte.ctequery.SelectStmt
    const recursive =
      (clause?.recursive ?? false) && first.op !== undefined && first.op !== 'SETOP_NONE' && first.larg !== undefined
    let columns: ReadonlyMap<string, RangeColumn>
    if (recursive && first.larg) {
      columns = renamed(outputColumns(convertSelect(first.larg, scope), scope.catalog), names)
      scope = { ...scope, ctes: new Map(scope.ctes).set(cte.ctename, { alias, columns }) }
    }
    const query = convertSelect(first, scope)
    columns = renamed(outputColumns(query, scope.catalog), names)
    scope = { ...scope, ctes: new Map(scope.ctes).set(cte.ctename, { alias, columns }) }
    ctes.push({ name: alias, recursive, columns: [...columns.keys()], query })
  }
  return { scope, ctes }
}

/** Returns a query's output columns by name. */
export function outputColumns(query: Query, catalog: PolicyCatalog): ReadonlyMap<string, RangeColumn> {
  if (query.setOperation) {
    const left = outputColumns(query.setOperation.left, catalog)
    const right = [...outputColumns(query.setOperation.right, catalog).values()]
    return new Map(
      [...left].map(([name, column], index) => {
        const other = right[index]
        return [
          name,
          {
            ...column,
            type: other?.type === column.type ? column.type : undefined,
            nondeterministic: column.nondeterministic || (other?.nondeterministic ?? true),
          },
        ]
      }),
    )
  }
  const columns = new Map<string, RangeColumn>()
  query.targets.forEach((target, index) => {
    const name = target.name && !columns.has(target.name) ? target.name : `?column${index}?`
    columns.set(name, {
      column: name,
      type: typeOf(target.expr, catalog),
      nondeterministic: isNondeterministic(target.expr),
    })
  })
  return columns
}

/** Whether comparing such values may treat different texts as equal. */
export function isNondeterministic(expr: Expr): boolean {
  let found = false
  walkExpr(expr, {
    expr: (inner) => {
      if ((inner.kind === 'column' || inner.kind === 'row') && inner.nondeterministic) found = true
      if (inner.kind === 'collate' && inner.schema !== 'pg_catalog') found = true
    },
  })
  return found
}

/** Applies column aliases in order; further columns keep their names. */
function renamed(
  columns: ReadonlyMap<string, RangeColumn>,
  names: readonly string[],
): ReadonlyMap<string, RangeColumn> {
  return new Map(
    [...columns].map(([name, column], index) => {
      const alias = names[index] ?? name
      return [alias, { ...column, column: alias }]
    }),
  )
}

function convertFrom(node: Node, scope: Scope, ranges: Range[]): From {
  if ('RangeVar' in node) return convertTable(node.RangeVar, scope, ranges)
  if ('JoinExpr' in node) return convertJoin(node.JoinExpr, scope, ranges)
  if ('RangeSubselect' in node) return convertFromQuery(node.RangeSubselect, scope, ranges)
  if ('RangeFunction' in node) return convertFromFunction(node.RangeFunction, scope, ranges)
  return refuse(`${Object.keys(node)[0] ?? '?'} in FROM is not followed`)
}

function aliasColumns(alias: { colnames?: Node[] } | undefined): readonly string[] {
  return (alias?.colnames ?? []).map((part) => ('String' in part ? (part.String.sval ?? '') : ''))
}

function convertTable(node: RangeVar, scope: Scope, ranges: Range[]): From {
  const relation = node.relname ?? refuse('a table without a name')
  const name = node.alias?.aliasname ?? relation
  const alias = freshAlias(scope.aliases, name)
  const names = aliasColumns(node.alias)
  if (node.schemaname === undefined) {
    const cte = scope.ctes.get(relation) ?? refuse(`it reads the system catalog (${relation})`)
    if (names.length > 0) return refuse('column aliases of a WITH query are not followed')
    ranges.push({ name, alias, columns: cte.columns })
    return { kind: 'cte', name: cte.alias, alias }
  }
  const table =
    scope.catalog.table(node.schemaname, relation) ??
    refuse(`it reads ${node.schemaname}.${relation}, which is no table of the database`)
  checkDisclosed(table.schema, table.name, scope)
  if (table.view?.securityInvoker) return convertView(table, name, alias, names, scope, ranges)
  const columns = [...tableColumns(table)]
  ranges.push({ name, alias, columns: new Map(columns.map(([real, column], index) => [names[index] ?? real, column])) })
  return { kind: 'table', table, only: node.inh !== true, alias }
}

/** Inlines a view with caller's rights as its query. */
function convertView(
  view: TableInfo,
  name: string,
  alias: string,
  names: readonly string[],
  scope: Scope,
  ranges: Range[],
): From {
  const label = `${view.schema}.${view.name}`
  const role = scope.catalog.role(scope.role)
  if (!role?.superuser && view.selectable[String(scope.role)] === undefined)
    throw new Refusal(`the role ${role?.name ?? scope.role} may not read the view ${label}`, 'role')
  if (scope.functions.includes(`view ${label}`)) return refuse(`the view ${label} reads itself`)
  const node = parseViewDefinition(view.view?.definition ?? '')
  const query = convertQuery(node, {
    ...scope,
    levels: [],
    ctes: new Map(),
    row: undefined,
    call: undefined,
    functions: [...scope.functions, `view ${label}`],
  })
  const own = [...outputColumns(query, scope.catalog).values()]
  const columns = view.columns.map((column, index) => {
    const given = names[index] ?? column.name
    return [given, { ...(own[index] ?? { type: column.typeOid, nondeterministic: true }), column: given }] as const
  })
  ranges.push({ name, alias, columns: new Map(columns) })
  return { kind: 'query', query, lateral: false, alias, columns: columns.map(([given]) => given) }
}

function convertJoin(node: JoinExpr, scope: Scope, ranges: Range[]): From {
  if (node.alias || node.join_using_alias) return refuse('an alias of a whole join is not followed')
  if (node.isNatural) return refuse('NATURAL JOIN is not followed')
  const before = ranges.length
  const left = convertFrom(need(node.larg), scope, ranges)
  const middle = ranges.length
  const right = convertFrom(need(node.rarg), scope, ranges)
  const types = { JOIN_INNER: 'inner', JOIN_LEFT: 'left', JOIN_RIGHT: 'right', JOIN_FULL: 'full' } as const
  const type = types[node.jointype as keyof typeof types] ?? refuse('an unknown join')
  const using = (node.usingClause ?? []).map((part): Expr => {
    const name = 'String' in part ? (part.String.sval ?? '') : ''
    return {
      kind: 'operator',
      schema: 'pg_catalog',
      name: '=',
      left: usingColumn(name, ranges.slice(before, middle)),
      right: usingColumn(name, ranges.slice(middle)),
    }
  })
  const on = node.quals ? scope.convert.expr(node.quals, scope) : conjunction(using)
  return {
    kind: 'join',
    type,
    left,
    right,
    on: on ?? (type === 'inner' ? undefined : { kind: 'constant', sql: 'true', type: 16 }),
  }
}

function usingColumn(name: string, ranges: readonly Range[]): Expr {
  const matches = ranges.flatMap((range) => {
    const column = range.columns.get(name)
    return column ? [{ kind: 'column', range: range.alias, ...column } as const] : []
  })
  if (matches.length !== 1) return refuse(`the column ${name} of JOIN USING is not one of one table`)
  return matches[0] ?? refuse('unreachable')
}

function convertFromQuery(node: RangeSubselect, scope: Scope, ranges: Range[]): From {
  const lateral = node.lateral ?? false
  const query = convertQuery(need(node.subquery), lateral ? scope : { ...scope, levels: scope.levels.slice(1) })
  const columns = renamed(outputColumns(query, scope.catalog), aliasColumns(node.alias))
  const name = node.alias?.aliasname ?? 'subquery'
  const alias = freshAlias(scope.aliases, name)
  ranges.push({ name, alias, columns })
  return { kind: 'query', query, lateral, alias, columns: [...columns.keys()] }
}

function convertFromFunction(node: RangeFunction, scope: Scope, ranges: Range[]): From {
  const [only, second] = node.functions ?? []
  if (!only || second || node.coldeflist || node.is_rowsfrom)
    return refuse('ROWS FROM and column definitions are not followed')
  const [callNode] = 'List' in only ? (only.List.items ?? []) : [only]
  const call = scope.convert.expr(need(callNode), scope)
  if (call.kind !== 'call') return refuse('only a function call is followed in FROM')
  const given = aliasColumns(node.alias)
  const names = given.length > 0 ? given : functionColumnNames(call, node.alias?.aliasname ?? call.name, scope.catalog)
  const nondeterministic = isNondeterministic(call)
  const types = functionColumnTypes(call, scope.catalog)
  const columns = new Map(names.map((name, index) => [name, { column: name, type: types[index], nondeterministic }]))
  const name = node.alias?.aliasname ?? call.name
  const alias = freshAlias(scope.aliases, name)
  ranges.push({ name, alias, columns })
  return {
    kind: 'function',
    call,
    ordinality: node.ordinality ?? false,
    lateral: node.lateral ?? false,
    alias,
    columns: names,
  }
}

function functionColumnNames(
  call: Extract<Expr, { kind: 'call' }>,
  alias: string,
  catalog: PolicyCatalog,
): readonly string[] {
  const [meant, other] = functionsOf(call, catalog)
  if (!meant || other) return [alias]
  if (meant.outColumns.length > 0) return meant.outColumns.map((column) => column.name)
  return catalog.tableOfType(meant.returnType)?.columns.map((column) => column.name) ?? [alias]
}

function functionColumnTypes(
  call: Extract<Expr, { kind: 'call' }>,
  catalog: PolicyCatalog,
): readonly (number | undefined)[] {
  const [meant, other] = functionsOf(call, catalog)
  if (!meant || other) return []
  if (meant.schema === 'pg_catalog' && meant.name === 'unnest')
    return [elementOf(call.args[0] && typeOf(call.args[0], catalog), catalog)]
  if (meant.outColumns.length > 0) return meant.outColumns.map((column) => column.typeOid)
  const table = catalog.tableOfType(meant.returnType)
  return table ? table.columns.map((column) => column.typeOid) : [typeOf(call, catalog)]
}
