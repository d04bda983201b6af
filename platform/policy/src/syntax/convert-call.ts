import { createHash } from 'node:crypto'
import type { FuncCall } from 'libpg-query'
import { Refusal, refuse } from '../refusal.ts'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { FunctionInfo, ResolvedBody } from '../catalog/policy-input.ts'
import { createRights, type Expr, isSingleRow, type Query } from './expression.ts'
import { qualify } from './collect-names.ts'
import { convertArguments } from './convert-arguments.ts'
import { isClock } from './clock.ts'
import { nameParts } from './names.ts'
import { parseFunctionBody } from './parse.ts'
import { checkDisclosed, type Scope } from './scope.ts'
import { baseOf, functionsOf, typeOf } from './typing.ts'
import { INSTEAD_OF_SETTING } from './policy-advice.ts'
import { walkExpr } from './walk.ts'

export type Call = Extract<Expr, { kind: 'call' }>

/** Maximum inlining depth of SQL functions. */
const INLINE_DEPTH_MAX = 16

/** `auth.uid()` etc.: token contents. */
const CLAIM_FUNCTIONS: ReadonlySet<string> = new Set(['uid', 'role', 'email', 'jwt'])

const SUBSCRIPTION_FUNCTIONS: ReadonlySet<string> = new Set([
  'parameter',
  'parameters',
  'elements',
  'moment',
  'moments',
])

/** Stable system functions that depend only on their arguments and session formats. */
const STABLE_BUT_STEADY: ReadonlySet<string> = new Set(
  (
    'array_to_string concat concat_ws format to_json to_jsonb row_to_json array_to_json to_char date_trunc date_part extract ' +
    'json_build_object json_build_array jsonb_build_object jsonb_build_array ' +
    'jsonb_agg json_agg jsonb_object_agg json_object_agg string_agg array_agg'
  ).split(' '),
)

/**
 * Converts a function call. SQL functions with row-dependent arguments are inlined; other calls stay, after checking that they are not volatile and the role
 * may execute them.
 */
export function convertCall(node: FuncCall, scope: Scope): Expr {
  const [schema, name] = qualify(nameParts(node.funcname))
  const label = schema === 'pg_catalog' ? name : `${schema}.${name}`
  if (node.over) return refuse(`the window function ${label} is not followed`)
  if (node.agg_filter || (node.agg_order ?? []).length > 0 || node.agg_within_group)
    return refuse(`FILTER and ORDER BY in ${label} are not followed`)
  if (node.func_variadic) return refuse(`VARIADIC in a call of ${label} is not followed`)
  const args = convertArguments(node, schema, name, scope)
  const call: Call = {
    kind: 'call',
    schema,
    name,
    args,
    star: node.agg_star ?? false,
    distinct: node.agg_distinct ?? false,
    as: scope.as,
  }
  if (isClaimFunction(call)) return { ...call, as: undefined }
  if (schema === 'pg_catalog') return checkSystemCall(call, scope.catalog)
  checkDisclosed(schema, name, scope)
  const [meant, other] = functionsOf(call, scope.catalog)
  if (!meant || other) return refuse(`which function ${label} means is not certain`)
  const kept = { ...call, ...checkCallable(meant, label, scope, args.length) }
  if (!scope.inline) return kept
  if (!needsBodyAnalysis(meant)) return kept
  if (meant.language !== 'sql' || !dependsOnRow(args)) return keptCall(kept, meant, scope)
  if (meant.returnsSet)
    return refuse(
      `the set-returning function ${label} depends on the row, and can be followed only as IN (SELECT ${name}(…))`,
    )
  try {
    return inlineCall(call, meant, scope)
  } catch (error) {
    if (error instanceof Refusal && meant.volatility === 'i') return kept // Postgres trusts the declaration, too
    throw error
  }
}

/** Whether a function reads only request data. */
export function isClaimFunction(call: { readonly schema: string; readonly name: string }): boolean {
  return (call.schema === 'auth' && CLAIM_FUNCTIONS.has(call.name)) || isSubscriptionFunction(call)
}

