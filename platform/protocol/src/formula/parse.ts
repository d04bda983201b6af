import { checkFormula, unknownFunction } from './check.ts'
import { FORMULA_DEPTH_MAX, type Formula, FormulaError, type FormulaField, type FormulaType, isDay } from './formula.ts'
import { FORMULA_FUNCTIONS } from './functions.ts'
import { lex, type Token } from './lex.ts'
import { nearestOf } from './nearest.ts'

/** Binding power of binary operators; comparisons do not chain. */
export const BINDING: Readonly<Record<string, number>> = {
  or: 1,
  and: 2,
  '=': 4,
  '!=': 4,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '&': 5,
  '+': 6,
  '-': 6,
  '*': 7,
  '/': 7,
}
export const NOT_BINDING = 3
export const NEGATION_BINDING = 8
const KEYWORDS = new Set(['and', 'or', 'not', 'yes', 'no', 'true', 'false'])
const DIGITS_MAX = 15

/** A formula that was read from text. */
export interface ParsedFormula {
  readonly formula: Formula
  readonly type: FormulaType
}

/** Reads a formula in which fields are written by label. Throws a `FormulaError`. */
export function parseFormula(source: string, fields: readonly FormulaField[]): ParsedFormula {
  const parser = new Parser(lex(source), fields)
  const formula = parser.parse()
  const byName = new Map(fields.map((field) => [field.name, field]))
  const type = checkFormula(formula, { typeOf: (name) => byName.get(name)?.type, positions: parser.positions })
  return { formula, type }
}

class Parser {
  readonly positions = new Map<Formula, readonly [number, number]>()
  readonly #tokens: readonly Token[]
  readonly #fields: readonly FormulaField[]
  #index = 0
  #depth = 0

  constructor(tokens: readonly Token[], fields: readonly FormulaField[]) {
    this.#tokens = tokens
    this.#fields = fields
  }

  parse(): Formula {
    if (this.#isAtEnd()) throw new FormulaError({ code: 'empty' }, 0, 0)
    const formula = this.#expression(0)
    if (!this.#isAtEnd()) this.#expected('an operator such as + or &')
    return formula
  }

  get #token(): Token {
    const token = this.#tokens[this.#index] ?? this.#tokens.at(-1)
    if (!token) throw new Error('a formula has a last token')
    return token
  }

  #isAtEnd(): boolean {
    return this.#token.kind === 'end'
  }

  #next(): Token {
    const token = this.#token
    this.#index += 1
    return token
  }

  #is(value: string): boolean {
    return (this.#token.kind === 'sign' || this.#token.kind === 'word') && this.#token.value === value
  }

  #expected(wanted: string): never {
    const { from, to, value, kind } = this.#token
    throw new FormulaError({ code: 'expected', wanted, found: kind === 'end' ? '' : value }, from, to)
  }

  #take(sign: string, wanted: string): void {
    if (!this.#is(sign)) this.#expected(wanted)
    this.#index += 1
  }

  #placed(formula: Formula, from: number): Formula {
    this.positions.set(formula, [from, this.#tokens[this.#index - 1]?.to ?? from])
    return formula
  }

  #expression(least: number): Formula {
    this.#depth += 1
    const { from, to } = this.#token
    if (this.#depth > FORMULA_DEPTH_MAX * 2)
      throw new FormulaError({ code: 'too_deep', most: FORMULA_DEPTH_MAX }, from, to)
    let left = this.#operand()
    while (this.#token.kind === 'sign' || this.#token.kind === 'word') {
      const binding = Object.hasOwn(BINDING, this.#token.value) ? (BINDING[this.#token.value] ?? 0) : 0
      if (binding === 0 || binding <= least) break
      const { value } = this.#next()
      const right = this.#expression(binding)
      left = this.#placed({ call: value, of: [left, right] }, from)
      if (binding === BINDING['='] && BINDING[this.#token.value] === binding) this.#expected('and, or, or parentheses')
    }
    this.#depth -= 1
    return left
  }

  #operand(): Formula {
    const { kind, value, from, to } = this.#token
    if (this.#is('not') || this.#is('-')) {
      this.#index += 1
      const of = [this.#expression(value === 'not' ? NOT_BINDING : NEGATION_BINDING)]
      return this.#placed({ call: value === 'not' ? 'not' : 'neg', of }, from)
    }
    if (this.#is('(')) {
      this.#index += 1
      const inner = this.#expression(0)
      this.#take(')', 'a closing parenthesis')
      return inner
    }
    if (kind === 'sign' || kind === 'end') return this.#expected('a value')
    this.#index += 1
    if (kind === 'text') return this.#placed({ text: value }, from)
    if (kind === 'field') return this.#placed({ field: this.#fieldNamed(value, from, to) }, from)
    if (kind === 'number') return this.#placed({ number: numberOf(value, from, to) }, from)
    if (value === 'yes' || value === 'true') return this.#placed({ boolean: true }, from)
    if (value === 'no' || value === 'false') return this.#placed({ boolean: false }, from)
    return this.#call(value, from, to)
  }

  #call(name: string, from: number, to: number): Formula {
    if (KEYWORDS.has(name)) throw new FormulaError({ code: 'expected', wanted: 'a value', found: name }, from, to)
    if (
      !this.#is('(') &&
      this.#fields.some(({ label, name: column }) => label.toLowerCase() === name || column === name)
    )
      throw new FormulaError({ code: 'expected', wanted: `{${name}} in braces`, found: name }, from, to)
    if (!Object.hasOwn(FORMULA_FUNCTIONS, name)) throw new FormulaError(unknownFunction(name), from, to)
    this.#take('(', 'an opening parenthesis')
    const of: Formula[] = []
    if (!this.#is(')')) {
      of.push(this.#expression(0))
      while (this.#is(',')) {
        this.#index += 1
        of.push(this.#expression(0))
      }
    }
    this.#take(')', 'a comma or a closing parenthesis')
    return this.#placed(name === 'date' ? this.#day(of, from) : { call: name, of }, from)
  }

  #day([day, ...rest]: readonly Formula[], from: number): Formula {
    const to = this.#tokens[this.#index - 1]?.to ?? from
    if (day === undefined || rest.length > 0 || !('text' in day))
      throw new FormulaError({ code: 'arguments', of: 'date', usage: 'date("2026-03-31")' }, from, to)
    if (!isDay(day.text)) throw new FormulaError({ code: 'date', found: day.text }, from, to)
    return { date: day.text }
  }

  #fieldNamed(name: string, from: number, to: number): string {
    const exact = this.#fields.filter(({ label }) => label === name)
    const alike = this.#fields.filter(({ label }) => label.toLowerCase() === name.toLowerCase())
    const found = [exact, alike, this.#fields.filter((field) => field.name === name)].find(({ length }) => length > 0)
    const [field, second] = found ?? []
    if (!field) {
      const near = nearestOf(
        name,
        this.#fields.map(({ label }) => label),
      )
      throw new FormulaError({ code: 'field', found: name, near }, from, to)
    }
    if (second) throw new FormulaError({ code: 'two_fields', found: name }, from, to)
    if (field.type === undefined) throw new FormulaError({ code: 'unreadable', found: field.label }, from, to)
    return field.name
  }
}

function numberOf(text: string, from: number, to: number): number {
  const digits = text.replace('.', '').replace(/^0+/, '')
  if (digits.length > DIGITS_MAX) throw new FormulaError({ code: 'number', found: text }, from, to)
  return Number(text)
}
