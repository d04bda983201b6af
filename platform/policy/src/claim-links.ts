import type { Node, SelectStmt } from 'libpg-query'
import { Refusal } from './refusal.ts'
import { nameParts } from './syntax/names.ts'
import { parsePolicyExpression } from './syntax/parse.ts'
import { splitArms } from './syntax/split-arms.ts'

/** Path of a claim: `['sub']` for `auth.uid()`. */
export type ClaimPath = readonly string[]

interface Claim {
  readonly path: ClaimPath
  readonly isTyped: boolean
}

/** An equality between a claim and a column. */
export interface ClaimComparison {
  readonly claim: ClaimPath
  /** Compared as a number or UUID, which have several text forms. */
  readonly isTyped: boolean
  readonly column: string
  /** The column is an array that contains the claim. */
  readonly isArray: boolean
}

/** A column of the row, or of a table that the condition reads. */
export interface LinkTerm {
  /** Index in {@link TableLink.tables}; `undefined` for the row itself. */
  readonly table: number | undefined
  readonly column: string
}

/** Links row and claims through other tables: rows exist that satisfy all of this. */
export interface TableLink {
  readonly tables: readonly { readonly schema: string; readonly name: string }[]
  readonly equal: readonly (readonly [LinkTerm, LinkTerm])[]
  /** Of a column of one of the tables. */
  readonly comparison: ClaimComparison & { readonly table: number }
}

/** Necessary conditions for a row to concern a user: every user who passes the policy condition is linked by at least one of these. */
export interface ClaimLinks {
  readonly columns: readonly ClaimComparison[]
  /** Claims with a fixed value: users having it may be concerned by every row. */
  readonly values: readonly { readonly claim: ClaimPath; readonly isTyped: boolean; readonly value: string }[]
  readonly tables: readonly TableLink[]
  /** Conditions on the row alone, as printed by Postgres: if one holds, the row may concern everyone. */
  readonly rows: readonly string[]
}

const NONE: ClaimLinks = { columns: [], values: [], tables: [], rows: [] }

/**
 * Derives the links between the rows that a condition permits and the claims of users who may see them. Parts of the condition that are ignored only widen the
 * result, so evaluating linked users is sufficient.
 *
 * @param condition - from `pg_get_expr`, with only `pg_catalog` on the search path
 * @param table - name by which subqueries reference the row
 * @returns `undefined` if a row may concern anyone
 */
