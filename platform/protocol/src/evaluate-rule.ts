import type { RuleCondition, RuleOperator, RuleTest, RuleType, RuleValue, WriteRules } from './write-rules.ts'

/** A row of the local database. Missing columns are unknown. */
export type RuleRow = Readonly<Record<string, unknown>>

export interface RuleContext {
  readonly rules: WriteRules
  /** The row being checked. */
  readonly row: RuleRow
  readonly rowOf: (table: string, id: string) => RuleRow | null | undefined
  readonly isCurrent: (reads: readonly string[]) => boolean
}

/** Possible results of a condition: a set of the bits {@link TRUE}, {@link FALSE} and {@link NULL}. */
export type Outcome = number

const TRUE = 1
const FALSE = 2
const NULL = 4
const ANY = TRUE | FALSE | NULL

/** Returns whether a condition is certainly false; constraints reject only false. */
export function isFalse(outcome: Outcome): boolean {
  return outcome === FALSE
}

/** Returns whether a condition is certainly not true; policies accept only true. */
export function isNeverTrue(outcome: Outcome): boolean {
  return (outcome & TRUE) === 0
}

export function isTrue(outcome: Outcome): boolean {
  return outcome === TRUE
}

type FoundRows = ReadonlyMap<number, RuleRow>

/** @returns all possible results of the condition, for any values of the unknowns */
export function evaluateRule(
  condition: RuleCondition,
  context: RuleContext,
  found: FoundRows = new Map<number, RuleRow>(),
): Outcome {
  const evaluate = (one: RuleCondition): Outcome => evaluateRule(one, context, found)
  switch (condition.is) {
    case 'and':
      return condition.of.map(evaluate).reduce((left, right) => combine(left, right, conjunction), TRUE)
    case 'or':
      return condition.of.map(evaluate).reduce((left, right) => combine(left, right, disjunction), FALSE)
    case 'not':
      return map(evaluate(condition.of), (bit) => (bit === TRUE ? FALSE : bit === FALSE ? TRUE : NULL))
    case 'test':
      return map(evaluate(condition.of), (bit) => (meets(condition.test, bit) ? TRUE : FALSE))
    case 'compare': {
      const [left, right] = [condition.left, condition.right].map((value) => valueOf(value, context, found))
      return compare(condition.operator, condition.as, left, right, condition.scale)
    }
    case 'contains': {
      const [value, part] = [condition.value, condition.part].map((one) => valueOf(one, context, found))
      if (value === undefined || part === undefined) return ANY
      if (value === null || part === null) return NULL
      return String(value).includes(String(part)) ? TRUE : FALSE
    }
    case 'among':
      return among(condition.as, valueOf(condition.value, context, found), factOf(condition.fact, context))
    case 'null': {
      const value = valueOf(condition.value, context, found)
      return value === undefined ? TRUE | FALSE : value === null ? TRUE : FALSE
    }
    case 'value':
      return truthOf(valueOf(condition.value, context, found))
    case 'coalesce':
      return condition.of
        .map(evaluate)
        .reduce((known, next) => ((known & NULL) === 0 ? known : (known & ~NULL) | next), NULL)
    case 'case':
      return evaluateCase(condition, evaluate)
    case 'row':
      return evaluateRow(condition, context, found)
    default:
      return ANY // a newer server may send other kinds
  }
}

function evaluateCase(
  { whens, otherwise }: Extract<RuleCondition, { is: 'case' }>,
  evaluate: (condition: RuleCondition) => Outcome,
): Outcome {
  let outcome = 0
  for (const { when, value } of whens) {
    const chosen = evaluate(when)
    if ((chosen & TRUE) !== 0) outcome |= evaluate(value)
    if (chosen === TRUE) return outcome
  }
  return outcome | evaluate(otherwise)
}

function evaluateRow(
  { number, table, as, id, where }: Extract<RuleCondition, { is: 'row' }>,
  context: RuleContext,
  found: FoundRows,
): Outcome {
  const value = valueOf(id, context, found)
  if (value === null) return FALSE
  const key = value === undefined ? undefined : canonical(as, value)
  const row = key === undefined ? undefined : context.rowOf(table, String(key))
  if (!row) return TRUE | FALSE // the row may exist without being visible to this user
  const outcome = evaluateRule(where, context, new Map([...found, [number, row]]))
  return map(outcome, (bit) => (bit === TRUE ? TRUE : FALSE))
}

/** @returns `undefined` if unknown */
export function valueOf(value: RuleValue, context: RuleContext, found: FoundRows): unknown {
  if ('text' in value) return value.text
  if ('fact' in value) {
    const fact = factOf(value.fact, context)
    return Array.isArray(fact) ? undefined : fact
  }
  if ('call' in value) return callOf(value, valueOf(value.of, context, found))
  const row = value.of === undefined ? context.row : found.get(value.of)
  return row && Object.hasOwn(row, value.column) ? row[value.column] : undefined
}

function callOf({ call }: Extract<RuleValue, { call: string }>, of: unknown): unknown {
  if (typeof of !== 'string') return of === null ? null : undefined
  switch (call) {
    case 'length':
      return [...of].length // SQL counts code points
    case 'btrim':
      return of.replace(/^ +/, '').replace(/ +$/, '')
    case 'rtrim':
      return of.replace(/ +$/, '')
    case 'lower':
      return ASCII.test(of) ? of.toLowerCase() : undefined // other letters depend on the locale of the database
    default:
      return undefined // a newer server may send other calls
  }
}

// oxlint-disable-next-line no-control-regex
const ASCII = /^[\u0000-\u007f]*$/

function factOf(name: string, { rules, isCurrent }: RuleContext): unknown {
  const fact = Object.hasOwn(rules.facts, name) ? rules.facts[name] : undefined
  return fact && isCurrent(fact.reads) ? fact.value : undefined
}

