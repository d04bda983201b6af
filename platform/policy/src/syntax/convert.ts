import { quoteLiteral } from '@holdfast/postgres'
import type { Node } from 'libpg-query'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { TableInfo } from '../catalog/policy-input.ts'
import { refuse } from '../refusal.ts'
import type { BooleanTest, Expr, SpecialForm, Subquery } from './expression.ts'
import { FALSE, isSingleRow, TRUE } from './expression.ts'
import { convertCall, isSubscriptionFunction, returnsRows } from './convert-call.ts'
import { convertQuery } from './convert-query.ts'
import { refuseClock } from './clock.ts'
import { qualify } from './collect-names.ts'
import { nameParts, need } from './names.ts'
import { checkDisclosed, isOpaque, opaque, resolveName, type Scope } from './scope.ts'
import { baseOf, mayReadClock, OID, typeOf } from './typing.ts'
import { convertType } from './convert-type.ts'

type NodeOf<Kind extends string> = Extract<Node, Record<Kind, unknown>>[Kind &
  keyof Extract<Node, Record<Kind, unknown>>]

const BOOLEAN_TESTS: Readonly<Record<string, BooleanTest>> = {
  IS_TRUE: 'is true',
  IS_NOT_TRUE: 'is not true',
  IS_FALSE: 'is false',
  IS_NOT_FALSE: 'is not false',
  IS_UNKNOWN: 'is unknown',
  IS_NOT_UNKNOWN: 'is not unknown',
}

/**
 * Creates a scope containing only the row.
 *
 * @param aliases - all aliases used in this compilation
 * @param disclosed - see {@link Scope}
 */
export function createScope(
  catalog: PolicyCatalog,
  role: number,
  row: TableInfo | undefined,
  aliases: Set<string>,
  disclosed?: ReadonlySet<string>,
): Scope {
  const convert = { expr: convertExpr, query: convertQuery }
  return {
    convert,
    catalog,
    levels: [],
    ctes: new Map(),
    row,
    call: undefined,
    role,
    searchPath: catalog.input.searchPath,
    inline: true,
    as: undefined,
    functions: [],
    aliases,
    disclosed,
  }
}

/** Converts a parse tree to an expression with resolved names. Refuses unknown syntax. */
export function convertExpr(node: Node, scope: Scope): Expr {
  if ('A_Const' in node) return convertConstant(node.A_Const)
  if ('ColumnRef' in node) return resolveName(columnParts(node.ColumnRef.fields ?? []), scope)
  if ('TypeCast' in node) return convertCast(node.TypeCast, scope)
  if ('A_Expr' in node) return convertOperator(node.A_Expr, scope)
  if ('BoolExpr' in node) return convertBoolean(node.BoolExpr, scope)
  if ('FuncCall' in node) return convertCall(node.FuncCall, scope)
  if ('SubLink' in node) return convertSubLink(node.SubLink, scope)
  if ('NullTest' in node) {
    const arg = convertExpr(need(node.NullTest.arg), scope)
    return { kind: 'test', test: node.NullTest.nulltesttype === 'IS_NULL' ? 'is null' : 'is not null', arg }
  }
  if ('BooleanTest' in node) {
    const test = BOOLEAN_TESTS[node.BooleanTest.booltesttype ?? ''] ?? refuse('an unknown boolean test')
    return { kind: 'test', test, arg: convertExpr(need(node.BooleanTest.arg), scope) }
  }
  if ('CoalesceExpr' in node) return special('coalesce', node.CoalesceExpr.args, scope)
  if ('MinMaxExpr' in node)
    return special(node.MinMaxExpr.op === 'IS_LEAST' ? 'least' : 'greatest', node.MinMaxExpr.args, scope)
  if ('A_ArrayExpr' in node) return special('array', node.A_ArrayExpr.elements, scope)
  if ('RowExpr' in node) return special('row', node.RowExpr.args, scope)
  if ('CaseExpr' in node) return convertCase(node.CaseExpr, scope)
  if ('CollateClause' in node) {
    const [schema, name] = qualify(nameParts(node.CollateClause.collname))
    return { kind: 'collate', arg: convertExpr(need(node.CollateClause.arg), scope), schema, name }
  }
  if ('A_Indirection' in node) return convertIndirection(node.A_Indirection, scope)
  if ('ParamRef' in node) {
    return scope.call?.args[(node.ParamRef.number ?? 0) - 1] ?? refuse('a parameter without an argument')
  }
  if ('SQLValueFunction' in node) return convertKeyword(node.SQLValueFunction.op ?? '')
  return refuse(`the syntax ${Object.keys(node)[0] ?? '?'} is not followed`)
}

