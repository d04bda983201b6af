import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { Dependency, KeyFunction } from '../plan.ts'
import { Refusal } from '../refusal.ts'
import { type Expr, parseRights, type Query, type Rights } from '../syntax/expression.ts'
import type { Scope } from '../syntax/scope.ts'
import type { ClockedNames, ClockedTable } from './clock-dependencies.ts'
import type { RangeRights } from './opened-conditions.ts'

/** Stands for no table: the query is not from a policy, so it may read any table and subscription parameters. */
export const NO_TABLE = 0

/** The reading role, with the policies and functions passed through. */
export interface Reader {
  readonly role: number
  /** Search path of functions that set none. */
  readonly searchPath: string
  /** Effective rights. */
  readonly rights: RangeRights
  /** Tables whose policies are being read, outermost first. */
  readonly tables: readonly number[]
  /** Functions being read, outermost first. */
  readonly functions: readonly string[]
}

/** Columns by range alias. */
type ReadColumns = ReadonlyMap<string, ReadonlySet<string>>

/** Dependencies found so far, by text. */
export type Found = Map<string, { readonly dependency: Dependency; readonly keyFunctions: readonly KeyFunction[] }>

/** Visits a whole query or expression with its own names. Passed in, because tables and functions lead back to it. */
export interface Follow {
  query(query: Query, reader: Reader, found: Found, catalog: PolicyCatalog, foreign?: ReadonlySet<string>): void
  expr(expr: Expr, reader: Reader, found: Found, catalog: PolicyCatalog, row: ClockedNames['row']): void
}

/** A query or expression being visited. */
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

/** Inlines functions if possible, which yields more precise dependencies; otherwise visits them as they are. */
export function eitherWay<T>(scope: Scope, convert: (scope: Scope) => T): T {
  try {
    return convert(scope)
  } catch (error) {
    if (!(error instanceof Refusal) || error.scope === 'role') throw error
    return convert({ ...scope, inline: false })
  }
}
