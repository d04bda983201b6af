import type { Node } from 'libpg-query'
import { Refusal } from './refusal.ts'
import { parsePolicyExpression } from './syntax/parse.ts'

/**
 * Forms of a policy condition by what it reads: the row alone; the claims alone; both by equality, by a set (`IN (SELECT …)`), by `EXISTS`, by another
 * subquery, by another comparison; a user-defined function; any of them negated.
 */
export type PolicyForm =
  | 'row filter'
  | 'claims'
  | 'equality'
  | 'comparison'
  | 'set'
  | 'EXISTS'
  | 'subquery'
  | 'function'
  | 'negation'

const ORDER: readonly PolicyForm[] = [
  'row filter',
  'claims',
  'equality',
  'comparison',
  'set',
  'EXISTS',
  'subquery',
  'function',
  'negation',
]

/** Findings in a condition. */
interface Found {
  row: boolean
  claims: boolean
  equality: boolean
  readonly forms: Set<PolicyForm>
}

type Tree = Readonly<Record<string, unknown>>

/**
 * Classifies a policy's condition for reports, in fixed order. Compilation is decided elsewhere.
 *
 * @param using - from `pg_get_expr`
 */
export function policyForms(using: string): readonly PolicyForm[] {
  const forms = new Set<PolicyForm>()
  for (const atom of atomsOf(parsed(using), forms)) {
    const found: Found = { row: false, claims: false, equality: false, forms }
    const before = forms.size
    look(atom as unknown as Tree, found, 0)
    if (found.row && found.claims) forms.add(found.equality ? 'equality' : 'comparison')
    else if (forms.size > before) continue
    else if (found.row) forms.add('row filter')
    else if (found.claims) forms.add('claims')
  }
  return ORDER.filter((form) => forms.has(form))
}

/** Reports include refused policies. */
function parsed(using: string): Node {
  try {
    return parsePolicyExpression(using)
  } catch (error) {
    if (error instanceof Refusal) return { A_Const: { isnull: true } }
    throw error
  }
}

function atomsOf(node: Node, forms: Set<PolicyForm>): readonly Node[] {
  if (!('BoolExpr' in node)) return [node]
  if (node.BoolExpr.boolop === 'NOT_EXPR') forms.add('negation')
  return (node.BoolExpr.args ?? []).flatMap((arg) => atomsOf(arg, forms))
}

/** @param depth - of subqueries reading tables, in which columns are usually theirs */
function look(value: unknown, found: Found, depth: number): void {
  if (Array.isArray(value)) {
    for (const item of value) look(item, found, depth)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [kind, inner] of Object.entries(value as Tree)) {
    let next = depth
    if (kind === 'ColumnRef' && depth === 0) found.row = true
    if (kind === 'A_Expr' && depth === 0 && isEquality(inner as Tree)) found.equality = true
    if (kind === 'FuncCall') lookAtCall(inner as Tree, found, depth)
    if (kind === 'SQLValueFunction' && depth === 0) found.claims = true
    if (kind === 'SubLink' && readsTables(inner as Tree)) {
      next = depth + 1
      if (depth === 0) found.forms.add(formOfSubquery(inner as Tree))
    }
    if (kind === 'SubLink' && next > depth) {
      look((inner as Tree)['testexpr'], { ...found, forms: new Set() }, depth)
      look((inner as Tree)['subselect'], found, next)
    } else look(inner, found, next)
  }
}

function isEquality(expr: Tree): boolean {
  const operators = JSON.stringify(expr['name'] ?? [])
  return operators.includes('"="') && expr['kind'] !== 'AEXPR_OP_ALL'
}

function lookAtCall(call: Tree, found: Found, depth: number): void {
  const names = ((call['funcname'] ?? []) as readonly Tree[]).map((part) => String((part['String'] as Tree)['sval']))
  const [schema] = names.length > 1 ? names : ['pg_catalog']
  const name = names.at(-1)
  if (schema === 'auth' || name === 'current_setting') {
    if (depth === 0) found.claims = true
  } else if (schema !== 'pg_catalog') found.forms.add('function')
}

function readsTables(link: Tree): boolean {
  return JSON.stringify(link['subselect'] ?? {}).includes('"RangeVar"')
}

function formOfSubquery(link: Tree): PolicyForm {
  if (link['subLinkType'] === 'EXISTS_SUBLINK') return 'EXISTS'
  return link['subLinkType'] === 'ANY_SUBLINK' || link['subLinkType'] === 'ARRAY_SUBLINK' ? 'set' : 'subquery'
}
