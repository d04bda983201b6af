import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import { refuse } from '../refusal.ts'
import type { Expr, From, Rights } from '../syntax/expression.ts'
import type { KeyPair } from './keys.ts'
import { DISJUNCTS_MAX, refuseTooMany } from './normalize.ts'
import { type Survey, surveyFrom } from './survey.ts'

/** A join of tables and conditions that says which keys a person has. Nothing in it depends on the row. Without keys: a condition on the person. */
export interface Link {
  readonly keys: readonly KeyPair[]
  readonly from: readonly From[]
  readonly where: readonly Expr[]
  /** What its tables and functions run with, `undefined` for the caller's rights. Never more than one; empty when it makes no difference. */
  readonly rights: ReadonlySet<Rights | undefined>
}

/** One way in which a row gets through: the row passes every filter, and the person has the row's key in every link. */
export interface Alternative {
  readonly filters: readonly Expr[]
  readonly links: readonly Link[]
}

export interface LinkContext {
  readonly catalog: PolicyCatalog
  readonly aliases: Set<string>
}

/** What the kinds of atoms are linked with. */
export interface AtomContext extends LinkContext {
  /** Links an atom over both the row and something else. Handed in, as each of its kinds leads back to it. */
  readonly linkMixed: (atom: Expr, context: AtomContext) => readonly Part[]
}

/** A link under construction. */
export interface Part extends Link {
  readonly filters: readonly Expr[]
  /** Conditions inside a subquery that do not depend on it. */
  readonly hoisted: readonly Link[]
}

/** A part that asks for nothing. */
export const NOTHING: Part = { keys: [], from: [], where: [], rights: new Set(), filters: [], hoisted: [] }

/** Every combination of one alternative of each part. @throws {Refusal} when there are too many */
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

/** Whose rights something runs with. @throws {Refusal} when they are those of several roles */
export function rightsOf(survey: Survey): ReadonlySet<Rights | undefined> {
  return oneRole(survey.as)
}

/** The same rights, when they are those of one role. @throws {Refusal} else */
export function oneRole(rights: ReadonlySet<Rights | undefined>): ReadonlySet<Rights | undefined> {
  if (rights.size > 1)
    refuse('parts of a condition run with the rights of different roles (security definer) and cannot be separated')
  return rights
}

/** Every combination of one way of each part, each joined to `start`. @throws {Refusal} when there are too many */
export function combineParts(parts: readonly (readonly Part[])[], start: Part): readonly Part[] {
  let result: readonly Part[] = [start]
  for (const part of parts) {
    result = result.flatMap((left) => part.map((right) => merge(left, right)))
    if (result.length > DISJUNCTS_MAX) refuseTooMany()
  }
  return result
}

/** Both at once, in one join. */
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

/** Whose rights the tables and functions of a `FROM` are used with. @param as - those of the query around them */
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
