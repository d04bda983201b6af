import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { FunctionInfo, TableInfo } from '../catalog/policy-input.ts'
import type { Dependency, KeyFunction } from '../plan.ts'
import { Refusal, refuse } from '../refusal.ts'
import { convertExpr, createScope } from '../syntax/convert.ts'
import {
  isClaimFunction,
  isFollowed,
  isSubscriptionFunction,
  ownSearchPath,
  queriesOfFunction,
} from '../syntax/convert-call.ts'
import {
  conjuncts,
  createRights,
  type Expr,
  type From,
  parseRights,
  type Query,
  type Rights,
} from '../syntax/expression.ts'
import { parsePolicyExpression, parseViewDefinition } from '../syntax/parse.ts'
import { opaque, type Scope } from '../syntax/scope.ts'
import { isClock, readsClock, refuseClock } from '../syntax/clock.ts'
import { functionsOf, operatorsOf } from '../syntax/typing.ts'
import { childrenOf, walkExpr, walkQuery } from '../syntax/walk.ts'
import { checkLimit, hasEqualRows, isOrderedWhole, openJoins, returnsOneRow, withoutLimit } from './from.ts'
import { clockDependency, type ClockedNames, type ClockedTable, NO_NAMES, rangesIn } from './clock-dependencies.ts'
import { type Pinned, pinOf } from './dependency-pin.ts'
import { mergeDependencies } from './merge-dependencies.ts'
import type { RangeRights } from './opened-conditions.ts'
import { convertQuery } from '../syntax/convert-query.ts'
import { queriesOfProcedure } from './queries-of-procedure.ts'
import { applicablePolicies, checkFollowable, checkRights, isExempt } from './table-access.ts'

/** In place of a table: what is read is no policy but a query, which may read any table and the parameters of a subscription. */
export const NO_TABLE = 0

interface Reader {
  readonly role: number
  /** What functions without a search path of their own run under. */
  readonly searchPath: string
  /** What it reads with. */
  readonly rights: RangeRights
  /** Tables whose policies are being read, outermost first. */
  readonly tables: readonly number[]
  /** Functions being read, outermost first. */
  readonly functions: readonly string[]
}

/** Columns by the alias of their range. */
type ReadColumns = ReadonlyMap<string, ReadonlySet<string>>

/** What a query or condition depends on. */
export interface Dependencies {
  readonly dependencies: readonly Dependency[]
  /** What the values of pins are asked through. */
  readonly keyFunctions: readonly KeyFunction[]
}

/**
 * Everything that a query reads when `role` runs it: its tables, those of the policies that guard them, and those of the functions it calls.
 *
 * @param table - the table whose policy the query was made of: reading it under the same policies would never end; {@link NO_TABLE} for a stream's query
 * @param rights - of the `SECURITY DEFINER` function that the query is a part of; `role` is its owner
 * @throws {Refusal} when something cannot be followed, or the role may not read it
 */
export function dependenciesOfQuery(
  query: Query,
  role: number,
  table: number,
  catalog: PolicyCatalog,
  rights?: Rights,
): Dependencies {
  const searchPath = rights === undefined ? catalog.input.searchPath : parseRights(rights).searchPath
  return collect((found) =>
    visitQueryWhole(query, { role, searchPath, rights, tables: [table], functions: [] }, found, catalog),
  )
}

/** The same for a condition, such as a whole policy. */
export function dependenciesOfExpr(expr: Expr, role: number, table: number, catalog: PolicyCatalog): Dependencies {
  const { searchPath } = catalog.input
  return collect((found) =>
    visitExprWhole(
      expr,
      { role, searchPath, rights: undefined, tables: [table], functions: [] },
      found,
      catalog,
      'own',
    ),
  )
}

/** By their text. */
type Found = Map<string, { readonly dependency: Dependency; readonly keyFunctions: readonly KeyFunction[] }>

function collect(visit: (found: Found) => void): Dependencies {
  const found: Found = new Map()
  visit(found)
  const all = [...found.values()]
  return {
    dependencies: mergeDependencies(all.map(({ dependency }) => dependency)),
    keyFunctions: all.flatMap(({ keyFunctions }) => keyFunctions),
  }
}