/** `subscription.parameter(…)` etc.: parameters requested by the device. */
export function isSubscriptionFunction(call: { readonly schema: string; readonly name: string }): boolean {
  return call.schema === 'subscription' && SUBSCRIPTION_FUNCTIONS.has(call.name)
}

/** `current_setting('request.jwt.…')` */
export function isClaimSetting(call: Call): boolean {
  if (call.schema !== 'pg_catalog' || call.name !== 'current_setting') return false
  const [setting] = call.args
  const constant = setting?.kind === 'cast' ? setting.arg : setting
  return constant?.kind === 'constant' && constant.sql.startsWith("'request.jwt.")
}

/** Whether an argument contains a column of the row. */
export function dependsOnRow(args: readonly Expr[]): boolean {
  let found = false
  for (const arg of args) walkExpr(arg, { expr: (expr) => (found ||= expr.kind === 'row') })
  return found
}

/** Whether an expression returns a set. */
export function returnsRows(expr: Expr, scope: { readonly catalog: PolicyCatalog }): boolean {
  if (expr.kind === 'subquery') return false
  let found = false
  walkExpr(expr, {
    expr: (inner) => (found ||= inner.kind === 'call' && functionsOf(inner, scope.catalog).some((f) => f.returnsSet)),
  })
  return found
}

/** Whether an expression contains an aggregate, outside subqueries. */
export function isAggregate(call: Call, catalog: PolicyCatalog): boolean {
  return functionsOf(call, catalog).some((f) => f.kind === 'a' || f.kind === 'w')
}

function checkSystemCall(call: Call, catalog: PolicyCatalog): Expr {
  const candidates = functionsOf(call, catalog)
  if (candidates.length === 0) return refuse(`the function ${call.name} is not known`)
  if (candidates.some((f) => f.volatility === 'v'))
    return refuse(`${call.name}() is volatile: its result is another each time`)
  if (isClaimSetting(call)) return call
  if (call.name === 'current_setting')
    return refuse(`it reads a setting of the session other than the claims (request.jwt.…): ${INSTEAD_OF_SETTING}`)
  if (isClock(call)) return call // validated together with what it is compared with
  if (candidates.some((f) => f.volatility === 's') && !STABLE_BUT_STEADY.has(call.name)) {
    return refuse(`${call.name}() depends on more than its arguments`)
  }
  return call
}

/** @returns the name to call it by, if the role may execute but not name it: policies store functions by identity */
function checkCallable(f: FunctionInfo, label: string, scope: Scope, args: number): { readonly via?: string } {
  const role = scope.catalog.role(scope.role)
  if (!role?.superuser && !f.executableBy.includes(scope.role))
    throw new Refusal(`the role ${role?.name ?? scope.role} may not execute ${label}`, 'role')
  if (f.kind !== 'f') refuse(`${label} is not a plain function`)
  if (f.language !== 'sql' && f.language !== 'plpgsql' && f.volatility !== 'i')
    refuse(`what the function ${label} reads cannot be known: it is written in ${f.language} and not immutable`)
  if (!role || role.superuser || role.schemas.includes(f.schema)) return {}
  // Bodies are resolved again by the role that runs them.
  if (scope.functions.length > 0 || f.variadic)
    throw new Refusal(`the role ${role.name} has no USAGE on the schema of ${label}`, 'role')
  return { via: viaName(f, args) }
}

