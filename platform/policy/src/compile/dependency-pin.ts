import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { Dependency, KeyFunction } from '../plan.ts'
import { withCanonicalAliases } from '../syntax/canonical-aliases.ts'
import { isNondeterministic } from '../syntax/convert-query.ts'
import {
  conjunction,
  EMPTY_QUERY,
  type Expr,
  type From,
  isEquality,
  type Query,
  type Rights,
} from '../syntax/expression.ts'
import { renderExpr, renderQuery } from '../syntax/render.ts'
import { elementOf, OID, typeOf } from '../syntax/typing.ts'
import { walkQuery } from '../syntax/walk.ts'
import { asExists, createKeyFunction } from './key-function.ts'
import { canonicalText, familyOf, isCanonicalInStream, type KeyFamily, strip } from './keys.ts'
import { type OpenedConditions, openConditions, type RangeRights } from './opened-conditions.ts'
import { type Survey, surveyExpr, surveyFrom } from './survey.ts'
import { viaFunctionsOf } from './via-functions.ts'

export interface Pinned {
  readonly pin: Dependency['pin']
  /** Key functions used to evaluate the pin. */
  readonly keyFunctions: readonly KeyFunction[]
}

const UNPINNED: Pinned = { pin: undefined, keyFunctions: [] }

/** The range to pin: of a query, or the policy's row. */
export type PinnedRange = { readonly alias: string } | 'row'

export interface PinInput {
  /** Other `FROM` items, with inner joins flattened. */
  readonly items: readonly From[]
  /** Conditions on every relevant row of the range. */
  readonly conditions: readonly Expr[]
  readonly rights: RangeRights
  /** Role that runs parts without explicit rights. */
  readonly role: number
  readonly catalog: PolicyCatalog
}

/**
 * Finds what identifies the users concerned by a range's rows: a column that must equal something about the user. Preferably a claim, which is constant;
 * otherwise values that can be queried without the range from its links to the user.
 *
 * Queried values may change, but only together with another dependency of the query: while a user's values hold, other rows of the range are irrelevant to that
 * user.
 */
export function pinOf(range: PinnedRange, input: PinInput): Pinned {
  const { catalog } = input
  const opened = openConditions(input.items, input.conditions, input.rights, catalog)
  const candidates = opened.conditions.flatMap(({ expr }) => candidatesIn(expr, range, catalog))
  for (const { column, other, kind, family } of candidates) {
    if (kind === 'value' && isClaim(surveyExpr(other, catalog)))
      return { ...UNPINNED, pin: { column, claimSql: canonicalText(renderExpr(other), family) } }
  }
  for (const candidate of candidates) {
    const pinned = pinToValues(candidate, range, opened, input)
    if (pinned) return pinned
  }
  return UNPINNED
}

interface Candidate {
  readonly column: string
  /** `elements`: the column must equal an element of this array. */
  readonly kind: 'value' | 'elements'
  readonly other: Expr
  readonly family: KeyFamily
}

function candidatesIn(condition: Expr, range: PinnedRange, catalog: PolicyCatalog): readonly Candidate[] {
  if (condition.kind === 'array-operator') {
    if (condition.quantifier !== 'any' || !isEquality(condition)) return []
    const type = elementOf(typeOf(condition.right, catalog), catalog)
    return candidate(condition.left, condition.right, 'elements', type, range, catalog)
  }
  if (condition.kind !== 'operator' || !isEquality(condition) || !condition.left) return []
  const { left, right } = condition
  return [
    ...candidate(left, right, 'value', typeOf(right, catalog), range, catalog),
    ...candidate(right, left, 'value', typeOf(left, catalog), range, catalog),
  ]
}

function candidate(
  one: Expr,
  other: Expr,
  kind: Candidate['kind'],
  otherType: number | undefined,
  range: PinnedRange,
  catalog: PolicyCatalog,
): readonly Candidate[] {
  const column = strip(one, 'value', catalog)
  if (column.kind !== 'column' && column.kind !== 'row') return []
  if (range === 'row' ? column.kind !== 'row' : column.kind !== 'column' || column.range !== range.alias) return []
  const family = familyOf(typeOf(one, catalog), catalog)
  if (!family || familyOf(otherType, catalog) !== family || !isCanonicalInStream(family)) return []
  if (isNondeterministic(one) || isNondeterministic(other)) return []
  return [{ column: column.column, kind, other, family }]
}

function isClaim({ claims, tables, role, row, outer, as }: Survey): boolean {
  return claims && !tables && !role && row.size === 0 && outer.size === 0 && as.size === 0
}

