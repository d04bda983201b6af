import type { FunctionInfo } from '../catalog/policy-input.ts'
import { refuse } from '../refusal.ts'
import { createScope } from '../syntax/convert.ts'
import {
  isClaimFunction,
  needsBodyAnalysis,
  isSubscriptionFunction,
  ownSearchPath,
  queriesOfFunction,
} from '../syntax/convert-call.ts'
import { createRights, type Expr } from '../syntax/expression.ts'
import { opaque } from '../syntax/scope.ts'
import { functionsOf, operatorsOf } from '../syntax/typing.ts'
import { rangesIn } from './clock-dependencies.ts'
import { eitherWay, NO_TABLE, type Reader, readerAs, type Visit } from './dependency-reading.ts'
import { hasEqualRows, isOrderedWhole, returnsOneRow, withoutLimit } from './from.ts'
import { queriesOfProcedure } from './queries-of-procedure.ts'

/** Visits the function of a call. */
export function visitCall(call: Extract<Expr, { kind: 'call' }>, reader: Reader, visit: Visit): void {
  if (isSubscriptionFunction(call) && reader.tables.some((table) => table !== NO_TABLE))
    return refuse(
      'a policy that reads what the device asks for (subscription.…) would let it widen what its person may see',
    )
  if (call.schema === 'pg_catalog' || isClaimFunction(call)) return
  const [meant, other] = functionsOf(call, visit.catalog)
  if (!meant || other) return refuse(`which function ${call.schema}.${call.name} means is not certain`)
  if (needsBodyAnalysis(meant)) visitFunction(call, meant, readerAs(call.as, reader), visit)
}

/** Visits the function of a user-defined operator. */
export function visitOperator(
  expr: Extract<Expr, { kind: 'operator' | 'array-operator' }>,
  reader: Reader,
  visit: Visit,
): void {
  if (expr.schema === 'pg_catalog') return
  const { catalog } = visit
  const candidates = expr.kind === 'operator' ? operatorsOf(expr, catalog) : catalog.operators(expr.schema, expr.name)
  for (const { code, volatility } of candidates) {
    if (volatility === 'i') continue
    for (const f of catalog.functions(code.schema, code.name)) {
      const args = f.argTypes.map((type, index) => opaque(`argument ${index}`, type))
      const { schema, name } = code
      const call = { kind: 'call', schema, name, args, star: false, distinct: false, as: undefined } as const
      if (f.language !== 'sql' && f.language !== 'plpgsql')
        refuse(`what the operator ${expr.schema}.${expr.name} reads cannot be known: it is written in ${f.language}`)
      if (needsBodyAnalysis(f)) visitFunction(call, f, reader, visit)
    }
  }
}

function visitFunction(
  call: Extract<Expr, { kind: 'call' }>,
  f: FunctionInfo,
  { role, searchPath, rights, tables, functions }: Reader,
  visit: Visit,
): void {
  const { catalog } = visit
  const label = `${f.schema}.${f.name}`
  if (f.settings.some((setting) => /^(role|session_authorization|row_security)=/.test(setting)))
    refuse(`the function ${label} changes whose rights it runs with`)
  const innerPath = ownSearchPath(f) ?? searchPath
  const inner: Reader = {
    role: f.securityDefiner ? f.owner : role,
    searchPath: innerPath,
    rights: f.securityDefiner ? createRights(f.owner, innerPath) : innerPath === searchPath ? rights : 'mixed',
    tables,
    functions: [...functions, label],
  }
  const again = `${label} again`
  if (functions.includes(again)) return
  if (functions.includes(label)) {
    // For recursion the arguments are unknown, so visit once more with opaque ones.
    const args = call.args.map((_, index) => opaque(`argument ${index}`, f.argTypes[index]))
    const outside = functions.filter((one) => one !== label)
    visitBody(
      { ...call, args },
      f,
      { ...inner, functions: [...outside, again] },
      { role, searchPath, functions: outside },
      visit,
    )
    return
  }
  visitBody(call, f, inner, { role, searchPath, functions }, visit)
  function visitBody(
    called: Extract<Expr, { kind: 'call' }>,
    meant: FunctionInfo,
    bodyReader: Reader,
    caller: { readonly role: number; readonly searchPath: string; readonly functions: readonly string[] },
    { found, follow }: Visit,
  ): void {
    const scope = { ...createScope(catalog, caller.role, undefined, new Set<string>()), ...caller }
    const queries = eitherWay(scope, (one) =>
      meant.language === 'sql'
        ? queriesOfFunction(called, meant, one).map((query) => ({ query, takesFirst: false }))
        : queriesOfProcedure(called, meant, one),
    )
    queries.forEach(({ query, takesFirst }, index) => {
      const isAnswer = meant.language === 'sql' && !meant.returnsSet && index === queries.length - 1
      const first = takesFirst || isAnswer
      if (first && !returnsOneRow(withoutLimit(query), catalog) && !isOrderedWhole(query) && !hasEqualRows(query))
        refuse(`the function ${label} takes the first of several rows, and which one that is is not certain`)
      follow.query(first ? withoutLimit(query) : query, bodyReader, found, catalog, rangesIn(called.args))
    })
  }
}