/** Returns the name of the plan's function that only calls another one. */
export function viaName(f: FunctionInfo, args: number): string {
  const text = JSON.stringify([f.schema, f.name, f.argTypes, args])
  return `sync.call_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

/** Whether a function's reads must be determined; otherwise its declaration is trusted, as in Postgres. */
export function needsBodyAnalysis(f: FunctionInfo): boolean {
  return f.language === 'sql' || (f.language === 'plpgsql' && f.volatility !== 'i')
}

/** Returns a function's body resolved under a search path. */
function bodyUnder(f: FunctionInfo, searchPath: string): ResolvedBody | undefined {
  return f.bodies[''] ?? f.bodies[searchPath]
}

/** Returns the search path a function sets for itself; `undefined` to inherit the caller's. */
export function ownSearchPath(f: FunctionInfo): string | undefined {
  return f.settings.find((setting) => setting.startsWith('search_path='))?.slice('search_path='.length)
}

/** Moves a call out of a body with its own search path: allowed if it means the same outside. */
function keptCall(call: Call, f: FunctionInfo, scope: Scope): Expr {
  const { searchPath } = scope.catalog.input
  if (scope.as !== undefined || scope.searchPath === searchPath || ownSearchPath(f) !== undefined) return call
  const [here, there] = [bodyUnder(f, scope.searchPath), bodyUnder(f, searchPath)]
  if (here && JSON.stringify(here) === JSON.stringify(there)) return call
  return refuse(`what the function ${f.schema}.${f.name} means depends on the search path of its caller`)
}

/** @returns the single query of an SQL function, with arguments substituted */
export function queryOfFunction(call: Call, f: FunctionInfo, scope: Scope): Query {
  const label = `${f.schema}.${f.name}`
  if (f.settings.some((setting) => !setting.startsWith('search_path=')))
    return refuse(`the function ${label} changes settings`)
  const [query, second] = queriesOfFunction(call, f, scope)
  return !query || second ? refuse(`the function ${label} is more than one SELECT`) : query
}

/** @returns the queries of an SQL function, with arguments substituted */
export function queriesOfFunction(call: Call, f: FunctionInfo, scope: Scope): readonly Query[] {
  const label = `${f.schema}.${f.name}`
  checkDisclosed(f.schema, f.name, scope)
  if (scope.functions.includes(label)) return refuse(`the function ${label} calls itself`)
  if (scope.functions.length >= INLINE_DEPTH_MAX)
    return refuse(`functions call each other more than ${INLINE_DEPTH_MAX} deep`)
  if (f.variadic) return refuse(`the function ${label} is variadic`)
  const body = bodyUnder(f, scope.searchPath)
  if (!body) return refuse(`the function ${label} cannot be followed: it has no body`)
  if ('error' in body) return refuse(`the function ${label} cannot be followed: ${body.error}`)
  const statements = parseFunctionBody(body.text)
  if (statements.length === 0 || statements.some((statement) => !('SelectStmt' in statement)))
    return refuse(`the function ${label} does more than read`)
  const inner = scopeOfBody(f, scope, { name: f.bodyName, argNames: f.argNames, args: call.args })
  return statements.map((statement) => scope.convert.query(statement, inner))
}

/** Returns the scope of a function's body. */
export function scopeOfBody(f: FunctionInfo, scope: Scope, call: Scope['call']): Scope {
  const searchPath = ownSearchPath(f) ?? scope.searchPath
  return {
    convert: scope.convert,
    catalog: scope.catalog,
    levels: [],
    ctes: new Map(),
    row: undefined,
    call,
    role: f.securityDefiner ? f.owner : scope.role,
    searchPath,
    inline: scope.inline,
    as: f.securityDefiner ? createRights(f.owner, searchPath) : scope.as,
    functions: [...scope.functions, `${f.schema}.${f.name}`],
    aliases: scope.aliases,
    disclosed: scope.disclosed,
  }
}

function inlineCall(call: Call, f: FunctionInfo, scope: Scope): Expr {
  const { catalog } = scope
  const label = `${f.schema}.${f.name}`
  const returned = catalog.type(baseOf(f.returnType, catalog))
  if (!returned || returned.kind === 'c' || returned.kind === 'p')
    return refuse(`the function ${label} returns no plain value`)
  const query = queryOfFunction(call, f, scope)
  const [target, second] = query.targets
  if (!target || second) return refuse(`the function ${label} does not select one value`)
  const value: Expr =
    isSingleRow(query) && !returnsRows(target.expr, scope)
      ? target.expr
      : {
          kind: 'subquery',
          link: 'scalar',
          tests: [],
          operator: undefined,
          query,
          as: f.securityDefiner ? createRights(f.owner, ownSearchPath(f) ?? scope.searchPath) : scope.as,
        }
  const typed: Expr =
    typeOf(value, catalog) === returned.oid
      ? value
      : { kind: 'cast', arg: value, type: returned.oid, sql: returned.sql, typmod: false }
  return f.strict ? { kind: 'strict', guards: call.args, body: typed } : typed
}
