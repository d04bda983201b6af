import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { Dependency, KeyFunction } from '../plan.ts'
import { Refusal } from '../refusal.ts'
import { type Expr, parseRights, type Query, type Rights } from '../syntax/expression.ts'
import type { Scope } from '../syntax/scope.ts'
import type { ClockedNames, ClockedTable } from './clock-dependencies.ts'
import type { RangeRights } from './opened-conditions.ts'

/** In place of a table: the reading is not of a policy but of a query, which may read any table and the parameters of a subscription. */
export const NO_TABLE = 0

/** The role that reads, and through which policies and functions. */
export interface Reader {
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

/** The dependencies found so far, by their text. */
export type Found = Map<string, { readonly dependency: Dependency; readonly keyFunctions: readonly KeyFunction[] }>

/** Follows a whole query or expression, with names of its own. What reads tables or calls functions is handed these, since each leads back to the other. */
export interface Follow {
  query(query: Query, reader: Reader, found: Found, catalog: PolicyCatalog, foreign?: ReadonlySet<string>): void
  expr(expr: Expr, reader: Reader, found: Found, catalog: PolicyCatalog, row: ClockedNames['row']): void
}

/** One query or expression that is being followed. */
export interface Visit {
  readonly follow: Follow
  readonly found: Found
  readonly catalog: PolicyCatalog
  readonly columns: ReadColumns
  readonly names: ClockedNames & { readonly ranges: Map<string, ClockedTable> }
}

export function readerAs(rights: Rights | undefined, reader: Reader): Reader {
  if (rights === undefined) return reader
  const { owner, searchPath } = parseRights(rights)
  return { ...reader, role: owner, searchPath, rights }
}

/** Functions are put in where that can be, which shows more of whom a change concerns; else they are followed as they are. */
export function eitherWay<T>(scope: Scope, convert: (scope: Scope) => T): T {
  try {
    return convert(scope)
  } catch (error) {
    if (!(error instanceof Refusal) || error.scope === 'role') throw error
    return convert({ ...scope, inline: false })
  }
}
