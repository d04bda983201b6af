import { refuse } from '../refusal.ts'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { TableInfo } from '../catalog/policy-input.ts'
import type { Node } from 'libpg-query'
import type { Expr, Query, Rights } from './expression.ts'

/** What one item of `FROM` offers to the names around it. */
export interface Range {
  /** As written. */
  readonly name: string
  /** Unique within the compilation. */
  readonly alias: string
  readonly columns: ReadonlyMap<string, RangeColumn>
}

export interface RangeColumn {
  /** Its real name, where the query gives it another. */
  readonly column: string
  readonly type: number | undefined
  readonly nondeterministic: boolean
}

/** Common table expressions by name. */
export type CteScope = ReadonlyMap<
  string,
  { readonly alias: string; readonly columns: ReadonlyMap<string, RangeColumn> }
>

/** The two halves of the conversion, each in a file of its own, reach each other through the scope. */
export interface Converter {
  readonly expr: (node: Node, scope: Scope) => Expr
  readonly query: (node: Node, scope: Scope) => Query
}

/** Where names are looked up: the ranges of each query from the inside out, then the row or the arguments of the function. */
export interface Scope {
  readonly convert: Converter
  readonly catalog: PolicyCatalog
  readonly levels: readonly (readonly Range[])[]
  readonly ctes: CteScope
  /** The table whose policy this is. */
  readonly row: TableInfo | undefined
  /** The arguments, when this is the body of a function. */
  readonly call:
    | {
        readonly name: string
        readonly argNames: readonly string[]
        readonly args: readonly Expr[]
        /** Its arguments are variables in PL/pgSQL, which may have fields. */
        readonly hasFields?: boolean
      }
    | undefined
  /** The role whose rights names are used with. */
  readonly role: number
  /** The search path that functions without one of their own run under. */
  readonly searchPath: string
  /** Whether functions whose arguments depend on the row are replaced by their bodies. */
  readonly inline: boolean
  /** Set inside a security definer function. */
  readonly as: Rights | undefined
  /** Names of the functions being inlined, outermost first. */
  readonly functions: readonly string[]
  /** Every alias given so far in this compilation. */
  readonly aliases: Set<string>
  /** The only schemas whose functions and relations may be used, where the result is disclosed to the role; `undefined`: any. */
  readonly disclosed: ReadonlySet<string> | undefined
}

/**
 * Postgres's own is no secret, and neither is what a user reaches through the API.
 *
 * @throws {Refusal} for what is in another schema, where the result is disclosed
 */
export function checkDisclosed(schema: string, name: string, scope: Pick<Scope, 'disclosed'>): void {
  if (schema === 'pg_catalog' || !scope.disclosed || scope.disclosed.has(schema)) return
  refuse(`${schema}.${name} is in a schema that the API does not expose`)
}

/** An alias that no range has yet; it is taken from now on. */
export function freshAlias(aliases: Set<string>, name: string): string {
  let alias = name
  for (let suffix = 1; aliases.has(alias); suffix++) alias = `${name}_${suffix}`
  aliases.add(alias)
  return alias
}

/** The columns of a table as a range of a query has them. */
export function tableColumns(table: TableInfo): ReadonlyMap<string, RangeColumn> {
  return new Map(
    table.columns.map((column) => [
      column.name,
      { column: column.name, type: column.typeOid, nondeterministic: column.nondeterministic },
    ]),
  )
}

/** Finds what a dotted name means, as SQL does: the innermost level that has it. */
export function resolveName(parts: readonly string[], scope: Scope): Expr {
  const [first = '', second] = parts
  if (parts.length > 2) return refuse(`the name ${parts.join('.')} has more than two parts`)
  const found = second === undefined ? findColumn(first, scope) : findQualified(first, second, scope)
  return (
    found ??
    refuse(`the name ${parts.join('.')} is not one of a column (whole rows and system columns cannot be followed)`)
  )
}

function findColumn(name: string, scope: Scope): Expr | undefined {
  for (const level of scope.levels) {
    const matches = level.flatMap((range) => columnOf(range, name))
    if (matches.length > 1) return refuse(`the column ${name} is ambiguous`)
    if (matches[0]) return matches[0]
  }
  return rowColumn(name, scope) ?? argument(name, scope)
}

function findQualified(qualifier: string, name: string, scope: Scope): Expr | undefined {
  for (const level of scope.levels) {
    const range = level.find((candidate) => candidate.name === qualifier)
    if (!range) continue
    // Postgres would write such an argument the same way; a range of that name may hide it.
    if (scope.call?.name === qualifier) return refuse(`${qualifier} is both a table and the function around it`)
    return columnOf(range, name)[0]
  }
  if (scope.row?.name === qualifier) return rowColumn(name, scope)
  if (scope.call?.name === qualifier) return argument(name, scope)
  return scope.call?.hasFields && argument(qualifier, scope) ? opaque(name, undefined) : undefined
}

/** The name of the range that {@link opaque} values are columns of. */
const OPAQUE = '#value'

/** Whether nothing is known of a value but, perhaps, its type. */
export function isOpaque(expr: Expr): boolean {
  return expr.kind === 'column' && expr.range === OPAQUE
}

/** A value of which nothing is known, such as a variable's. */
export function opaque(name: string, type: number | undefined): Expr {
  return { kind: 'column', range: OPAQUE, column: name, type, nondeterministic: false }
}

function columnOf(range: Range, name: string): Expr[] {
  const found = range.columns.get(name)
  return found ? [{ kind: 'column', range: range.alias, ...found }] : []
}

function rowColumn(name: string, scope: Scope): Expr | undefined {
  const column = scope.row?.columns.find((candidate) => candidate.name === name)
  return column && { kind: 'row', column: name, type: column.typeOid, nondeterministic: column.nondeterministic }
}

function argument(name: string, scope: Scope): Expr | undefined {
  const index = scope.call?.argNames.indexOf(name) ?? -1
  return index < 0 ? undefined : scope.call?.args[index]
}