function convertConstant(constant: NodeOf<'A_Const'>): Expr {
  if (constant.isnull) return { kind: 'constant', sql: 'null', type: OID.unknown }
  if (constant.boolval) return constant.boolval.boolval ? TRUE : FALSE
  if (constant.ival) return { kind: 'constant', sql: String(constant.ival.ival ?? 0), type: OID.int4 }
  if (constant.sval) return { kind: 'constant', sql: quoteLiteral(constant.sval.sval ?? ''), type: OID.unknown }
  if (constant.fval) {
    const text = constant.fval.fval ?? '0'
    const fits = /^\d+$/.test(text) && BigInt(text) < 2n ** 63n
    return { kind: 'constant', sql: text, type: fits ? OID.int8 : OID.numeric }
  }
  return refuse('a bit string constant is not followed')
}

function columnParts(fields: readonly Node[]): readonly string[] {
  return fields.map((field) =>
    'String' in field ? (field.String.sval ?? '') : refuse('a whole row (*) is not followed'),
  )
}

function convertCast(cast: NodeOf<'TypeCast'>, scope: Scope): Expr {
  const arg = convertExpr(need(cast.arg), scope)
  const type = convertType(cast.typeName ?? refuse('a cast without a type'), scope.catalog)
  const expr: Extract<Expr, { kind: 'cast' }> = { kind: 'cast', arg, ...type }
  const from = typeOf(arg, scope.catalog)
  const target = baseOf(type.type, scope.catalog)
  const possible = scope.catalog.castsTo(target).filter((cast) => from === undefined || cast.source === from)
  for (const { code } of possible) if (code) checkDisclosed(code.schema, code.name, scope)
  if (arg.kind !== 'constant' && possible.some((cast) => !cast.system && cast.volatility !== 'i')) {
    refuse(`what the conversion to ${type.sql} reads cannot be known: its function is not immutable`)
  }
  if (mayReadClock(expr, scope.catalog)) {
    const fixed = fixedParameter(arg)
    if (fixed) return { ...expr, arg: fixed }
    refuse(`a text is read as ${type.sql}, and such a text can name the moment of the reading`)
  }
  return expr
}

/** Reads a subscription parameter as a date or time. Postgres rejects words such as `today`, whose meaning changes daily. */
function fixedParameter(arg: Expr): Expr | undefined {
  if (arg.kind !== 'call' || !isSubscriptionFunction(arg)) return undefined
  const name = FIXED_PARAMETERS[arg.name]
  return name === undefined ? undefined : { ...arg, name, args: [arg] }
}

/** Functions that validate the texts returned by these. */
const FIXED_PARAMETERS: Readonly<Record<string, string>> = { parameter: 'moment', elements: 'moments' }