/** Builds a query over the ranges on a candidate's other side, with all conditions that do not need the range itself. */
function pinToValues(
  { column, kind, other }: Candidate,
  range: PinnedRange,
  opened: OpenedConditions,
  { rights, role, catalog }: PinInput,
): Pinned | undefined {
  const isOwn = (survey: Survey): boolean =>
    range === 'row' ? survey.row.size > 0 : survey.row.size > 0 || survey.outer.has(range.alias)
  const start = surveyExpr(other, catalog)
  if (isOwn(start) || start.role || readsCommonTable(asTarget(other))) return undefined
  const reached = new Set(start.outer)
  const narrowing = new Set<OpenedConditions['conditions'][number]>()
  for (let before = -1; before < reached.size + narrowing.size;) {
    before = reached.size + narrowing.size
    for (const condition of opened.conditions) {
      const survey = surveyExpr(condition.expr, catalog)
      if (isOwn(survey) || survey.role || ![...survey.outer].some((one) => reached.has(one))) continue
      if (![...survey.outer].every((one) => opened.ranges.has(one)) || readsCommonTable(asTarget(condition.expr)))
        continue
      narrowing.add(condition)
      for (const one of survey.outer) reached.add(one)
    }
  }
  const ranges = [...reached].map((one) => opened.ranges.get(one))
  const used = new Set<RangeRights>(usedBy(start, rights))
  let isAnchored = start.claims
  for (const found of ranges) {
    if (!found) return undefined
    const survey = surveyFrom(found.item, catalog)
    if (survey.row.size > 0 || survey.outer.size > 0 || survey.role || found.item.kind === 'cte') return undefined
    isAnchored ||= survey.claims || found.item.kind === 'key-function'
    if (found.item.kind === 'table') used.add(found.rights)
    for (const one of usedBy(survey, found.rights)) used.add(one)
  }
  for (const { expr, rights: own } of narrowing) {
    const survey = surveyExpr(expr, catalog)
    isAnchored ||= survey.claims
    for (const one of usedBy(survey, own)) used.add(one)
  }
  // Without a link to the user, the values would be the same for everyone.
  if (!isAnchored || used.size > 1 || used.has('mixed')) return undefined
  const items = ranges.flatMap((found) => (found ? [found.item] : []))
  const query = valuesQuery(
    other,
    kind,
    items,
    [...narrowing].map(({ expr }) => expr),
    catalog,
  )
  const [as] = used
  if (as !== undefined && as !== 'mixed') {
    const keyFunction = createKeyFunction(query, as, catalog)
    return { pin: { column, valuesSql: `select q.k0 from ${keyFunction.name}() as q` }, keyFunctions: [keyFunction] }
  }
  if (!canName(query, role, catalog)) return undefined
  return {
    pin: { column, valuesSql: renderQuery(withCanonicalAliases(query)) },
    keyFunctions: viaFunctionsOf([asExists(query)], catalog),
  }
}

/** Returns the rights used, defaulting to those of the context. */
function usedBy({ as }: Survey, around: RangeRights): readonly RangeRights[] {
  return [...as].map((one): Rights | RangeRights => one ?? around)
}

function asTarget(expr: Expr): Query {
  return { ...EMPTY_QUERY, targets: [{ expr, name: 'k0' }] }
}

function readsCommonTable(query: Query): boolean {
  let found = false
  walkQuery(query, { from: (from) => (found ||= from.kind === 'cte') })
  return found
}

function valuesQuery(
  other: Expr,
  kind: Candidate['kind'],
  from: readonly From[],
  where: readonly Expr[],
  catalog: PolicyCatalog,
): Query {
  if (kind === 'value') {
    const text: Expr = { kind: 'cast', arg: other, type: OID.text, sql: 'text', typmod: false }
    return { ...EMPTY_QUERY, distinct: true, targets: [{ expr: text, name: 'k0' }], from, where: conjunction(where) }
  }
  const call: Expr = {
    kind: 'call',
    schema: 'pg_catalog',
    name: 'unnest',
    args: [other],
    star: false,
    distinct: false,
    as: undefined,
  }
  const elements: From = {
    kind: 'function',
    call,
    ordinality: false,
    lateral: true,
    alias: '#elements',
    columns: ['k0'],
  }
  const type = elementOf(typeOf(other, catalog), catalog)
  const element: Expr = { kind: 'column', range: '#elements', column: 'k0', type, nondeterministic: false }
  return valuesQuery(element, 'value', [...from, elements], where, catalog)
}

/** Whether a role could write such a query: a policy stores tables and functions by identity, a query by name. */
function canName(query: Query, role: number, catalog: PolicyCatalog): boolean {
  const info = catalog.role(role)
  if (!info || info.superuser) return info !== undefined
  let can = true
  walkQuery(query, {
    from: (from) => (can &&= from.kind !== 'table' || info.schemas.includes(from.table.schema)),
    expr: (expr) =>
      (can &&=
        expr.kind !== 'call' ||
        expr.via !== undefined ||
        expr.schema === 'pg_catalog' ||
        info.schemas.includes(expr.schema)),
  })
  return can
}