function visitQueryWhole(
  query: Query,
  reader: Reader,
  found: Found,
  catalog: PolicyCatalog,
  foreign: ReadonlySet<string> = NO_NAMES.foreign,
): void {
  const columns = new Map<string, Set<string>>()
  walkQuery(query, { expr: (expr) => noteColumn(expr, columns) })
  visitQuery(query, reader, { found, catalog, columns, names: { ranges: new Map(), row: 'unknown', foreign } })
}

function visitExprWhole(
  expr: Expr,
  reader: Reader,
  found: Found,
  catalog: PolicyCatalog,
  row: ClockedNames['row'],
): void {
  const columns = new Map<string, Set<string>>()
  walkExpr(expr, { expr: (inner) => noteColumn(inner, columns) })
  const names = { ranges: new Map(), row, foreign: NO_NAMES.foreign }
  visitExpr(expr, reader, { found, catalog, columns, names })
}

function noteColumn(expr: Expr, columns: Map<string, Set<string>>): void {
  if (expr.kind !== 'column') return
  const known = columns.get(expr.range)
  if (known) known.add(expr.column)
  else columns.set(expr.range, new Set([expr.column]))
}

interface Visit {
  readonly found: Found
  readonly catalog: PolicyCatalog
  readonly columns: ReadColumns
  readonly names: ClockedNames & { readonly ranges: Map<string, ClockedTable> }
}

function visitQuery(query: Query, reader: Reader, visit: Visit): void {
  if (query.limit || query.offset) checkLimit(query, visit.catalog)
  for (const cte of query.ctes) visitQuery(cte.query, reader, visit)
  if (query.setOperation) {
    visitQuery(query.setOperation.left, reader, visit)
    visitQuery(query.setOperation.right, reader, visit)
  }
  const { items, conditions } = openJoins(query.from)
  const all = [...conditions, ...conjuncts(query.where)]
  for (const item of items) visitFrom(item, { items, conditions: all }, reader, visit)
  for (const condition of all) visitExpr(condition, reader, visit)
  for (const expr of [
    ...query.targets.map((target) => target.expr),
    ...query.groupBy,
    ...query.orderBy.map((one) => one.expr),
  ]) {
    visitExpr(expr, reader, visit)
  }
  if (query.having) visitExpr(query.having, reader, visit)
}

/** What is around a range. */
interface Around {
  readonly items: readonly From[]
  /** What holds for every row of the query. */
  readonly conditions: readonly Expr[]
}

/** Inside an outer join nothing holds for every row. */
const OUTER_JOIN: Around = { items: [], conditions: [] }

function visitFrom(from: From, around: Around, reader: Reader, visit: Visit): void {
  switch (from.kind) {
    case 'table': {
      const context = { ...around, rights: reader.rights, role: reader.role, catalog: visit.catalog }
      const pinned = pinOf({ alias: from.alias }, context)
      if (!from.table.view) visit.names.ranges.set(from.alias, { table: from.table, pinned })
      return visitTable(from.table, visit.columns.get(from.alias) ?? new Set(), pinned, reader, visit)
    }
    case 'cte':
    case 'key-function':
      return
    case 'query':
      return visitQuery(from.query, reader, visit)
    case 'function':
      return visitExpr(from.call, reader, visit)
    case 'join':
      visitFrom(from.left, OUTER_JOIN, reader, visit)
      visitFrom(from.right, OUTER_JOIN, reader, visit)
      if (from.on) visitExpr(from.on, reader, visit)
  }
}

function visitExpr(expr: Expr, reader: Reader, visit: Visit): void {
  if (expr.kind === 'operator' && readsClock(expr)) {
    const { values, dependency } = clockDependency(expr, visit.names, visit.catalog)
    if (dependency) visit.found.set(JSON.stringify(dependency), { dependency, keyFunctions: [] })
    for (const value of values) visitExpr(value, reader, visit)
    return
  }
  if (isClock(expr)) refuseClock()
  for (const child of childrenOf(expr)) visitExpr(child, reader, visit)
  if (expr.kind === 'call') visitCall(expr, reader, visit)
  if (expr.kind === 'operator' || expr.kind === 'array-operator') visitOperator(expr, reader, visit)
  if (expr.kind !== 'subquery') return
  // What comes out of `exists` is the same whichever rows are left.
  const query = expr.link === 'exists' ? withoutLimit(expr.query) : expr.query
  visitQuery(query, readerAs(expr.as, reader), visit)
}

