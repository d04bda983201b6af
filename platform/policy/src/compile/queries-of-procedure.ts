import type { Node } from 'libpg-query'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { FunctionInfo } from '../catalog/policy-input.ts'
import { Refusal, refuse } from '../refusal.ts'
import { scopeOfBody } from '../syntax/convert-call.ts'
import { type Expr, isSingleRow, type Query } from '../syntax/expression.ts'
import { parseViewDefinition } from '../syntax/parse.ts'
import { type ProcedureText, readProcedure } from '../syntax/plpgsql.ts'
import { qualifyNames } from '../syntax/qualify-names.ts'
import { opaque, type Scope } from '../syntax/scope.ts'
import { typeOf } from '../syntax/typing.ts'

/** A query of a PL/pgSQL function. */
export interface ReadQuery {
  readonly query: Query
  readonly takesFirst: boolean
}

/** Returns the queries of a PL/pgSQL function. Only parameters and constants are known, not variables. */
export function queriesOfProcedure(
  call: Extract<Expr, { kind: 'call' }>,
  f: FunctionInfo,
  outer: Scope,
): readonly ReadQuery[] {
  const label = `${f.schema}.${f.name}`
  try {
    const body = readProcedure(f.procedure ?? refuse('it has no body'))
    const argNames: string[] = []
    const args: Expr[] = []
    const bare = scopeOfBody(f, outer, undefined)
    const { searchPath, catalog } = bare
    const scope = (): Scope => ({
      ...bare,
      // No hiding: PL/pgSQL reports names that are both column and variable.
      call: { name: f.name, argNames: [...argNames], args: [...args], hasFields: true },
    })
    for (const [number, variable] of body.variables.entries()) {
      if (variable.name === '') continue
      const isShadowed = body.variables.some((one, other) => other !== number && one.name === variable.name)
      const parameter = isShadowed || variable.isAssigned ? -1 : f.argNames.indexOf(variable.name)
      let value = parameter < 0 ? undefined : call.args[parameter]
      const type = f.argTypes[f.argNames.indexOf(variable.name)] ?? typeNamed(variable.typeName, catalog)
      if (!value && variable.initial && !isShadowed && !variable.isAssigned && type !== undefined) {
        const initial = scope().convert.query(resolvedNode(variable.initial, f, searchPath, catalog), scope())
        const [target] = initial.targets
        if (target && isSingleRow(initial) && typeOf(target.expr, catalog) === type) value = target.expr
      }
      argNames.push(variable.name)
      args.push(value ?? opaque(variable.name, type))
    }
    f.argNames.forEach((name, index) => {
      if (name === '') {
        argNames.push(`$${index + 1}`)
        args.push(opaque(`$${index + 1}`, f.argTypes[index]))
      }
    })
    return body.queries.map((one) => ({
      query: scope().convert.query(resolvedNode(one, f, searchPath, catalog), scope()),
      takesFirst: one.takesFirst,
    }))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal(`the function ${label} cannot be followed: ${error.message}`, error.scope)
  }
}

/** Resolves a query's names: by Postgres, or by the search path if it reads a variable of unknown type. */
function resolvedNode(
  { text, node }: ProcedureText,
  f: FunctionInfo,
  searchPath: string,
  catalog: PolicyCatalog,
): Node {
  const resolved = (f.queries[''] ?? f.queries[searchPath])?.[text]
  if (resolved) return 'error' in resolved ? refuse(resolved.error) : parseViewDefinition(resolved.text)
  // Copied, because cached trees outlive this catalog.
  const qualified = structuredClone(node)
  try {
    qualifyNames(qualified, searchPath, catalog)
  } catch (error) {
    if (!(error instanceof Refusal) || !/\brecord\b/i.test(f.procedure ?? '')) throw error
    throw new Refusal(
      `${error.message}, which are not known of a variable of type record that is filled in several ways: declare it as a row of a table (name%rowtype), or variables for its fields`,
      error.scope,
    )
  }
  return qualified
}

const ALIASES: Readonly<Record<string, string>> = {
  bigint: 'int8',
  int: 'int4',
  integer: 'int4',
  smallint: 'int2',
  boolean: 'bool',
  decimal: 'numeric',
  'character varying': 'varchar',
  'timestamp with time zone': 'timestamptz',
}

/** Returns the OID of a variable's declared type if it is built in, or an array of such, without modifiers. */
function typeNamed(written: string, catalog: PolicyCatalog): number | undefined {
  const text = written.toLowerCase()
  const isArray = text.endsWith('[]')
  const name = isArray ? text.slice(0, -2) : text
  const type = catalog.typeNamed('pg_catalog', ALIASES[name] ?? name)
  return isArray ? type?.array || undefined : type?.oid
}
