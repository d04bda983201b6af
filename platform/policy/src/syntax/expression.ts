import type { TableInfo } from '../catalog/policy-input.ts'

/**
 * An expression with resolved names. Ranges (`FROM` items) have aliases unique within a compilation, so that parts of different policies and functions can be
 * combined.
 *
 * `as` marks parts from a security definer function, which must run with its rights.
 */
export type Expr =
  | { readonly kind: 'row'; readonly column: string; readonly type: number; readonly nondeterministic: boolean }
  | {
      readonly kind: 'column'
      readonly range: string
      readonly column: string
      /** OID; `undefined` if unknown. */
      readonly type: number | undefined
      readonly nondeterministic: boolean
    }
  | { readonly kind: 'constant'; readonly sql: string; readonly type: number }
  | { readonly kind: 'cast'; readonly arg: Expr; readonly type: number; readonly sql: string; readonly typmod: boolean }
  | {
      readonly kind: 'operator'
      readonly schema: string
      readonly name: string
      readonly left: Expr | undefined
      readonly right: Expr
    }
  | {
      readonly kind: 'array-operator'
      readonly quantifier: 'any' | 'all'
      readonly schema: string
      readonly name: string
      readonly left: Expr
      readonly right: Expr
    }
  | {
      readonly kind: 'call'
      readonly schema: string
      readonly name: string
      readonly args: readonly Expr[]
      readonly star: boolean
      readonly distinct: boolean
      readonly as: Rights | undefined
      /** The plan's function that calls it, if the caller may execute but not name it. */
      readonly via?: string
    }
  | { readonly kind: 'and' | 'or'; readonly args: readonly Expr[] }
  | { readonly kind: 'not'; readonly arg: Expr }
  | { readonly kind: 'test'; readonly test: BooleanTest; readonly arg: Expr }
  | { readonly kind: 'special'; readonly form: SpecialForm; readonly args: readonly Expr[] }
  | {
      readonly kind: 'case'
      readonly arg: Expr | undefined
      readonly whens: readonly { readonly when: Expr; readonly value: Expr }[]
      readonly otherwise: Expr | undefined
    }
  | { readonly kind: 'subscript'; readonly arg: Expr; readonly indexes: readonly Expr[] }
  | { readonly kind: 'collate'; readonly arg: Expr; readonly schema: string; readonly name: string }
  /** `current_user` etc. */
  | { readonly kind: 'keyword'; readonly name: string }
  /** An inlined strict function: NULL if any guard is NULL. */
  | { readonly kind: 'strict'; readonly guards: readonly Expr[]; readonly body: Expr }
  | Subquery

/** Owner and search path under which a part runs, encoded as text for comparison. */
export type Rights = string & { readonly brand: 'Rights' }

/** @param searchPath - for names in functions */
export function createRights(owner: number, searchPath: string): Rights {
  return `${owner} ${searchPath}` as Rights
}

/** Inverse of {@link createRights}. */
export function parseRights(rights: Rights): { readonly owner: number; readonly searchPath: string } {
  const space = rights.indexOf(' ')
  return { owner: Number(rights.slice(0, space)), searchPath: rights.slice(space + 1) }
}

export interface Subquery {
  readonly kind: 'subquery'
  readonly link: 'exists' | 'any' | 'all' | 'scalar' | 'array'
  /** Operands compared with the query's targets by `any` and `all`. */
  readonly tests: readonly Expr[]
  readonly operator: { readonly schema: string; readonly name: string } | undefined
  readonly query: Query
  readonly as: Rights | undefined
}

export type BooleanTest =
  | 'is null'
  | 'is not null'
  | 'is true'
  | 'is not true'
  | 'is false'
  | 'is not false'
  | 'is unknown'
  | 'is not unknown'

export type SpecialForm =
  | 'coalesce'
  | 'greatest'
  | 'least'
  | 'nullif'
  | 'array'
  | 'row'
  | 'is distinct from'
  | 'is not distinct from'

export interface Query {
  readonly setOperation: { readonly sql: string; readonly left: Query; readonly right: Query } | undefined
  readonly ctes: readonly CommonTable[]
  readonly distinct: boolean
  readonly targets: readonly { readonly expr: Expr; readonly name: string }[]
  readonly from: readonly From[]
  readonly where: Expr | undefined
  readonly groupBy: readonly Expr[]
  readonly having: Expr | undefined
  readonly orderBy: readonly { readonly expr: Expr; readonly suffix: string }[]
  readonly limit: Expr | undefined
  readonly offset: Expr | undefined
}

export interface CommonTable {
  readonly name: string
  readonly recursive: boolean
  readonly columns: readonly string[]
  readonly query: Query
}

export type From =
  | { readonly kind: 'table'; readonly table: TableInfo; readonly only: boolean; readonly alias: string }
  | { readonly kind: 'cte'; readonly name: string; readonly alias: string }
  | {
      readonly kind: 'query'
      readonly query: Query
      readonly lateral: boolean
      readonly alias: string
      readonly columns: readonly string[]
    }
  | {
      readonly kind: 'function'
      readonly call: Expr
      readonly ordinality: boolean
      readonly lateral: boolean
      readonly alias: string
      readonly columns: readonly string[]
    }
  /** A function created by the plan: runs with its owner's rights, with known dependencies. */
  | {
      readonly kind: 'key-function'
      readonly name: string
      readonly alias: string
      readonly columns: readonly string[]
    }
  | {
      readonly kind: 'join'
      readonly type: 'inner' | 'left' | 'right' | 'full'
      readonly left: From
      readonly right: From
      readonly on: Expr | undefined
    }

export const EMPTY_QUERY: Query = {
  setOperation: undefined,
  ctes: [],
  distinct: false,
  targets: [],
  from: [],
  where: undefined,
  groupBy: [],
  having: undefined,
  orderBy: [],
  limit: undefined,
  offset: undefined,
}

export const TRUE: Expr = { kind: 'constant', sql: 'true', type: 16 }
export const FALSE: Expr = { kind: 'constant', sql: 'false', type: 16 }

/** Whether an expression is the constant with this text, such as `true`. */
export function isConstant(expr: Expr, sql: string): boolean {
  return expr.kind === 'constant' && expr.sql === sql
}

/** Flattened conjunction; `undefined` for none. */
export function conjunction(args: readonly Expr[]): Expr | undefined {
  const flat = args.flatMap((arg) => (arg.kind === 'and' ? arg.args : [arg])).filter((arg) => !isConstant(arg, 'true'))
  return flat.length <= 1 ? flat[0] : { kind: 'and', args: flat }
}

/** Operands of nested `AND`s. */
export function conjuncts(expr: Expr | undefined): readonly Expr[] {
  if (!expr) return []
  return expr.kind === 'and' ? expr.args.flatMap(conjuncts) : [expr]
}

/** Whether an operator is the built-in `=`. */
export function isEquality(operator: { readonly schema: string; readonly name: string } | undefined): boolean {
  return operator?.schema === 'pg_catalog' && operator.name === '='
}

/** Whether a query returns one row without a source. */
export function isSingleRow(query: Query): boolean {
  return isBare(query) && query.from.length === 0 && !query.where
}

/** Whether a query has no clauses that add, remove or transform rows of `FROM` and `WHERE`. */
export function isBare(query: Query): boolean {
  return (
    !query.setOperation &&
    query.ctes.length === 0 &&
    query.groupBy.length === 0 &&
    !query.having &&
    !query.limit &&
    !query.offset
  )
}
