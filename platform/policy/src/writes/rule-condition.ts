import type { RuleCondition, RuleOperator, RuleTest, RuleType, RuleValue } from '@holdfast/protocol'
import type { TableInfo } from '../catalog/policy-input.ts'
import { isExempt } from '../compile/table-access.ts'
import { localNameOf } from '../compile/local-name.ts'
import { chooseRowKey } from '../row-key.ts'
import { conjunction, conjuncts, type Expr, type From, isBare, isConstant, parseRights } from '../syntax/expression.ts'
import { baseOf, elementOf, OID, typeOf } from '../syntax/typing.ts'
import {
  type ConditionContext,
  type FoundTable,
  type FoundTables,
  isEnum,
  ruleTypeOf,
  scaleOf,
  toRuleValue,
  UNKNOWN,
  unlessRefused,
} from './rule-value.ts'

const TRUE: RuleCondition = { is: 'value', value: { text: 'true' } }
const FALSE: RuleCondition = { is: 'value', value: { text: 'false' } }

/**
 * Converts a policy condition for evaluation on devices. Parts that a device cannot repeat exactly are `unknown`; parts depending only on the user become facts
 * evaluated by Postgres.
 */
export function toRuleCondition(
  expr: Expr,
  context: ConditionContext,
  found: FoundTables = new Map<string, FoundTable>(),
): RuleCondition {
  const convert = (one: Expr): RuleCondition => toRuleCondition(one, context, found)
  if (isConstant(expr, 'true')) return TRUE
  if (isConstant(expr, 'false')) return FALSE
  if (context.facts.dependsOnUser(expr)) return userCondition(expr, context)
  switch (expr.kind) {
    case 'and':
    case 'or':
      return { is: expr.kind, of: expr.args.map(convert) }
    case 'not':
      return { is: 'not', of: convert(expr.arg) }
    case 'test':
      return convertTest(expr, context, found)
    case 'operator': {
      const operator = OPERATORS[expr.name]
      if (expr.schema !== 'pg_catalog' || operator === undefined || !expr.left) return UNKNOWN
      if (isPosition(expr.left) && operator === '>' && isConstant(expr.right, '0'))
        return containment(expr.left, context, found)
      const compared = comparison(operator, expr.left, expr.right, context, found)
      return compared === UNKNOWN ? sameTruth(operator, expr.left, expr.right, context, found) : compared
    }
    case 'array-operator':
      return convertArrayOperator(expr, context, found)
    case 'special':
      return convertSpecial(expr, context, found)
    case 'case':
      if (expr.arg) return UNKNOWN
      return {
        is: 'case',
        whens: expr.whens.map(({ when, value }) => ({ when: convert(when), value: convert(value) })),
        otherwise: expr.otherwise ? convert(expr.otherwise) : { is: 'value', value: { text: null } },
      }
    case 'strict': {
      const guards = expr.guards.map((guard) => toRuleValue(guard, context, found))
      if (guards.some((guard) => guard === undefined)) return UNKNOWN
      const when = or(guards.map((value) => ({ is: 'null', value: value as RuleValue })))
      return {
        is: 'case',
        whens: [{ when, value: { is: 'value', value: { text: null } } }],
        otherwise: convert(expr.body),
      }
    }
    case 'cast':
      if (typeOf(expr.arg, context.catalog) === OID.bool && baseOf(expr.type, context.catalog) === OID.bool)
        return convert(expr.arg)
      return UNKNOWN
    case 'subquery':
      return convertSubquery(expr, context, found)
    default: {
      const value = typeOf(expr, context.catalog) === OID.bool ? toRuleValue(expr, context, found) : undefined
      return value ? { is: 'value', value } : UNKNOWN
    }
  }
}

function or(of: readonly RuleCondition[]): RuleCondition {
  return { is: 'or', of }
}

function userCondition(expr: Expr, { facts }: ConditionContext): RuleCondition {
  try {
    return { is: 'value', value: { fact: facts.addValue(expr) } }
  } catch (error) {
    return unlessRefused(error)
  }
}

const TESTS: Readonly<Record<string, RuleTest>> = {
  'is null': 'null',
  'is unknown': 'null',
  'is not null': 'not null',
  'is not unknown': 'not null',
  'is true': 'true',
  'is not true': 'not true',
  'is false': 'false',
  'is not false': 'not false',
}

