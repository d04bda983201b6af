import type { FuncCall } from 'libpg-query'
import type { FunctionInfo } from '../catalog/policy-input.ts'
import { refuse } from '../refusal.ts'
import type { Expr } from './expression.ts'
import { need } from './names.ts'
import { parsePolicyExpression } from './parse.ts'
import type { Scope } from './scope.ts'
import { functionsOf } from './typing.ts'

interface WrittenArguments {
  readonly positional: readonly Expr[]
  readonly named: ReadonlyMap<string, Expr>
}

/** Returns a call's arguments in parameter order with defaults filled in. Postgres stores calls as written and completes them at planning. */
export function convertArguments(node: FuncCall, schema: string, name: string, scope: Scope): readonly Expr[] {
  const { positional, named } = writtenArguments(node, scope)
  const { catalog } = scope
  if (named.size > 0) {
    const label = schema === 'pg_catalog' ? name : `${schema}.${name}`
    const fitting = catalog.functions(schema, name).flatMap((f) => {
      const args = inOrder(f, positional, named)
      return args ? [{ f, args }] : []
    })
    const [only, other] = fitting
    if (!only || other) return refuse(`which function ${label} means is not certain`)
    return complete(only.f, only.args, scope)
  }
  const call = { kind: 'call', schema, name, args: positional, star: false, distinct: false, as: scope.as } as const
  const [meant, other] = functionsOf(call, catalog)
  if (!meant || other || meant.variadic || positional.length >= meant.argTypes.length) return positional
  return complete(meant, positional, scope)
}

function writtenArguments(node: FuncCall, scope: Scope): WrittenArguments {
  const positional: Expr[] = []
  const named = new Map<string, Expr>()
  for (const arg of node.args ?? []) {
    if ('NamedArgExpr' in arg) {
      const { name = '', arg: value } = arg.NamedArgExpr
      named.set(name, scope.convert.expr(need(value), scope))
    } else positional.push(scope.convert.expr(arg, scope))
  }
  return { positional, named }
}

/** @returns `undefined` if the parameters do not match, or one without a default is missing */
function inOrder(
  f: FunctionInfo,
  positional: readonly Expr[],
  named: ReadonlyMap<string, Expr>,
): readonly (Expr | undefined)[] | undefined {
  if (f.variadic || positional.length + named.size > f.argTypes.length) return undefined
  const args: (Expr | undefined)[] = f.argTypes.map((_, index) => positional[index])
  for (const [name, value] of named) {
    const index = f.argNames.indexOf(name)
    if (index < positional.length) return undefined
    args[index] = value
  }
  const isComplete = args.every((arg, index) => arg !== undefined || typeof f.argDefaults[index] === 'string')
  return isComplete ? args : undefined
}

function complete(f: FunctionInfo, args: readonly (Expr | undefined)[], scope: Scope): readonly Expr[] {
  // A default references no columns; its calls run with the caller's rights.
  const inner: Scope = { ...scope, levels: [], ctes: new Map(), row: undefined, call: undefined }
  return f.argTypes.map((_, index) => {
    const given = args[index]
    if (given) return given
    const text = f.argDefaults[index] ?? refuse(`an argument of ${f.schema}.${f.name} is missing`)
    return scope.convert.expr(parsePolicyExpression(text), inner)
  })
}
