import type { FormulaType } from './formula.ts'

/** The type of an argument: a type, anything, or that of the other arguments marked `same` (or `case`, those that `switch` compares). */
export type ArgumentType = FormulaType | 'any' | 'same' | 'case'

/** A function or operator of the language. */
export interface FormulaFunction {
  readonly arguments: readonly ArgumentType[]
  /** How many of the last arguments may be left out. */
  readonly optional?: number
  /** Type of any number of further arguments. */
  readonly rest?: ArgumentType
  readonly result: FormulaType | 'same'
  /** How it is written, for people. Operators have none. */
  readonly usage?: string
  /** What it yields, in a sentence. */
  readonly help?: string
  /** Example and its result, which a test compares. */
  readonly example?: readonly [formula: string, result: string | number | boolean | null]
}

const math: FormulaFunction = { arguments: ['number', 'number'], result: 'number' }
const comparison: FormulaFunction = { arguments: ['same', 'same'], result: 'boolean' }

/** Operators by their sign; `neg` is the minus before a number. */
export const FORMULA_OPERATORS: Readonly<Record<string, FormulaFunction>> = {
  '+': math,
  '-': math,
  '*': math,
  '/': math,
  neg: { arguments: ['number'], result: 'number' },
  '&': { arguments: ['any', 'any'], result: 'text' },
  '=': comparison,
  '!=': comparison,
  '<': comparison,
  '<=': comparison,
  '>': comparison,
  '>=': comparison,
  and: { arguments: ['boolean', 'boolean'], result: 'boolean' },
  or: { arguments: ['boolean', 'boolean'], result: 'boolean' },
  not: { arguments: ['boolean'], result: 'boolean' },
}

const one = (from: FormulaType, result: FormulaType): FormulaFunction => ({ arguments: [from], result })