export function claimLinksOf(condition: string, table: string): ClaimLinks | undefined {
  try {
    return linksIn(condition, table)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Combines links for a disjunction. */
export function anyOfLinks(links: readonly (ClaimLinks | undefined)[]): ClaimLinks | undefined {
  let all = NONE
  for (const one of links) {
    if (!one) return undefined
    all = {
      columns: [...all.columns, ...one.columns],
      values: [...all.values, ...one.values],
      tables: [...all.tables, ...one.tables],
      rows: [...all.rows, ...one.rows],
    }
  }
  return all
}

/** Chooses links for a conjunction: those with the cheapest lookup. */
export function cheapestLinks(links: readonly (ClaimLinks | undefined)[]): ClaimLinks | undefined {
  const cost = ({ columns, tables, rows }: ClaimLinks): number =>
    tables.length * 100 + rows.length * 10 + columns.length
  return links.filter((one) => one !== undefined).toSorted((left, right) => cost(left) - cost(right))[0]
}

function linksIn(text: string, table: string): ClaimLinks | undefined {
  const node = parsePolicyExpression(text)
  if ('BoolExpr' in node && node.BoolExpr.boolop !== 'NOT_EXPR') {
    const word = node.BoolExpr.boolop === 'AND_EXPR' ? 'AND' : 'OR'
    const arms = splitArms(text, word)
    if (arms.length !== node.BoolExpr.args?.length) return undefined
    const found = arms.map((arm) => linksIn(arm, table))
    if (word === 'OR') return anyOfLinks(found)
    return cheapestLinks(found)
  }
  if (isFalse(node)) return NONE
  const comparison = comparisonIn(node, (column) => (column.length === 1 ? column[0] : undefined))
  if (comparison) return { ...NONE, columns: [comparison] }
  const value = valueIn(node)
  if (value) return { ...NONE, values: [value] }
  if ('SubLink' in node) {
    const link = linkOverTables(node, table)
    return link && { ...NONE, tables: [link] }
  }
  return readsRowOnly(node) ? { ...NONE, rows: [text] } : undefined
}

function isFalse(node: Node): boolean {
  if (!('A_Const' in node)) return false
  return node.A_Const.isnull === true || (node.A_Const.boolval !== undefined && node.A_Const.boolval.boolval !== true)
}

/** `column = claim` in either order, or `claim = any (column)`. */
function comparisonIn(
  node: Node,
  columnOf: (name: readonly string[]) => string | undefined,
): ClaimComparison | undefined {
  if (!('A_Expr' in node)) return undefined
  const { kind, name, lexpr, rexpr } = node.A_Expr
  if (!lexpr || !rexpr || nameParts(name).join('.') !== '=') return undefined
  if (kind === 'AEXPR_OP') return compared(lexpr, rexpr) ?? compared(rexpr, lexpr)
  if (kind !== 'AEXPR_OP_ANY') return undefined
  const claim = claimIn(lexpr)
  const column = 'ColumnRef' in rexpr ? columnOf(nameParts(rexpr.ColumnRef.fields)) : undefined
  return claim && column !== undefined
    ? { claim: claim.path, isTyped: claim.isTyped, column, isArray: true }
    : undefined

  function compared(side: Node, other: Node): ClaimComparison | undefined {
    const cast = uncast(side)
    if (!('ColumnRef' in cast.node) || (cast.type !== undefined && cast.type !== 'text')) return undefined
    const column = columnOf(nameParts(cast.node.ColumnRef.fields))
    const claim = claimIn(other)
    return claim && column !== undefined
      ? { claim: claim.path, isTyped: claim.isTyped, column, isArray: false }
      : undefined
  }
}

/** `claim = 'value'`. */
function valueIn(node: Node): ClaimLinks['values'][number] | undefined {
  if (!('A_Expr' in node) || node.A_Expr.kind !== 'AEXPR_OP') return undefined
  const { name, lexpr, rexpr } = node.A_Expr
  if (nameParts(name).join('.') !== '=' || !lexpr || !rexpr) return undefined
  const claim = claimIn(lexpr)
  const { node: constant, type } = uncast(rexpr)
  if (!claim || type !== (claim.isTyped ? 'uuid' : 'text')) return undefined
  const value = 'A_Const' in constant ? constant.A_Const.sval?.sval : undefined
  return value === undefined ? undefined : { claim: claim.path, isTyped: claim.isTyped, value }
}

/** Strips casts to built-in types. */
function uncast(node: Node): { readonly node: Node; readonly type: string | undefined } {
  if (!('TypeCast' in node) || !node.TypeCast.arg) return { node, type: undefined }
  const parts = nameParts(node.TypeCast.typeName?.names)
  if (parts.length > 1 && parts[0] !== 'pg_catalog') return { node, type: undefined }
  if (node.TypeCast.typeName?.arrayBounds?.length) return { node, type: undefined }
  return { node: node.TypeCast.arg, type: parts.at(-1) }
}

/** Casts that preserve the value, though not its text form. */
const CLAIM_TYPES: ReadonlySet<string | undefined> = new Set([undefined, 'uuid', 'text', 'int4', 'int8'])

/** `auth.uid()`, `auth.jwt() ->> 'a'`, `(auth.jwt() -> 'a') ->> 'b'`, each optionally as `(select …)` and cast. */
function claimIn(given: Node): Claim | undefined {
  const { node, type } = uncast(given)
  if (!CLAIM_TYPES.has(type)) return undefined
  if (type !== undefined) {
    const claim = claimIn(node)
    return claim && { ...claim, isTyped: claim.isTyped || type !== 'text' }
  }
  if ('SubLink' in node) {
    const { subLinkType, subselect } = node.SubLink
    if (subLinkType !== 'EXPR_SUBLINK' || !subselect || !('SelectStmt' in subselect)) return undefined
    const { targetList, ...rest } = subselect.SelectStmt
    const [target] = targetList ?? []
    if (!isPlain(rest, []) || targetList?.length !== 1 || !target || !('ResTarget' in target)) return undefined
    return target.ResTarget.val && claimIn(target.ResTarget.val)
  }
  if (isCall(node, 'auth.uid')) return { path: ['sub'], isTyped: true }
  const path = memberIn(node, '->>')
  return path && { path, isTyped: false }
}

function memberIn(node: Node, operator: '->' | '->>'): ClaimPath | undefined {
  if (!('A_Expr' in node) || node.A_Expr.kind !== 'AEXPR_OP') return undefined
  const { name, lexpr, rexpr } = node.A_Expr
  if (nameParts(name).join('.') !== operator || !lexpr || !rexpr) return undefined
  const { node: key } = uncast(rexpr)
  if (!('A_Const' in key) || key.A_Const.sval?.sval === undefined) return undefined
  const of = claimsIn(lexpr)
  return of && [...of, key.A_Const.sval.sval]
}

function claimsIn(node: Node): ClaimPath | undefined {
  return isCall(node, 'auth.jwt') ? [] : memberIn(node, '->')
}

function isCall(node: Node, name: string): boolean {
  return 'FuncCall' in node && nameParts(node.FuncCall.funcname).join('.') === name && !node.FuncCall.args?.length
}

const IGNORED = ['limitOption', 'op']

/** Whether a SELECT has only these clauses. */
function isPlain(rest: Omit<SelectStmt, 'targetList'>, also: readonly string[]): boolean {
  return (
    (rest.op === undefined || rest.op === 'SETOP_NONE') &&
    Object.keys(rest).every((name) => IGNORED.includes(name) || also.includes(name))
  )
}

/** Nodes that read only the row and call no project code. */
const ROW_NODES: ReadonlySet<string> = new Set([
  'ColumnRef',
  'String',
  'A_Const',
  'A_Expr',
  'A_ArrayExpr',
  'BoolExpr',
  'NullTest',
  'BooleanTest',
  'TypeCast',
  'List',
])

function readsRowOnly(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(readsRowOnly)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, inner]) => {
    const isNode = /^[A-Z]/.test(name)
    if (isNode && !ROW_NODES.has(name)) return false
    if (name === 'A_Expr' && nameParts((inner as { name?: unknown }).name).length !== 1) return false
    return readsRowOnly(inner)
  })
}

