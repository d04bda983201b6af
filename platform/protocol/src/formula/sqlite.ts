import { type Formula, FormulaError, type FormulaType, FORMULA_DEPTH_MAX } from './formula.ts'
import { checkFormula } from './check.ts'

/** What compiling for SQLite needs. */
export interface SqliteContext {
  /** Returns SQLite for a column, read as its type. Throws or returns `undefined` if formulas cannot read it. */
  readonly column: (name: string) => SqlExpression | undefined
  /** The workspace's current day, `YYYY-MM-DD`. */
  readonly today: string
  /** The current moment; its minute counts. */
  readonly now: Date
}

/** SQLite with the type of its value: `real`, `text`, or an integer 0 or 1. `depth` is at least its depth as an expression. */
export interface SqlExpression {
  readonly sql: string
  readonly type: FormulaType
  readonly depth: number
}

/** SQLite refuses expressions deeper than 1,000. */
const SQL_DEPTH_MAX = 900
const CALL_DEPTH = 6
const CASE_DEPTH = 34
/** Letters of Western European languages that SQLite's own `lower` ignores; × and ÷ are none. */
const CAPITALS = 'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞ'
const SMALL = 'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþ'

/** Compiles a formula to an SQLite expression that yields what the computed column in Postgres yields. Throws a `FormulaError`. */
export function compileSqlite(formula: Formula, context: SqliteContext): SqlExpression {
  const columns = new Map<string, SqlExpression | undefined>()
  const column = (name: string): SqlExpression | undefined => {
    if (!columns.has(name)) columns.set(name, context.column(name))
    return columns.get(name)
  }
  checkFormula(formula, { typeOf: (name) => column(name)?.type })
  const compiled = new Compiler(column, context).compile(formula)
  if (compiled.depth > SQL_DEPTH_MAX) throw new FormulaError({ code: 'too_deep', most: FORMULA_DEPTH_MAX }, 0, 0)
  return compiled
}

type Sql = (...parts: readonly string[]) => string

class Compiler {
  readonly #column: SqliteContext['column']
  readonly #context: SqliteContext
  #names = 0

  constructor(column: SqliteContext['column'], context: SqliteContext) {
    this.#column = column
    this.#context = context
  }

  compile(formula: Formula): SqlExpression {
    if ('field' in formula) {
      const found = this.#column(formula.field)
      if (!found) throw new FormulaError({ code: 'unreadable', found: formula.field }, 0, 0)
      return { ...found, sql: `(${found.sql})` }
    }
    if ('text' in formula) return { sql: `nullif(${quote(formula.text)}, '')`, type: 'text', depth: 2 }
    if ('number' in formula) return { sql: realOf(formula.number), type: 'number', depth: 1 }
    if ('boolean' in formula) return { sql: formula.boolean ? '1' : '0', type: 'boolean', depth: 1 }
    if ('date' in formula) return { sql: quote(formula.date), type: 'date', depth: 1 }
    return this.#call(formula.call, formula.of)
  }

  #call(call: string, of: readonly Formula[]): SqlExpression {
    const parts = of.map((part) => this.compile(part))
    const depth =
      Math.max(0, ...parts.map((part) => part.depth)) + (call === 'lower' || call === 'upper' ? CASE_DEPTH : CALL_DEPTH)
    const texts = parts.map(({ sql }) => sql)
    switch (call) {
      case 'if':
        return {
          sql: `case when ${texts[0] ?? '0'} then ${texts[1] ?? 'null'} else ${texts[2] ?? 'null'} end`,
          type: parts[1]?.type ?? 'text',
          depth,
        }
      case 'switch':
        return { sql: this.#switch(texts), type: parts[2]?.type ?? 'text', depth }
      case 'coalesce':
        return { sql: `coalesce(${texts.join(', ')})`, type: parts[0]?.type ?? 'text', depth }
      case '&':
      case 'concat': {
        const joined = parts.map((part) => `coalesce(${this.#textOf(part)}, '')`).join(' || ')
        return { sql: `nullif(${joined}, '')`, type: 'text', depth: depth + parts.length }
      }
      default: {
        const [type, sql] = this.#functions[call] ?? []
        if (type === undefined || sql === undefined)
          throw new FormulaError({ code: 'function', found: call, near: undefined }, 0, 0)
        return { sql: sql(...texts), type, depth }
      }
    }
  }