function readerAs(rights: Rights | undefined, reader: Reader): Reader {
  if (rights === undefined) return reader
  const { owner, searchPath } = parseRights(rights)
  return { ...reader, role: owner, searchPath, rights }
}

function visitCall(call: Extract<Expr, { kind: 'call' }>, reader: Reader, visit: Visit): void {
  if (isSubscriptionFunction(call) && reader.tables.some((table) => table !== NO_TABLE))
    return refuse(
      'a policy that reads what the device asks for (subscription.…) would let it widen what its person may see',
    )
  if (call.schema === 'pg_catalog' || isClaimFunction(call)) return
  const [meant, other] = functionsOf(call, visit.catalog)
  if (!meant || other) return refuse(`which function ${call.schema}.${call.name} means is not certain`)
  if (isFollowed(meant)) visitFunction(call, meant, readerAs(call.as, reader), visit)
}

/** An operator of a person's own is a function too. */
function visitOperator(
  expr: Extract<Expr, { kind: 'operator' | 'array-operator' }>,
  reader: Reader,
  visit: Visit,
): void {
  if (expr.schema === 'pg_catalog') return
  const { catalog } = visit
  const candidates = expr.kind === 'operator' ? operatorsOf(expr, catalog) : catalog.operators(expr.schema, expr.name)
  for (const { code, volatility } of candidates) {
    if (volatility === 'i') continue
    for (const f of catalog.functions(code.schema, code.name)) {
      const args = f.argTypes.map((type, index) => opaque(`argument ${index}`, type))
      const { schema, name } = code
      const call = { kind: 'call', schema, name, args, star: false, distinct: false, as: undefined } as const
      if (f.language !== 'sql' && f.language !== 'plpgsql')
        refuse(`what the operator ${expr.schema}.${expr.name} reads cannot be known: it is written in ${f.language}`)
      if (isFollowed(f)) visitFunction(call, f, reader, visit)
    }
  }
}

function visitFunction(
  call: Extract<Expr, { kind: 'call' }>,
  f: FunctionInfo,
  { role, searchPath, rights, tables, functions }: Reader,
  visit: Visit,
): void {
  const { catalog } = visit
  const label = `${f.schema}.${f.name}`
  if (f.settings.some((setting) => /^(role|session_authorization|row_security)=/.test(setting)))
    refuse(`the function ${label} changes whose rights it runs with`)
  const innerPath = ownSearchPath(f) ?? searchPath
  const inner: Reader = {
    role: f.securityDefiner ? f.owner : role,
    searchPath: innerPath,
    rights: f.securityDefiner ? createRights(f.owner, innerPath) : innerPath === searchPath ? rights : 'mixed',
    tables,
    functions: [...functions, label],
  }
  const again = `${label} again`
  if (functions.includes(again)) return
  if (functions.includes(label)) {
    // What it calls itself with is not what it was called with: read once more, with arguments that nothing is known of.
    const args = call.args.map((_, index) => opaque(`argument ${index}`, f.argTypes[index]))
    const outside = functions.filter((one) => one !== label)
    visitBody(
      { ...call, args },
      f,
      { ...inner, functions: [...outside, again] },
      { role, searchPath, functions: outside },
      visit,
    )
    return
  }
  visitBody(call, f, inner, { role, searchPath, functions }, visit)
  function visitBody(
    called: Extract<Expr, { kind: 'call' }>,
    meant: FunctionInfo,
    bodyReader: Reader,
    caller: { readonly role: number; readonly searchPath: string; readonly functions: readonly string[] },
    { found }: Visit,
  ): void {
    const scope = { ...createScope(catalog, caller.role, undefined, new Set<string>()), ...caller }
    const queries = eitherWay(scope, (one) =>
      meant.language === 'sql'
        ? queriesOfFunction(called, meant, one).map((query) => ({ query, takesFirst: false }))
        : queriesOfProcedure(called, meant, one),
    )
    queries.forEach(({ query, takesFirst }, index) => {
      const isAnswer = meant.language === 'sql' && !meant.returnsSet && index === queries.length - 1
      const first = takesFirst || isAnswer
      if (first && !returnsOneRow(withoutLimit(query), catalog) && !isOrderedWhole(query) && !hasEqualRows(query))
        refuse(`the function ${label} takes the first of several rows, and which one that is is not certain`)
      visitQueryWhole(first ? withoutLimit(query) : query, bodyReader, found, catalog, rangesIn(called.args))
    })
  }
}