/** The tables of a subquery and of nested ones, as one join. */
interface Join {
  readonly row: string
  readonly tables: { readonly schema: string; readonly name: string }[]
  readonly equal: (readonly [LinkTerm, LinkTerm])[]
  readonly comparisons: (ClaimComparison & { readonly table: number })[]
}

type Scope = ReadonlyMap<string, number>

const TABLES_MAX = 8

/** `EXISTS (SELECT …)` and `… IN (SELECT …)`. */
function linkOverTables(node: Node, row: string): TableLink | undefined {
  const join: Join = { row, tables: [], equal: [], comparisons: [] }
  addSubquery(join, node, undefined)
  const [comparison] = join.comparisons
  if (!comparison || join.tables.length > TABLES_MAX) return undefined
  return { tables: join.tables, equal: join.equal, comparison }
}

/** Adds a subquery's requirements. Ignores one it does not understand, which requires less. */
function addSubquery(join: Join, node: Node, outer: Scope | undefined): void {
  if (!('SubLink' in node)) return
  const { subLinkType, subselect, testexpr, operName } = node.SubLink
  const isAny = subLinkType === 'ANY_SUBLINK' && (!operName?.length || nameParts(operName).join('.') === '=')
  if ((subLinkType !== 'EXISTS_SUBLINK' && !isAny) || !subselect || !('SelectStmt' in subselect)) return
  const { targetList = [], fromClause = [], whereClause, ...rest } = subselect.SelectStmt
  if (!isPlain(rest, ['sortClause', 'distinctClause'])) return
  // An aggregate returns a row for empty input.
  if (JSON.stringify(targetList).includes('"FuncCall"')) return
  const scope = new Map(outer)
  const conditions: Node[] = whereClause ? [whereClause] : []
  for (const from of fromClause) addFrom(join, from, scope, conditions)
  const [target] = targetList
  if (isAny && testexpr && target && 'ResTarget' in target && target.ResTarget.val) {
    addEquality(join, testexpr, target.ResTarget.val, outer, scope)
  }
  for (const condition of conditions) addCondition(join, condition, scope)
}

