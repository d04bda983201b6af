import { refuse } from '../refusal.ts'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { TableInfo } from '../catalog/policy-input.ts'
import type { Node } from 'libpg-query'
import type { Expr, Query, Rights } from './expression.ts'

/** The names that a `FROM` item provides. */
export interface Range {
  /** As written. */
  readonly name: string
  /** Unique within the compilation. */
  readonly alias: string
  readonly columns: ReadonlyMap<string, RangeColumn>
}

export interface RangeColumn {
  /** Real name, if the query renames it. */
  readonly column: string
  readonly type: number | undefined
  readonly nondeterministic: boolean
}

/** CTEs by name. */
export type CteScope = ReadonlyMap<
  string,
  { readonly alias: string; readonly columns: ReadonlyMap<string, RangeColumn> }
>

/** Connects the two halves of the conversion across files. */
export interface Converter {
  readonly expr: (node: Node, scope: Scope) => Expr
  readonly query: (node: Node, scope: Scope) => Query
}

/** Name resolution: ranges of each query from the inside out, then the row or the function's arguments. */
export interface Scope {
  readonly convert: Converter
  readonly catalog: PolicyCatalog
  readonly levels: readonly (readonly Range[])[]
  readonly ctes: CteScope
  /** The policy's table. */
  readonly row: TableInfo | undefined
  /** The arguments, inside a function body. */
  readonly call:
    | {
        readonly name: string
        readonly argNames: readonly string[]
        readonly args: readonly Expr[]
        /** The arguments are PL/pgSQL variables, which may have fields. */
        readonly hasFields?: boolean
      }
    | undefined
  /** Role whose rights are used. */
  readonly role: number
  /** Search path of functions that set none. */
  readonly searchPath: string
  /** Whether to inline functions with row-dependent arguments. */
  readonly inline: boolean
  /** Set inside a security definer function. */
  readonly as: Rights | undefined
  /** Functions being inlined, outermost first. */
  readonly functions: readonly string[]
  /** All aliases used in this compilation. */
  readonly aliases: Set<string>
  /** Schemas whose functions and relations may be used if the result is disclosed to the role; `undefined` for any. */
  readonly disclosed: ReadonlySet<string> | undefined
}

/**
 * Checks disclosure: system objects and those reachable through the API are not secret.
 *
 * @throws {Refusal} for objects in other schemas if the result is disclosed
 */
export function checkDisclosed(schema: string, name: string, scope: Pick<Scope, 'disclosed'>): void {
  if (schema === 'pg_catalog' || !scope.disclosed || scope.disclosed.has(schema)) return
  refuse(`${schema}.${name} is in a schema that the API does not expose`)
}

/** Reserves an unused alias. */
export function freshAlias(aliases: Set<string>, name: string): string {
  let alias = name
  for (let suffix = 1; aliases.has(alias); suffix++) alias = `${name}_${suffix}`
  aliases.add(alias)
  return alias
}

/** Returns a table's columns as a range of a query. */
export function tableColumns(table: TableInfo): ReadonlyMap<string, RangeColumn> {
  return new Map(
    table.columns.map((column) => [
      column.name,
      { column: column.name, type: column.typeOid, nondeterministic: column.nondeterministic },
    ]),
  )
}

/** Resolves a dotted name as SQL does: at the innermost matching level. */
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
    // Postgres prints such an argument the same way; a range of that name may hide it.
    if (scope.call?.name === qualifier) return refuse(`${qualifier} is both a table and the function around it`)
    return columnOf(range, name)[0]
  }
  if (scope.row?.name === qualifier) return rowColumn(name, scope)
  if (scope.call?.name === qualifier) return argument(name, scope)
  return scope.call?.hasFields && argument(qualifier, scope) ? opaque(name, undefined) : undefined
}

/** Range name of {@link opaque} values. */
const OPAQUE = '#value'

/** Whether a value is unknown, except possibly its type. */
export function isOpaque(expr: Expr): boolean {
  return expr.kind === 'column' && expr.range === OPAQUE
}

/** An unknown value, such as a variable's. */
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