function convertTest(
  { test, arg }: Extract<Expr, { kind: 'test' }>,
  context: ConditionContext,
  found: FoundTables,
): RuleCondition {
  const value = test === 'is null' || test === 'is not null' ? toRuleValue(arg, context, found, true) : undefined
  if (value) {
    const isNull: RuleCondition = { is: 'null', value }
    return test === 'is null' ? isNull : { is: 'not', of: isNull }
  }
  const name = TESTS[test]
  if (name === undefined || typeOf(arg, context.catalog) !== OID.bool) return UNKNOWN
  return { is: 'test', test: name, of: toRuleCondition(arg, context, found) }
}

const OPERATORS: Readonly<Record<string, RuleOperator>> = {
  '=': '=',
  '<>': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}

/** Types that devices compare like Postgres, including order. Texts depend on collations. */
const ORDERED: ReadonlySet<RuleType> = new Set(['integer', 'decimal', 'double', 'date', 'moment'])

function comparison(
  operator: RuleOperator,
  left: Expr,
  right: Expr,
  context: ConditionContext,
  found: FoundTables,
): RuleCondition {
  const [leftType, rightType] = [left, right].map((side) => ruleTypeOf(typeOf(side, context.catalog), context.catalog))
  const isLiteral = (side: Expr): boolean => side.kind === 'constant' && side.type === OID.unknown
  const as = isLiteral(left) ? rightType : leftType
  if (as === undefined || !(leftType === rightType || isLiteral(left) || isLiteral(right))) return UNKNOWN
  const isEquality = operator === '=' || operator === '<>' || operator.endsWith('distinct')
  if (!isEquality && !(ORDERED.has(as) && !isEnum(left, context.catalog))) return UNKNOWN
  const [leftValue, rightValue] = [left, right].map((side) => toRuleValue(side, context, found))
  if (!leftValue || !rightValue) return UNKNOWN
  const scale = as === 'decimal' ? scaleOf([left, right], context.table) : undefined
  return { is: 'compare', operator, as, left: leftValue, right: rightValue, ...(scale === undefined ? {} : { scale }) }
}

/** `strpos(text, part)` */
function isPosition(expr: Expr): expr is Extract<Expr, { kind: 'call' }> {
  return expr.kind === 'call' && expr.schema === 'pg_catalog' && expr.name === 'strpos' && expr.args.length === 2
}

function containment(
  { args }: Extract<Expr, { kind: 'call' }>,
  context: ConditionContext,
  found: FoundTables,
): RuleCondition {
  if (args.some((arg) => ruleTypeOf(typeOf(arg, context.catalog), context.catalog) !== 'text')) return UNKNOWN
  const [value, part] = args.map((arg) => toRuleValue(arg, context, found))
  return value && part ? { is: 'contains', value, part } : UNKNOWN
}

/** `(state = 'done') = (done_at is not null)`: both or neither. */
function sameTruth(
  operator: RuleOperator,
  left: Expr,
  right: Expr,
  context: ConditionContext,
  found: FoundTables,
): RuleCondition {
  const isTruth = (side: Expr): boolean => typeOf(side, context.catalog) === OID.bool
  if ((operator !== '=' && operator !== '<>') || !isTruth(left) || !isTruth(right)) return UNKNOWN
  const [a, b] = [toRuleCondition(left, context, found), toRuleCondition(right, context, found)]
  const neither: RuleCondition = {
    is: 'and',
    of: [
      { is: 'not', of: a },
      { is: 'not', of: b },
    ],
  }
  const same = or([{ is: 'and', of: [a, b] }, neither])
  return operator === '=' ? same : { is: 'not', of: same }
}

function convertArrayOperator(
  { quantifier, schema, name, left, right }: Extract<Expr, { kind: 'array-operator' }>,
  context: ConditionContext,
  found: FoundTables,
): RuleCondition {
  const operator = OPERATORS[name]
  if (schema !== 'pg_catalog' || operator === undefined) return UNKNOWN
  if (right.kind === 'special' && right.form === 'array') {
    const of = right.args.map((element) => comparison(operator, left, element, context, found))
    return of.length === 0 ? UNKNOWN : { is: quantifier === 'any' ? 'or' : 'and', of }
  }
  const element = ruleTypeOf(elementOf(typeOf(right, context.catalog), context.catalog), context.catalog)
  if (quantifier !== 'any' || operator !== '=' || !context.facts.dependsOnUser(right)) return UNKNOWN
  return membership(left, element, context, found, () => context.facts.addArray(right))
}

function membership(
  left: Expr,
  element: RuleType | undefined,
  context: ConditionContext,
  found: FoundTables,
  addFact: () => string,
): RuleCondition {
  const as = ruleTypeOf(typeOf(left, context.catalog), context.catalog)
  const value = toRuleValue(left, context, found)
  if (as === undefined || as !== element || !value) return UNKNOWN
  try {
    return { is: 'among', as, value, fact: addFact() }
  } catch (error) {
    return unlessRefused(error)
  }
}

