import type { Node } from 'libpg-query'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { PolicyInfo, TableInfo } from '../catalog/policy-input.ts'
import { Refusal } from '../refusal.ts'
import type { RowKey } from '../row-key.ts'
import { convertExpr, createScope } from '../syntax/convert.ts'
import { type Expr, isConstant } from '../syntax/expression.ts'
import { parsePolicyExpression } from '../syntax/parse.ts'
import { ROW_ALIAS } from '../syntax/render.ts'
import type { Scope } from '../syntax/scope.ts'
import { assembleClass, narrowLink } from './access-class.ts'
import { type AssembledAlternative, assemble } from './assemble.ts'
import { dependenciesOfExpr } from './dependencies.ts'
import { NO_TABLE } from './dependency-reading.ts'
import { type Alternative, combine } from './link.ts'
import { linkConjunct } from './links.ts'
import { isWhole } from './survey.ts'
import { applicablePolicies, isExempt } from './table-access.ts'
import { DISJUNCTS_MAX, refuseTooMany, toDisjuncts } from './normalize.ts'
import { splitPolicy } from './split-policy.ts'
import type { StreamCondition } from './stream-queries.ts'

/** Identifies the policy that could not be compiled. */
export class PolicyRefusal extends Error {
  readonly policy: string | undefined
  override readonly cause: Refusal

  constructor(policy: string | undefined, cause: Refusal) {
    super(cause.message)
    this.policy = policy
    this.cause = cause
  }
}

function blaming<T>(policy: string | undefined, body: () => T): T {
  try {
    return body()
  } catch (error) {
    throw error instanceof Refusal ? new PolicyRefusal(policy, error) : error
  }
}

/** One disjunct for one role. */
export interface RolePart {
  readonly role: string
  readonly policies: readonly string[]
  readonly columns: readonly string[]
  readonly assembled: AssembledAlternative
}

/**
 * @param condition - of a stream, narrowing the policies
 * @returns a reason if the role sees nothing of the table
 */
export function compileRole(
  table: TableInfo,
  key: RowKey,
  role: number,
  catalog: PolicyCatalog,
  condition?: StreamCondition,
): readonly RolePart[] | string {
  const name = catalog.role(role)?.name ?? String(role)
  const columns = table.selectable[String(role)]
  if (!columns || columns.length === 0) return `the role ${name} has no SELECT privilege`
  const hidden = key.columns.find((column) => !columns.includes(column))
  if (hidden !== undefined) return `the role ${name} may not select its column ${hidden}`
  const policies = applicablePolicies(table.oid, role, catalog)
  const permissive = policies.filter((policy) => policy.permissive)
  if (permissive.length === 0) return `no permissive policy for SELECT applies to the role ${name}`
  if (isExempt(table, role, catalog)) return `policies do not bind the role ${name}`

  // Unlike a policy, a stream's query may read its own table.
  const readsItself = condition !== undefined
  const all = condition ? [...policies, condition] : policies
  const bound: Bound = { table, role, name, columns, catalog, policies: all, readsItself }
  const parts = linkOrClasses(bound)
  return parts.length > 0 ? parts : `the policies let the role ${name} see no row`
}

/** The policies of a table that apply to a role. */
interface Bound {
  readonly table: TableInfo
  readonly role: number
  readonly name: string
  readonly columns: readonly string[]
  readonly catalog: PolicyCatalog
  readonly policies: readonly BoundPolicy[]
  readonly readsItself: boolean
}

type BoundPolicy = PolicyInfo | StreamCondition

/** Converts a policy's expression within its scope. */
function readPolicy(
  policy: BoundPolicy,
  { table, role, catalog }: Pick<Bound, 'table' | 'role' | 'catalog'>,
  aliases: Set<string>,
): { readonly node: Node | undefined; readonly scope: Scope; readonly guarded: number } {
  if ('node' in policy)
    return { node: policy.node, scope: createScope(catalog, role, policy.row, aliases), guarded: NO_TABLE }
  const node = policy.using === null ? undefined : parsePolicyExpression(policy.using)
  return { node, scope: createScope(catalog, role, table, aliases), guarded: table.oid }
}

/** Compiles to equalities where possible; remaining parts become access classes. */
function linkOrClasses(bound: Bound): readonly RolePart[] {
  try {
    return linkParts(bound)
  } catch (error) {
    if (!(error instanceof PolicyRefusal) || error.cause.scope === 'role') throw error
    return classParts(bound)
  }
}

