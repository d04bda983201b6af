import { FORMULA_NODES_MAX, type Formula, FormulaError, type FormulaType, isDay } from './formula.ts'
import { type ArgumentType, FORMULA_FUNCTIONS, type FormulaFunction, functionOf } from './functions.ts'
import { nearestOf } from './nearest.ts'

/** What a formula is checked against. */
export interface CheckContext {
  /** Returns the type of a column; throws or returns `undefined` if formulas cannot read it. */
  readonly typeOf: (column: string) => FormulaType | undefined
  /** Positions of the parts in the text, for errors. */
  readonly positions?: ReadonlyMap<Formula, readonly [from: number, to: number]>
}

const ORDERED = new Set(['<', '<=', '>', '>='])
const DIGITS_MAX = 6

/** Returns the type of a formula. Throws a `FormulaError` if its parts do not fit. */
export function checkFormula(formula: Formula, context: CheckContext): FormulaType {
  const refuse = (part: Formula, problem: FormulaError['problem']): never => {
    throw new FormulaError(problem, ...(context.positions?.get(part) ?? [0, 0]))
  }
  let size = 0
  const typeOf = (part: Formula): FormulaType => {
    size += 1
    if (size > FORMULA_NODES_MAX) return refuse(formula, { code: 'too_large', most: FORMULA_NODES_MAX })
    if ('text' in part) return 'text'
    if ('number' in part) return 'number'
    if ('boolean' in part) return 'boolean'
    if ('date' in part) return isDay(part.date) ? 'date' : refuse(part, { code: 'date', found: part.date })
    if ('field' in part) return context.typeOf(part.field) ?? refuse(part, { code: 'unreadable', found: part.field })
    return typeOfCall(part)
  }
  const typeOfCall = (part: Extract<Formula, { readonly call: string }>): FormulaType => {
    const called = functionOf(part.call)
    if (!called || part.call === 'date') return refuse(part, unknownFunction(part.call))
    const wanted = argumentsOf(part.call, called, part.of.length)
    if (!wanted) return refuse(part, { code: 'arguments', of: part.call, usage: called.usage ?? part.call })
    const shared = new Map<ArgumentType, FormulaType>()
    for (const [index, argument] of part.of.entries()) {
      const found = typeOf(argument)
      const want = wanted[index] ?? 'any'
      if (want === 'any') continue
      if (want === 'same' || want === 'case') {
        const first = shared.get(want)
        if (first === undefined) shared.set(want, found)
        else if (first !== found) refuse(argument, { code: 'same_type', of: part.call, wanted: first, found })
      } else if (want !== found) {
        refuse(argument, { code: 'type', of: part.call, wanted: want, found })
      }
    }
    if (part.call === 'round') checkDigits(part.of[1], refuse)
    if (ORDERED.has(part.call) && shared.get('same') === 'boolean')
      refuse(part, { code: 'not_comparable', of: part.call })
    return called.result === 'same' ? (shared.get('same') ?? 'text') : called.result
  }
  return typeOf(formula)
}

function checkDigits(digits: Formula | undefined, refuse: (part: Formula, problem: { code: 'digits' }) => never): void {
  if (digits === undefined) return
  if (!('number' in digits) || !Number.isInteger(digits.number) || digits.number < 0 || digits.number > DIGITS_MAX)
    refuse(digits, { code: 'digits' })
}

/** Returns the type of each argument, or `undefined` if their number is wrong. */
function argumentsOf(call: string, called: FormulaFunction, count: number): readonly ArgumentType[] | undefined {
  if (call === 'switch') {
    if (count < 3) return undefined
    // Value, then pairs of case and result, then perhaps what remains.
    return Array.from({ length: count }, (_, index) =>
      index === 0 || (index % 2 === 1 && index < count - 1) || (index % 2 === 1 && count % 2 === 1) ? 'case' : 'same',
    )
  }
  const { arguments: own, optional = 0, rest } = called
  if (count < own.length - optional || (rest === undefined && count > own.length)) return undefined
  return [...own, ...Array.from({ length: Math.max(0, count - own.length) }, () => rest ?? 'any')].slice(0, count)
}

/** The problem of a function that does not exist. */
export function unknownFunction(name: string): FormulaError['problem'] {
  return { code: 'function', found: name, near: nearestOf(name, Object.keys(FORMULA_FUNCTIONS)) }
}