function convertSpecial(
  { form, args }: Extract<Expr, { kind: 'special' }>,
  context: ConditionContext,
  found: FoundTables,
): RuleCondition {
  const [left, right] = args
  if (form === 'is distinct from' && left && right) return comparison('distinct', left, right, context, found)
  if (form === 'is not distinct from' && left && right) return comparison('not distinct', left, right, context, found)
  if (form !== 'coalesce' || args.some((arg) => typeOf(arg, context.catalog) !== OID.bool)) return UNKNOWN
  return { is: 'coalesce', of: args.map((arg) => toRuleCondition(arg, context, found)) }
}

function convertSubquery(
  expr: Extract<Expr, { kind: 'subquery' }>,
  context: ConditionContext,
  found: FoundTables,
): RuleCondition {
  const { catalog, facts } = context
  const { link, query, tests, operator } = expr
  if (link === 'any') {
    const [test, second] = tests
    const [target] = query.targets
    const isEquality = operator?.schema === 'pg_catalog' && operator.name === '='
    const alone: Expr = { ...expr, link: 'array', tests: [], operator: undefined }
    if (!test || second || !target || !isEquality || !facts.dependsOnUser(alone)) return UNKNOWN
    const element = ruleTypeOf(typeOf(target.expr, catalog), catalog)
    return membership(test, element, context, found, () => facts.addQuery(query, alone))
  }
  if (link !== 'exists' || !isBare(query)) return UNKNOWN
  const tables: TableFrom[] = []
  const conditions = [...conjuncts(query.where)]
  if (!query.from.every((from) => openInnerJoins(from, tables, conditions))) return UNKNOWN
  const isShown = tables.every(({ table }) => isFoundOnDevice(table, expr.as, context))
  return isShown && tables.length > 0 ? findRows(tables, conditions, context, found) : UNKNOWN
}

type TableFrom = Extract<From, { kind: 'table' }>

/** @returns false if there is anything but tables and inner joins */
function openInnerJoins(from: From, tables: TableFrom[], conditions: Expr[]): boolean {
  if (from.kind === 'table') {
    tables.push(from)
    return true
  }
  if (from.kind !== 'join' || from.type !== 'inner') return false
  conditions.push(...conjuncts(from.on))
  return openInnerJoins(from.left, tables, conditions) && openInnerJoins(from.right, tables, conditions)
}

/** Whether a row on the device is one the query finds. */
function isFoundOnDevice(
  table: TableInfo,
  as: Extract<Expr, { kind: 'subquery' }>['as'],
  { catalog, synced }: ConditionContext,
): boolean {
  if (!synced.has(table.oid)) return false
  return as === undefined || !table.rls || isExempt(table, parseRights(as).owner, catalog)
}

/** One row per table, found by key. */
function findRows(
  tables: readonly TableFrom[],
  conditions: readonly Expr[],
  context: ConditionContext,
  found: FoundTables,
): RuleCondition {
  if (tables.length === 0)
    return toRuleCondition(conjunction(conditions) ?? { kind: 'constant', sql: 'true', type: OID.bool }, context, found)
  for (const { table, alias } of tables) {
    const keys = chooseRowKey(table.uniqueIndexes)?.columns ?? []
    const [key] = keys
    if (key === undefined || keys.length > 1) continue
    for (const condition of conditions) {
      const id = keyComparedIn(condition, alias, key)
      const value = id && toRuleValue(id, context, found)
      const as = id && ruleTypeOf(typeOf(id, context.catalog), context.catalog)
      const own = table.columns.find(({ name }) => name === key)
      if (!value || as === undefined || as === 'date' || as === 'moment' || as === 'boolean') continue
      if (own?.nondeterministic || as !== ruleTypeOf(own?.typeOid, context.catalog)) continue
      const number = found.size
      const others = tables.filter((other) => other.alias !== alias)
      const rest = conditions.filter((other) => other !== condition)
      const where = findRows(others, rest, context, new Map([...found, [alias, { table, number }]]))
      return { is: 'row', number, table: localNameOf(table, context.catalog), as, id: value, where }
    }
  }
  return UNKNOWN
}

/** Returns what a table's key is compared with. */
function keyComparedIn(condition: Expr, alias: string, key: string): Expr | undefined {
  if (condition.kind !== 'operator' || condition.schema !== 'pg_catalog' || condition.name !== '=') return undefined
  const isKey = (side: Expr | undefined): boolean =>
    side?.kind === 'column' && side.range === alias && side.column === key
  if (isKey(condition.left)) return condition.right
  return isKey(condition.right) ? condition.left : undefined
}