function linkParts(bound: Bound): readonly RolePart[] {
  const { table, role, name, columns, catalog, policies, readsItself } = bound
  const permissive = policies.filter((policy) => policy.permissive)
  const aliases = new Set([ROW_ALIAS])
  const context = { catalog, aliases }
  const convert = (policy: BoundPolicy): Expr | undefined =>
    blaming(policy.name, () => {
      const { node, scope, guarded } = readPolicy(policy, bound, aliases)
      if (!node) return undefined
      const expr = convertExpr(node, scope)
      dependenciesOfExpr(expr, role, guarded, catalog) // to read everything in it
      return expr
    })
  const alternativesOf = (policy: BoundPolicy, expr: Expr) =>
    blaming(policy.name, () =>
      toDisjuncts(expr, (part) => isWhole(part, catalog)).flatMap((atoms) => linkConjunct(atoms, context)),
    )
  const restrictive = policies.filter((policy) => !policy.permissive)
  let restrictions = [{ filters: [], links: [] }] as ReturnType<typeof linkConjunct>
  for (const policy of restrictive) {
    const expr = convert(policy)
    if (!expr) continue
    const alternatives = alternativesOf(policy, expr)
    restrictions = restrictions.flatMap((left) =>
      alternatives.map((right) => ({
        filters: [...left.filters, ...right.filters],
        links: [...left.links, ...right.links],
      })),
    )
    if (restrictions.length > DISJUNCTS_MAX) blaming(policy.name, refuseTooMany)
  }
  const parts: RolePart[] = []
  for (const policy of permissive) {
    const expr = convert(policy)
    if (!expr) continue
    for (const alternative of alternativesOf(policy, expr)) {
      for (const restriction of restrictions) {
        const whole = {
          filters: [...alternative.filters, ...restriction.filters],
          links: [...alternative.links, ...restriction.links],
        }
        const assembled = blaming(policy.name, () => assemble(whole, { table, role, context, readsItself }))
        parts.push({ role: name, policies: [policy.name, ...restrictive.map((one) => one.name)], columns, assembled })
      }
    }
    if (parts.length > DISJUNCTS_MAX) blaming(policy.name, refuseTooMany)
  }
  return parts
}

/** A policy condition, split at its `AND`s and `OR`s. */
interface Condition {
  readonly policy: BoundPolicy
  readonly node: Node
}

/** One way to satisfy the policies: a conjunction. */
type Way = readonly Condition[]

function classParts(bound: Bound): readonly RolePart[] {
  const { table, role, name, columns, catalog, policies } = bound
  const restrictive = policies.filter((policy) => !policy.permissive)
  const ways = waysThrough(bound, DISJUNCTS_MAX) ?? waysThrough(bound, 1) ?? []
  return ways.flatMap((way): readonly RolePart[] => {
    const named = [...new Set([...way.map(({ policy }) => policy), ...restrictive].map((policy) => policy.name))]
    const part = (assembled: AssembledAlternative): RolePart => ({ role: name, policies: named, columns, assembled })
    try {
      return linkWay(way, bound).map(part)
    } catch (error) {
      if (!(error instanceof Refusal) || error.scope === 'role') throw error
      const aliases = new Set([ROW_ALIAS])
      const conditions = way.map(({ policy, node }) =>
        blaming(policy.name, () => {
          const { scope } = readPolicy(policy, bound, aliases)
          const expr = convertExpr(node, { ...scope, inline: false })
          assembleClass([expr], { table, role, catalog, readsItself: 'node' in policy })
          return expr
        }),
      )
      if (conditions.some((expr) => isConstant(expr, 'false') || isConstant(expr, 'null'))) return []
      const classes = (): readonly AssembledAlternative[] => [assembleClass(conditions, bound)]
      return blaming(way[0]?.policy.name, () => narrowed(way, conditions, bound) ?? classes()).map(part)
    }
  })
}

/** Keeps the links of a way and narrows them by access classes; `undefined` without links, or if they cannot be narrowed. */
function narrowed(way: Way, conditions: readonly Expr[], bound: Bound): readonly AssembledAlternative[] | undefined {
  const isLink = way.map((condition) => attempt(() => linkWay([condition], bound)) !== undefined)
  const links = way.filter((_, index) => isLink[index])
  if (links.length === 0) return undefined
  return attempt(() => {
    const rest = assembleClass(
      conditions.filter((_, index) => !isLink[index]),
      bound,
    )
    return linkWay(links, bound).map((link) => narrowLink(link, rest, bound))
  })
}

function attempt<T>(body: () => T): T | undefined {
  try {
    return body()
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Enumerates the ways to satisfy the policies, at most `max` each; `undefined` if there are too many. */
function waysThrough(bound: Bound, max: number): readonly Way[] | undefined {
  const { policies } = bound
  const ofPolicy = (policy: BoundPolicy): readonly Way[] => {
    const { node } = readPolicy(policy, bound, new Set())
    return node ? splitPolicy(node, max).map((way) => way.map((part) => ({ policy, node: part }))) : []
  }
  let ways = policies.filter((policy) => policy.permissive).flatMap(ofPolicy)
  for (const policy of policies) {
    if (policy.permissive || policy.using === null) continue
    const narrower = ofPolicy(policy)
    ways = ways.flatMap((left) => narrower.map((right) => [...left, ...right]))
    if (ways.length > DISJUNCTS_MAX && max > 1) return undefined
  }
  return ways
}

/** @throws {Refusal} if a part does not reduce to an equality */
function linkWay(way: Way, bound: Bound): readonly AssembledAlternative[] {
  const { table, role, catalog, readsItself } = bound
  const aliases = new Set([ROW_ALIAS])
  const context = { catalog, aliases }
  const parts = way.map(({ policy, node }): readonly Alternative[] => {
    const { scope, guarded } = readPolicy(policy, bound, aliases)
    const expr = convertExpr(node, scope)
    dependenciesOfExpr(expr, role, guarded, catalog) // to read everything in it
    return toDisjuncts(expr, (part) => isWhole(part, catalog)).flatMap((atoms) => linkConjunct(atoms, context))
  })
  return combine(parts).map((alternative) => assemble(alternative, { table, role, context, readsItself }))
}
