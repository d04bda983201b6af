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
  /** What the pin's values are asked through. */
  readonly keyFunctions: readonly KeyFunction[]
}

const UNPINNED: Pinned = { pin: undefined, keyFunctions: [] }

/** The range that may be pinned: one of a query's, or the row that a policy is about. */
export type PinnedRange = { readonly alias: string } | 'row'

export interface PinInput {
  /** What `FROM` has beside the range, inner joins taken apart. */
  readonly items: readonly From[]
  /** What holds for every row of the range that counts. */
  readonly conditions: readonly Expr[]
  readonly rights: RangeRights
  /** Who runs what has no other rights. */
  readonly role: number
  readonly catalog: PolicyCatalog
}

/**
 * Finds what tells whose a row of a range is: a column that has to equal something about the person. That is best a claim, which stays as it is; else values
 * that can be asked for, without the range, from what ties it to the person.
 *
 * Where such values come from rows they change, but only together with something that the query depends on as well: whoever knows that a person's values hold
 * knows that other rows of the range do not matter to that person.
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
  /** `elements`: the column has to equal an element of this array. */
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

/** Asks the ranges that a candidate's other side leads to, with whatever narrows them and does not need the range itself. */
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
  // Without a tie to the person it would be everybody's values.
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

/** Whose rights something uses, where what says nothing has those around it. */
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

/** Whether a role may write such a query: a policy is stored with its tables and functions themselves in it, a query has their names. */
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
