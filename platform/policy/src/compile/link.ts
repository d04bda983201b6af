import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import { refuse } from '../refusal.ts'
import type { Expr, From, Rights } from '../syntax/expression.ts'
import type { KeyPair } from './keys.ts'
import { DISJUNCTS_MAX, refuseTooMany } from './normalize.ts'
import { type Survey, surveyFrom } from './survey.ts'

/** A join that yields a user's keys, independent of the row. Without keys it is a condition on the user. */
export interface Link {
  readonly keys: readonly KeyPair[]
  readonly from: readonly From[]
  readonly where: readonly Expr[]
  /** The rights its tables and functions run with; `undefined` means the caller's. At most one element; empty if it reads nothing. */
  readonly rights: ReadonlySet<Rights | undefined>
}

/** One way for a row to be visible: it passes every filter, and for each link the user holds the row's key. */
export interface Alternative {
  readonly filters: readonly Expr[]
  readonly links: readonly Link[]
}

export interface LinkContext {
  readonly catalog: PolicyCatalog
  readonly aliases: Set<string>
}

/** Context for linking atoms. */
export interface AtomContext extends LinkContext {
  /** Links an atom over the row and something else. Passed in, because every kind of atom leads back to it. */
  readonly linkMixed: (atom: Expr, context: AtomContext) => readonly Part[]
}

/** A link under construction. */
export interface Part extends Link {
  readonly filters: readonly Expr[]
  /** Conditions hoisted from a subquery. */
  readonly hoisted: readonly Link[]
}

/** A part without requirements. */
export const NOTHING: Part = { keys: [], from: [], where: [], rights: new Set(), filters: [], hoisted: [] }

/** Cartesian product of the parts' alternatives. @throws {Refusal} if there are too many */
export function combine(parts: readonly (readonly Alternative[])[]): readonly Alternative[] {
  let result: readonly Alternative[] = [{ filters: [], links: [] }]
  for (const part of parts) {
    result = result.flatMap((left) =>
      part.map((right) => ({ filters: [...left.filters, ...right.filters], links: [...left.links, ...right.links] })),
    )
    if (result.length > DISJUNCTS_MAX) refuseTooMany()
  }
  return result
}

/** Returns the rights something runs with. @throws {Refusal} if several roles are involved */
export function rightsOf(survey: Survey): ReadonlySet<Rights | undefined> {
  return oneRole(survey.as)
}

/** Returns the rights if they belong to one role. @throws {Refusal} otherwise */
export function oneRole(rights: ReadonlySet<Rights | undefined>): ReadonlySet<Rights | undefined> {
  if (rights.size > 1)
    refuse('parts of a condition run with the rights of different roles (security definer) and cannot be separated')
  return rights
}

/** Cartesian product of the parts, each joined to `start`. @throws {Refusal} if there are too many */
export function combineParts(parts: readonly (readonly Part[])[], start: Part): readonly Part[] {
  let result: readonly Part[] = [start]
  for (const part of parts) {
    result = result.flatMap((left) => part.map((right) => merge(left, right)))
    if (result.length > DISJUNCTS_MAX) refuseTooMany()
  }
  return result
}

/** Conjunction of two parts in one join. */
export function merge(left: Part, right: Part): Part {
  return {
    keys: [...left.keys, ...right.keys],
    from: [...left.from, ...right.from],
    where: [...left.where, ...right.where],
    rights: oneRole(new Set([...left.rights, ...right.rights])),
    filters: [...left.filters, ...right.filters],
    hoisted: [...left.hoisted, ...right.hoisted],
  }
}

/** Returns the rights used by tables and functions of a `FROM`. @param as - rights of the surrounding query */
export function rightsOfItems(
  items: readonly From[],
  as: Rights | undefined,
  catalog: PolicyCatalog,
): ReadonlySet<Rights | undefined> {
  const rights = new Set<Rights | undefined>()
  for (const item of items) {
    const survey = surveyFrom(item, catalog)
    for (const role of survey.as) rights.add(role)
    if (survey.tables) rights.add(as)
  }
  return oneRole(rights)
}
