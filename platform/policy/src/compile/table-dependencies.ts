import type { TableInfo } from '../catalog/policy-input.ts'
import type { Dependency } from '../plan.ts'
import { Refusal, refuse } from '../refusal.ts'
import { convertQuery } from '../syntax/convert-query.ts'
import { convertExpr, createScope } from '../syntax/convert.ts'
import { conjuncts, type Expr } from '../syntax/expression.ts'
import { parsePolicyExpression, parseViewDefinition } from '../syntax/parse.ts'
import { walkExpr, walkQuery } from '../syntax/walk.ts'
import { type Pinned, pinOf } from './dependency-pin.ts'
import { eitherWay, type Reader, type Visit } from './dependency-reading.ts'
import { visitCall } from './function-dependencies.ts'
import { applicablePolicies, checkFollowable, checkRights, isExempt } from './table-access.ts'

/** Records a table, and visits its policies or, for views, the query. */
export function visitTable(
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
    for (const expr of exprs) visit.follow.expr(expr, inside, visit.found, catalog, { table, pinned })
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

/** Visits a view with its owner's rights; its functions still run as the caller. */
function visitView(view: TableInfo, reader: Reader, visit: Visit): void {
  const { catalog } = visit
  const label = `${view.schema}.${view.name}`
  if (reader.functions.includes(`view ${label}`)) refuse(`the view ${label} reads itself`)
  const role = catalog.role(reader.role)
  if (!role?.superuser && view.selectable[String(reader.role)] === undefined)
    throw new Refusal(`the role ${role?.name ?? reader.role} may not read the view ${label}`, 'role')
  const owner = view.view?.securityInvoker ? reader.role : view.owner
  const functions = [...reader.functions, `view ${label}`]
  // Tables use the owner's rights, functions the caller's: tables read by either are watched.
  for (const one of new Set([owner, reader.role])) {
    const scope = {
      ...createScope(catalog, reader.role, undefined, new Set<string>()),
      searchPath: reader.searchPath,
      functions,
      inline: false,
    }
    const query = convertQuery(parseViewDefinition(view.view?.definition ?? ''), scope)
    const rights = view.view?.securityInvoker ? reader.rights : 'mixed'
    if (one === owner) visit.follow.query(query, { ...reader, role: owner, rights, functions }, visit.found, catalog)
    else {
      walkQuery(query, {
        expr: (expr) =>
          expr.kind === 'call' && visitCall(expr, { ...reader, functions }, { ...visit, columns: new Map() }),
      })
    }
  }
}