function addFrom(join: Join, from: Node, scope: Map<string, number>, conditions: Node[]): void {
  if ('RangeVar' in from) {
    const { schemaname: schema, relname: name, alias } = from.RangeVar
    if (schema === undefined || name === undefined || alias?.colnames?.length) return
    scope.set(alias?.aliasname ?? name, join.tables.length)
    join.tables.push({ schema, name })
  } else if ('JoinExpr' in from) {
    const { jointype, larg, rarg, quals, alias, usingClause, isNatural } = from.JoinExpr
    if (alias) return
    const isInner = jointype === 'JOIN_INNER'
    if (larg && (isInner || jointype === 'JOIN_LEFT')) addFrom(join, larg, scope, conditions)
    if (!isInner) return
    if (rarg) addFrom(join, rarg, scope, conditions)
    if (quals && !usingClause?.length && !isNatural) conditions.push(quals)
  }
}

function addCondition(join: Join, node: Node, scope: Scope): void {
  if ('BoolExpr' in node && node.BoolExpr.boolop === 'AND_EXPR')
    for (const part of node.BoolExpr.args ?? []) addCondition(join, part, scope)
  else if ('SubLink' in node) addSubquery(join, node, scope)
  else if ('A_Expr' in node && node.A_Expr.kind === 'AEXPR_OP') {
    const { name, lexpr, rexpr } = node.A_Expr
    if (nameParts(name).join('.') !== '=' || !lexpr || !rexpr) return
    if (addEquality(join, lexpr, rexpr, scope, scope)) return
    let table: number | undefined
    const comparison = comparisonIn(node, ([alias = '', column, ...more]) => {
      table = more.length === 0 ? scope.get(alias) : undefined
      return table === undefined ? undefined : column
    })
    if (comparison && table !== undefined) join.comparisons.push({ ...comparison, table })
  }
}

function addEquality(join: Join, left: Node, right: Node, ofLeft: Scope | undefined, ofRight: Scope): boolean {
  const terms = [termIn(join, left, ofLeft), termIn(join, right, ofRight)] as const
  if (!terms[0] || !terms[1]) return false
  join.equal.push([terms[0], terms[1]])
  return true
}

/** @param scope - `undefined` outside subqueries, where columns are unqualified */
function termIn(join: Join, node: Node, scope: Scope | undefined): LinkTerm | undefined {
  if (!('ColumnRef' in node)) return undefined
  const parts = nameParts(node.ColumnRef.fields)
  if (!scope) return parts.length === 1 && parts[0] ? { table: undefined, column: parts[0] } : undefined
  const [alias, column, ...more] = parts
  if (alias === undefined || !column || more.length > 0) return undefined
  const table = scope.get(alias)
  if (table !== undefined) return { table, column }
  return alias === join.row ? { table: undefined, column } : undefined
}