function convertOperator(node: NodeOf<'A_Expr'>, scope: Scope): Expr {
  const written = asPrinted(node)
  if (written) return convertExpr(written, scope)
  const [schema, name] = qualify(nameParts(node.name))
  checkOperator(schema, name, scope)
  const left = node.lexpr && convertExpr(node.lexpr, scope)
  const right = convertExpr(need(node.rexpr), scope)
  switch (node.kind) {
    case 'AEXPR_OP':
    case 'AEXPR_LIKE':
    case 'AEXPR_ILIKE': {
      return { kind: 'operator', schema, name, left, right }
    }
    case 'AEXPR_OP_ANY':
    case 'AEXPR_OP_ALL':
      if (!left) return refuse('an incomplete comparison')
      return {
        kind: 'array-operator',
        quantifier: node.kind === 'AEXPR_OP_ANY' ? 'any' : 'all',
        schema,
        name,
        left,
        right,
      }
    case 'AEXPR_DISTINCT':
    case 'AEXPR_NOT_DISTINCT':
    case 'AEXPR_NULLIF': {
      if (!left) return refuse('an incomplete comparison')
      if (schema !== 'pg_catalog') return refuse(`the operator ${schema}.${name} is not followed there`)
      const form: SpecialForm =
        node.kind === 'AEXPR_DISTINCT'
          ? 'is distinct from'
          : node.kind === 'AEXPR_NULLIF'
            ? 'nullif'
            : 'is not distinct from'
      return { kind: 'special', form, args: [left, right] }
    }
    default:
      return refuse(`the syntax ${node.kind ?? '?'} is not followed`)
  }
}

/** Rewrites `IN (…)` and `BETWEEN` as Postgres prints them; PL/pgSQL keeps them as written. */
function asPrinted({ kind, name, lexpr, rexpr }: NodeOf<'A_Expr'>): Node | undefined {
  const items = rexpr && 'List' in rexpr ? (rexpr.List.items ?? []) : []
  if (kind === 'AEXPR_IN') {
    const isIn = nameParts(name).at(-1) === '='
    const array: Node = { A_ArrayExpr: { elements: items } }
    return operation(isIn ? 'AEXPR_OP_ANY' : 'AEXPR_OP_ALL', isIn ? '=' : '<>', lexpr, array)
  }
  const [low, high] = items
  if (kind !== 'AEXPR_BETWEEN' && kind !== 'AEXPR_NOT_BETWEEN') return undefined
  const args = [operation('AEXPR_OP', '>=', lexpr, low), operation('AEXPR_OP', '<=', lexpr, high)]
  const between: Node = { BoolExpr: { boolop: 'AND_EXPR', args } }
  return kind === 'AEXPR_BETWEEN' ? between : { BoolExpr: { boolop: 'NOT_EXPR', args: [between] } }
}

function operation(
  kind: NonNullable<NodeOf<'A_Expr'>['kind']>,
  name: string,
  left: Node | undefined,
  right: Node | undefined,
): Node {
  return { A_Expr: { kind, name: [{ String: { sval: name } }], lexpr: need(left), rexpr: need(right) } }
}

/** A user-defined operator is a function that may read anything unless declared otherwise. */
function checkOperator(schema: string, name: string, scope: Scope): void {
  const candidates = scope.catalog.operators(schema, name)
  for (const { code } of schema === 'pg_catalog' ? [] : candidates) checkDisclosed(code.schema, code.name, scope)
  if (schema === 'pg_catalog' && candidates.some((operator) => operator.volatility === 'v'))
    refuse(`the operator ${name} is volatile`)
  if (schema === 'pg_catalog' || candidates.every((operator) => operator.volatility === 'i')) return
  if (!scope.inline) return // its reads are determined with the condition's
  refuse(`what the operator ${schema}.${name} reads cannot be known: its function is not immutable`)
}

function convertBoolean(node: NodeOf<'BoolExpr'>, scope: Scope): Expr {
  const args = (node.args ?? []).map((arg) => convertExpr(arg, scope))
  const [first] = args
  if (node.boolop === 'NOT_EXPR') return first ? { kind: 'not', arg: first } : refuse('an incomplete parse tree')
  return { kind: node.boolop === 'OR_EXPR' ? 'or' : 'and', args }
}

function special(form: SpecialForm, args: readonly Node[] | undefined, scope: Scope): Expr {
  return { kind: 'special', form, args: (args ?? []).map((arg) => convertExpr(arg, scope)) }
}