function compare(operator: RuleOperator, as: RuleType, left: unknown, right: unknown, scale?: number): Outcome {
  const isDistinctness = operator === 'distinct' || operator === 'not distinct'
  if (left === undefined || right === undefined) return isDistinctness ? TRUE | FALSE : ANY
  if (left === null || right === null) {
    if (!isDistinctness) return NULL
    return (left === right) === (operator === 'not distinct') ? TRUE : FALSE
  }
  const [a, b] = [canonical(as, left, scale), canonical(as, right, scale)]
  if (a === undefined || b === undefined) return isDistinctness ? TRUE | FALSE : ANY
  return holds(operator, a, b) ? TRUE : FALSE
}

function holds(operator: RuleOperator, a: Canonical, b: Canonical): boolean {
  switch (operator) {
    case '=':
    case 'not distinct':
      return a === b
    case '<>':
    case 'distinct':
      return a !== b
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
  }
}

/** Evaluates `value in (list)`: without a match, a NULL in the list makes it NULL, as in SQL. */
function among(as: RuleType, value: unknown, list: unknown): Outcome {
  if (list === null) return NULL // the array itself is NULL
  if (!Array.isArray(list)) return ANY
  if (list.length === 0) return FALSE
  if (value === undefined) return ANY
  if (value === null) return NULL
  const outcomes = list.map((one: unknown) => compare('=', as, value, one))
  return outcomes.reduce((left, right) => combine(left, right, disjunction), FALSE)
}

function truthOf(value: unknown): Outcome {
  if (value === undefined) return ANY
  if (value === null) return NULL
  const truth = canonical('boolean', value)
  return truth === undefined ? ANY : truth === 1n ? TRUE : FALSE
}

const FORMS: Readonly<Partial<Record<RuleType, RegExp>>> = {
  text: /^[\s\S]*$/,
  integer: /^-?\d{1,19}$/,
  decimal: /^-?\d{1,40}(\.\d{1,40})?$/,
  double: /^-?\d+(\.\d+)?(e[-+]?\d+)?$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  date: /^\d{4}-\d\d-\d\d$/,
  moment: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[-+]\d\d(:?[0-5]\d)?)$/,
}

const BOOLEANS: Readonly<Record<string, bigint>> = { true: 1n, t: 1n, '1': 1n, false: 0n, f: 0n, '0': 0n }

type Canonical = bigint | string | number

/** Returns a canonical form in which equal values are identical; `undefined` if it is uncertain. */
function canonical(as: RuleType, value: unknown, scale?: number): Canonical | undefined {
  const isFraction = as === 'decimal' || as === 'double'
  if (typeof value === 'number' && !isFraction && !Number.isSafeInteger(value)) return undefined
  const isPlain =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
  if (!isPlain) return undefined
  if (as === 'boolean') return BOOLEANS[String(value)]
  const text = as === 'uuid' ? String(value).toLowerCase() : String(value)
  if (FORMS[as]?.test(text) !== true) return undefined // a newer server may send other types
  if (as === 'decimal') return decimalOf(text, scale)
  if (as === 'moment') return microsecondsOf(text)
  if (as === 'double') return Number.isFinite(Number(text)) ? Number(text) : undefined
  return as === 'integer' ? BigInt(text) : text
}

/** Parses a time with its offset in microseconds, matching {@link FORMS}. */
function microsecondsOf(text: string): bigint | undefined {
  const [, day = '', time = '', fraction = '', sign, hours = '0', minutes = '0'] =
    /^(.{10}).(.{8})(?:\.(\d+))?(?:Z|([-+])(\d\d):?(\d\d)?)$/.exec(text) ?? []
  const ms = Date.parse(`${day}T${time}Z`)
  if (Number.isNaN(ms)) return undefined
  const offsetS = (Number(hours) * 60 + Number(minutes)) * 60 * (sign === '-' ? -1 : 1)
  return BigInt(ms - offsetS * 1_000) * 1_000n + BigInt(fraction.padEnd(6, '0'))
}

/** Digits after the decimal point used to compare decimals, matching {@link FORMS}. */
const FRACTION_DIGITS = 40

/** Parses a decimal in units of its last digit; `undefined` if Postgres would round it to `scale`. */
function decimalOf(text: string, scale: number | undefined): bigint | undefined {
  const [whole = '', fraction = ''] = text.split('.')
  if (scale !== undefined && fraction.replace(/0+$/, '').length > scale) return undefined
  return BigInt(whole + fraction.padEnd(FRACTION_DIGITS, '0'))
}

function meets(test: RuleTest, bit: number): boolean {
  switch (test) {
    case 'null':
      return bit === NULL
    case 'not null':
      return bit !== NULL
    case 'true':
      return bit === TRUE
    case 'not true':
      return bit !== TRUE
    case 'false':
      return bit === FALSE
    case 'not false':
      return bit !== FALSE
  }
}

const BITS = [TRUE, FALSE, NULL] as const

function map(outcome: Outcome, change: (bit: number) => number): Outcome {
  return BITS.reduce((all: number, bit) => ((outcome & bit) === 0 ? all : all | change(bit)), 0)
}

function combine(left: Outcome, right: Outcome, join: (left: number, right: number) => number): Outcome {
  return BITS.reduce(
    (all: number, bit) => ((left & bit) === 0 ? all : all | map(right, (other) => join(bit, other))),
    0,
  )
}

function conjunction(left: number, right: number): number {
  if (left === FALSE || right === FALSE) return FALSE
  return left === NULL || right === NULL ? NULL : TRUE
}

function disjunction(left: number, right: number): number {
  if (left === TRUE || right === TRUE) return TRUE
  return left === NULL || right === NULL ? NULL : FALSE
}