/** Functions by name. */
export const FORMULA_FUNCTIONS: Readonly<Record<string, FormulaFunction>> = {
  if: {
    arguments: ['boolean', 'same', 'same'],
    optional: 1,
    result: 'same',
    usage: 'if(condition, value, otherwise)',
    help: 'The value if the condition is yes, otherwise the other one, or empty.',
    example: ['if(3 > 2, "more", "less")', 'more'],
  },
  switch: {
    arguments: [],
    result: 'same',
    usage: 'switch(value, case, result, …, otherwise)',
    help: 'The result of the first case that equals the value.',
    example: ['switch("b", "a", 1, "b", 2, 3)', 2],
  },
  coalesce: {
    arguments: ['same', 'same'],
    rest: 'same',
    result: 'same',
    usage: 'coalesce(value, value, …)',
    help: 'The first value that is not empty.',
    example: ['coalesce("", "none")', 'none'],
  },
  is_empty: {
    arguments: ['any'],
    result: 'boolean',
    usage: 'is_empty(value)',
    help: 'Whether there is no value. A text without characters is empty.',
    example: ['is_empty("")', true],
  },
  round: {
    arguments: ['number', 'number'],
    optional: 1,
    result: 'number',
    usage: 'round(number, decimals)',
    help: 'The number with 0 to 6 decimals; halves are rounded away from zero.',
    example: ['round(1.005, 2)', 1.01],
  },
  floor: {
    ...one('number', 'number'),
    usage: 'floor(number)',
    help: 'The next whole number below.',
    example: ['floor(-1.5)', -2],
  },
  ceiling: {
    ...one('number', 'number'),
    usage: 'ceiling(number)',
    help: 'The next whole number above.',
    example: ['ceiling(1.2)', 2],
  },
  abs: {
    ...one('number', 'number'),
    usage: 'abs(number)',
    help: 'The number without its sign.',
    example: ['abs(-3)', 3],
  },
  mod: {
    ...math,
    usage: 'mod(number, divisor)',
    help: 'The remainder of a division; it has the sign of the divisor.',
    example: ['mod(-1, 12)', 11],
  },
  min: {
    arguments: ['number', 'number'],
    rest: 'number',
    result: 'number',
    usage: 'min(number, number, …)',
    help: 'The smallest number; empty ones are ignored.',
    example: ['min(4, 2, 3)', 2],
  },
  max: {
    arguments: ['number', 'number'],
    rest: 'number',
    result: 'number',
    usage: 'max(number, number, …)',
    help: 'The largest number; empty ones are ignored.',
    example: ['max(4, 2, 3)', 4],
  },
  concat: {
    arguments: ['any', 'any'],
    rest: 'any',
    result: 'text',
    usage: 'concat(value, value, …)',
    help: 'The values joined to a text, as with &.',
    example: ['concat("No. ", 12.50, "!")', 'No. 12.5!'],
  },
  lower: {
    ...one('text', 'text'),
    usage: 'lower(text)',
    help: 'The text in small letters: those of Western European languages.',
    example: ['lower("ÄRGER")', 'ärger'],
  },
  upper: {
    ...one('text', 'text'),
    usage: 'upper(text)',
    help: 'The text in capital letters: those of Western European languages.',
    example: ['upper("été")', 'ÉTÉ'],
  },
  trim: {
    ...one('text', 'text'),
    usage: 'trim(text)',
    help: 'The text without spaces at its ends.',
    example: ['trim("  a b ")', 'a b'],
  },
  length: {
    ...one('text', 'number'),
    usage: 'length(text)',
    help: 'The number of characters; 0 if empty.',
    example: ['length("Straße")', 6],
  },
  left: {
    arguments: ['text', 'number'],
    result: 'text',
    usage: 'left(text, count)',
    help: 'The first characters.',
    example: ['left("Pump 7", 4)', 'Pump'],
  },
  right: {
    arguments: ['text', 'number'],
    result: 'text',
    usage: 'right(text, count)',
    help: 'The last characters.',
    example: ['right("Pump 7", 1)', '7'],
  },
  contains: {
    arguments: ['text', 'text'],
    result: 'boolean',
    usage: 'contains(text, part)',
    help: 'Whether the part is in the text, in the same letters.',
    example: ['contains("Pump 7", "ump")', true],
  },
  starts_with: {
    arguments: ['text', 'text'],
    result: 'boolean',
    usage: 'starts_with(text, part)',
    help: 'Whether the text begins with the part.',
    example: ['starts_with("Pump 7", "P")', true],
  },
  date: {
    arguments: ['text'],
    result: 'date',
    usage: 'date("2026-03-31")',
    help: 'A day.',
    example: ['date("2026-03-31")', '2026-03-31'],
  },
  today: {
    arguments: [],
    result: 'date',
    usage: 'today()',
    help: 'The current day in the time zone of the workspace.',
  },
  now: { arguments: [], result: 'datetime', usage: 'now()', help: 'The current minute.' },
  year: {
    ...one('date', 'number'),
    usage: 'year(date)',
    help: 'The year.',
    example: ['year(date("2026-03-31"))', 2026],
  },
  month: {
    ...one('date', 'number'),
    usage: 'month(date)',
    help: 'The month, 1 to 12.',
    example: ['month(date("2026-03-31"))', 3],
  },
  day: {
    ...one('date', 'number'),
    usage: 'day(date)',
    help: 'The day of the month.',
    example: ['day(date("2026-03-31"))', 31],
  },
  weekday: {
    ...one('date', 'number'),
    usage: 'weekday(date)',
    help: 'The day of the week: 1 is Monday, 7 is Sunday.',
    example: ['weekday(date("2026-03-31"))', 2],
  },
  add_days: {
    arguments: ['date', 'number'],
    result: 'date',
    usage: 'add_days(date, days)',
    help: 'The date some whole days later, or earlier.',
    example: ['add_days(date("2026-02-27"), 2)', '2026-03-01'],
  },
  add_months: {
    arguments: ['date', 'number'],
    result: 'date',
    usage: 'add_months(date, months)',
    help: 'The same day some months later; the last day of a shorter month.',
    example: ['add_months(date("2026-01-31"), 1)', '2026-02-28'],
  },
  days_between: {
    arguments: ['date', 'date'],
    result: 'number',
    usage: 'days_between(from, to)',
    help: 'The days from the first date to the second.',
    example: ['days_between(date("2026-03-01"), date("2026-03-31"))', 30],
  },
  hours_between: {
    arguments: ['datetime', 'datetime'],
    result: 'number',
    usage: 'hours_between(from, to)',
    help: 'The hours from the first moment to the second, with fractions.',
    example: ['hours_between(now(), now())', 0],
  },
  utc_date: {
    ...one('datetime', 'date'),
    usage: 'utc_date(datetime)',
    help: 'The day of a moment, in UTC.',
    example: ['days_between(utc_date(now()), today())', 0],
  },
}

/** Returns the function or operator of a call. */
export function functionOf(call: string): FormulaFunction | undefined {
  if (Object.hasOwn(FORMULA_FUNCTIONS, call)) return FORMULA_FUNCTIONS[call]
  return Object.hasOwn(FORMULA_OPERATORS, call) ? FORMULA_OPERATORS[call] : undefined
}