function convertCase(node: NodeOf<'CaseExpr'>, scope: Scope): Expr {
  return {
    kind: 'case',
    arg: node.arg && convertExpr(node.arg, scope),
    whens: (node.args ?? []).map((branch) => {
      if (!('CaseWhen' in branch)) return refuse('an incomplete parse tree')
      return {
        when: convertExpr(need(branch.CaseWhen.expr), scope),
        value: convertExpr(need(branch.CaseWhen.result), scope),
      }
    }),
    otherwise: node.defresult && convertExpr(node.defresult, scope),
  }
}

function convertIndirection(node: NodeOf<'A_Indirection'>, scope: Scope): Expr {
  const [field, second] = node.indirection ?? []
  const arg = convertExpr(need(node.arg), scope)
  // A field of a PL/pgSQL variable.
  if (field && !second && 'String' in field && isOpaque(arg)) return opaque(field.String.sval ?? '', undefined)
  const indexes = (node.indirection ?? []).map((index) => {
    if (!('A_Indices' in index) || index.A_Indices.is_slice)
      return refuse('fields of composite values and array slices are not followed')
    return convertExpr(need(index.A_Indices.uidx), scope)
  })
  return { kind: 'subscript', arg, indexes }
}

function convertKeyword(op: string): Expr {
  switch (op) {
    case 'SVFOP_CURRENT_USER':
    case 'SVFOP_USER':
    case 'SVFOP_CURRENT_ROLE':
      return { kind: 'keyword', name: 'current_user' }
    case 'SVFOP_SESSION_USER':
      return { kind: 'keyword', name: 'session_user' }
    case 'SVFOP_CURRENT_CATALOG':
    case 'SVFOP_CURRENT_SCHEMA':
      return refuse('it reads settings of the session')
    case 'SVFOP_CURRENT_TIMESTAMP':
      return NOW
    case 'SVFOP_LOCALTIMESTAMP':
      return { kind: 'cast', arg: NOW, type: OID.timestamp, sql: 'timestamp without time zone', typmod: false }
    case 'SVFOP_CURRENT_DATE':
      return { kind: 'cast', arg: NOW, type: OID.date, sql: 'date', typmod: false }
    default:
      return refuseClock()
  }
}

const NOW: Expr = {
  kind: 'call',
  schema: 'pg_catalog',
  name: 'now',
  args: [],
  star: false,
  distinct: false,
  as: undefined,
}

function convertSubLink(node: NodeOf<'SubLink'>, scope: Scope): Expr {
  const query = convertQuery(need(node.subselect), scope)
  const test = node.testexpr && convertExpr(node.testexpr, scope)
  const tests = test === undefined ? [] : test.kind === 'special' && test.form === 'row' ? test.args : [test]
  const [schema, name] = node.operName ? qualify(nameParts(node.operName)) : (['pg_catalog', '='] as const)
  if (node.operName) checkOperator(schema, name, scope)
  const base = { kind: 'subquery', tests, operator: undefined, query, as: scope.as } as const
  const compared = { ...base, operator: { schema, name } } satisfies Omit<Subquery, 'link'>
  switch (node.subLinkType) {
    case 'EXISTS_SUBLINK':
      return { ...base, link: 'exists' }
    case 'ANY_SUBLINK':
      return { ...compared, link: 'any' }
    case 'ALL_SUBLINK':
      return { ...compared, link: 'all' }
    case 'EXPR_SUBLINK': {
      const [target] = query.targets
      // `(select auth.uid())`: idiom for evaluating it once.
      if (target && query.targets.length === 1 && isSingleRow(query) && !returnsRows(target.expr, scope))
        return target.expr
      return { ...base, link: 'scalar' }
    }
    case 'ARRAY_SUBLINK':
      return { ...base, link: 'array' }
    default:
      return refuse(`the syntax ${node.subLinkType ?? '?'} is not followed`)
  }
}