  /** Names a value, because SQLite would otherwise compute it at each use. A subquery without FROM is not merged into the outer one. */
  #let(sql: string, use: (name: string) => string): string {
    if (/^[\w.']+$/.test(sql)) return use(sql)
    this.#names += 1
    const name = `v${this.#names}`
    return `(select ${use(name)} from (select ${sql} as ${name}))`
  }

  /** SQLite computes the value of such a CASE once; an empty one equals nothing. */
  #switch([value = 'null', ...rest]: readonly string[]): string {
    const pairs = Array.from({ length: Math.floor(rest.length / 2) }, (_, index) => index * 2)
    const cases = pairs.map((at) => `when ${rest[at] ?? 'null'} then ${rest[at + 1] ?? 'null'}`)
    return `case ${value} ${cases.join(' ')}${rest.length % 2 === 1 ? ` else ${rest.at(-1) ?? 'null'}` : ''} end`
  }

  #textOf({ sql, type }: SqlExpression): string {
    switch (type) {
      case 'text':
      case 'date':
        return sql
      case 'boolean':
        return this.#let(sql, (v) => `case when ${v} then 'yes' when not ${v} then 'no' end`)
      case 'datetime':
        return this.#let(sql, (v) => `substr(${v}, 1, 10) || ' ' || substr(${v}, 12, 5)`)
      case 'number':
        return this.#let(sql, (v) => {
          const decimals = (digits: number): string =>
            this.#let(
              scaled(v, 10 ** digits),
              (n) =>
                `case when ${v} < 0 and ${n} > 0 then '-' else '' end || rtrim(rtrim(printf('%d.%0${digits}d', ${n} / ${10 ** digits}, ${n} % ${10 ** digits}), '0'), '.')`,
            )
          return `case when abs(${v}) < 1e9 then ${decimals(6)} when abs(${v}) < 1e12 then ${decimals(3)} when abs(${v}) < 1e15 then printf('%d', case when ${v} < 0 then -${scaled(v, 1)} else ${scaled(v, 1)} end) end`
        })
      default:
        return type satisfies never
    }
  }

  #floor(sql: string): string {
    return this.#let(
      sql,
      (v) =>
        `case when abs(${v}) < 9e15 then cast(${v} as integer) - (cast(${v} as integer) > ${v}) + 0.0 else ${v} end`,
    )
  }

  #whole(sql: string, most: number): string {
    return `cast(min(max(${sql}, -${most}.0), ${most}.0) as integer)`
  }

  readonly #functions: Readonly<Record<string, readonly [type: FormulaType, sql: Sql]>> = {
    '+': ['number', (a, b) => finite(`${a} + ${b}`)],
    '-': ['number', (a, b) => finite(`${a} - ${b}`)],
    '*': ['number', (a, b) => finite(`${a} * ${b}`)],
    '/': ['number', (a, b) => finite(`${a} / ${b}`)],
    neg: ['number', (a) => `(0.0 - ${a})`],
    '=': ['boolean', (a, b) => `(${a} is ${b})`],
    '!=': ['boolean', (a, b) => `(${a} is not ${b})`],
    '<': ['boolean', (a, b) => `(${a} < ${b})`],
    '<=': ['boolean', (a, b) => `(${a} <= ${b})`],
    '>': ['boolean', (a, b) => `(${a} > ${b})`],
    '>=': ['boolean', (a, b) => `(${a} >= ${b})`],
    and: ['boolean', (a, b) => `(${a} and ${b})`],
    or: ['boolean', (a, b) => `(${a} or ${b})`],
    not: ['boolean', (a) => `(not ${a})`],
    is_empty: ['boolean', (a) => `(${a} is null)`],
    abs: ['number', (a) => `abs(${a})`],
    floor: ['number', (a) => this.#floor(a ?? '')],
    ceiling: ['number', (a) => `(0.0 - ${this.#floor(`0.0 - ${a}`)})`],
    round: [
      'number',
      (a = '', digits = '0') =>
        this.#let(a, (v) => {
          const p = 10 ** Number(digits)
          return `case when abs(${v}) * ${p}.0 < 1e15 then case when ${v} < 0 then 0.0 - ${scaled(v, p)} else ${scaled(v, p)} end / ${p}.0 + 0.0 else ${v} end`
        }),
    ],
    mod: [
      'number',
      (a = '', b = '') =>
        this.#let(a, (x) =>
          this.#let(b, (y) =>
            this.#let(
              finite(`${x} / ${y}`),
              (q) => `case when abs(${q}) < 9e15 then ${finite(`${x} - ${y} * ${this.#floor(q)}`)} end`,
            ),
          ),
        ),
    ],
    min: ['number', (...all) => extreme('min', all)],
    max: ['number', (...all) => extreme('max', all)],
    lower: ['text', (a = '') => letters(`lower(${a})`, CAPITALS, SMALL)],
    upper: ['text', (a = '') => letters(`upper(${a})`, SMALL, CAPITALS)],
    trim: ['text', (a) => `nullif(trim(${a}), '')`],
    length: ['number', (a) => `cast(coalesce(length(${a}), 0) as real)`],
    left: ['text', (a, n = '') => `nullif(substr(${a}, 1, max(${this.#whole(n, 1_000_000)}, 0)), '')`],
    right: [
      'text',
      (a, n = '') => this.#let(`max(${this.#whole(n, 1_000_000)}, 0)`, (k) => `nullif(substr(${a}, -${k}, ${k}), '')`),
    ],
    contains: ['boolean', (a, b) => `coalesce(instr(${a}, ${b}) > 0, 0)`],
    starts_with: [
      'boolean',
      (a = '', b = '') => this.#let(b, (p) => `coalesce(substr(${a}, 1, length(${p})) = ${p}, 0)`),
    ],
    today: ['date', () => quote(this.#context.today)],
    now: ['datetime', () => quote(`${this.#context.now.toISOString().slice(0, 16)}:00.000000Z`)],
    year: ['number', (a) => `cast(substr(${a}, 1, 4) as real)`],
    month: ['number', (a) => `cast(substr(${a}, 6, 2) as real)`],
    day: ['number', (a) => `cast(substr(${a}, 9, 2) as real)`],
    weekday: ['number', (a) => `cast((strftime('%w', ${a}) + 6) % 7 + 1 as real)`],
    add_days: ['date', (a, n = '') => this.#validDay(`date(${a}, ${this.#whole(n, 4_000_000)} || ' days')`)],
    add_months: [
      'date',
      (a = '', n = '') =>
        this.#let(a, (d) =>
          this.#let(`date(substr(${d}, 1, 8) || '01', ${this.#whole(n, 120_000)} || ' months')`, (first) =>
            this.#validDay(
              `substr(${first}, 1, 8) || min(substr(${d}, 9, 2), substr(date(${first}, '+1 month', '-1 day'), 9, 2))`,
            ),
          ),
        ),
    ],
    days_between: ['number', (a, b) => `(julianday(${b}) - julianday(${a}))`],
    hours_between: ['number', (a, b) => `((${this.#microseconds(b)} - ${this.#microseconds(a)}) / 3600000000.0)`],
    utc_date: ['date', (a) => `substr(${a}, 1, 10)`],
  }

  #validDay(sql: string): string {
    return this.#let(sql, (d) => `case when ${d} >= '0001-01-01' and ${d} < '9999-12-31' then ${d} end`)
  }

  #microseconds(sql = ''): string {
    return this.#let(
      sql,
      (m) => `cast(strftime('%s', substr(${m}, 1, 19)) as integer) * 1000000 + cast(substr(${m}, 21, 6) as integer)`,
    )
  }
}

/** The number as a multiple of 1/p, halves rounded up; the nudge makes 1.005 a half although its binary number is below. */
export function scaled(v: string, p: number): string {
  return `cast(abs(${v}) * ${p}.0 * case when abs(${v}) * ${p}.0 < 1e12 then 1.000000000000001 else 1.0 end + 0.5 as integer)`
}

/** Infinity is empty, and there is no negative zero. */
function finite(sql: string): string {
  return `nullif(nullif(${sql} + 0.0, 9e999), -9e999)`
}

function extreme(name: 'min' | 'max', all: readonly string[]): string {
  return `(select ${name}(v) from (${all.map((one) => `select ${one} as v`).join(' union all ')}))`
}

function letters(sql: string, from: string, to: string): string {
  return [...from].reduce(
    (text, letter, index) => `replace(${text}, ${quote(letter)}, ${quote(to.charAt(index))})`,
    sql,
  )
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A literal that SQLite reads as `real`. */
export function realOf(value: number): string {
  const text = String(value)
  return /[.e]/.test(text) ? text : `${text}.0`
}