/** Functions are put in where that can be, which shows more of whom a change concerns; else they are followed as they are. */
function eitherWay<T>(scope: Scope, convert: (scope: Scope) => T): T {
  try {
    return convert(scope)
  } catch (error) {
    if (!(error instanceof Refusal) || error.scope === 'role') throw error
    return convert({ ...scope, inline: false })
  }
}

function visitTable(
  table: TableInfo,
  columns: ReadonlySet<string>,
  ofQuery: Pinned,
  reader: Reader,
  visit: Visit,
): void {
  const { catalog } = visit
  const label = `${table.schema}.${table.name}`
  if (table.view) return visitView(table, reader, visit)
  checkFollowable(table, label)
  const role = catalog.role(reader.role)
  if (!role?.superuser) checkRights(table, columns, reader.role, label, catalog)
  const read = new Set(columns)
  let pinned = ofQuery
  if (table.rls && !isExempt(table, reader.role, catalog)) {
    if (reader.tables.includes(table.oid))
      refuse(`its policies read ${label}, whose policies lead back to it: Postgres reports infinite recursion`)
    const policies = applicablePolicies(table.oid, reader.role, catalog).filter(({ using }) => using !== null)
    const isOnly = policies.filter(({ permissive }) => permissive).length === 1
    const conditions: Expr[] = []
    const exprs: Expr[] = []
    for (const { using, permissive } of policies) {
      if (using === null) continue
      const scope = {
        ...createScope(catalog, reader.role, table, new Set(['r'])),
        searchPath: reader.searchPath,
        functions: reader.functions,
      }
      const expr = eitherWay(scope, (one) => convertExpr(parsePolicyExpression(using), one))
      walkExpr(expr, { expr: (inner) => inner.kind === 'row' && read.add(inner.column) })
      exprs.push(expr)
      conditions.push(...(isOnly || !permissive ? conjuncts(expr) : []))
    }
    const { rights, role: as } = reader
    if (!pinned.pin) pinned = pinOf('row', { items: [], conditions, rights, role: as, catalog })
    const inside = { ...reader, tables: [...reader.tables, table.oid] }
    for (const expr of exprs) visitExprWhole(expr, inside, visit.found, catalog, { table, pinned })
  }
  const { pin } = pinned
  const calledBy = reader.functions.at(-1)?.replace(/ again$/, '')
  const keyFunctions = pinned.keyFunctions.map((one) => (calledBy === undefined ? one : { calledBy, ...one }))
  if (pin) read.add(pin.column)
  const dependency: Dependency = {
    schema: table.schema,
    name: table.name,
    oid: table.oid,
    columns: [...read].sort(),
    pin,
  }
  visit.found.set(JSON.stringify(dependency), { dependency, keyFunctions })
}

/** A view that runs with its owner's rights; its functions still run as the caller. */
function visitView(view: TableInfo, reader: Reader, visit: Visit): void {
  const { catalog } = visit
  const label = `${view.schema}.${view.name}`
  if (reader.functions.includes(`view ${label}`)) refuse(`the view ${label} reads itself`)
  const role = catalog.role(reader.role)
  if (!role?.superuser && view.selectable[String(reader.role)] === undefined)
    throw new Refusal(`the role ${role?.name ?? reader.role} may not read the view ${label}`, 'role')
  const owner = view.view?.securityInvoker ? reader.role : view.owner
  const functions = [...reader.functions, `view ${label}`]
  // Rights to its tables are the owner's, to its functions the caller's: what is read with either is watched.
  for (const one of new Set([owner, reader.role])) {
    const scope = {
      ...createScope(catalog, reader.role, undefined, new Set<string>()),
      searchPath: reader.searchPath,
      functions,
      inline: false,
    }
    const query = convertQuery(parseViewDefinition(view.view?.definition ?? ''), scope)
    const rights = view.view?.securityInvoker ? reader.rights : 'mixed'
    if (one === owner) visitQueryWhole(query, { ...reader, role: owner, rights, functions }, visit.found, catalog)
    else {
      walkQuery(query, {
        expr: (expr) =>
          expr.kind === 'call' && visitCall(expr, { ...reader, functions }, { ...visit, columns: new Map() }),
      })
    }
  }
}
