/** What a formula or one of its parts yields. Every type includes "empty", which SQL stores as NULL. */
export type FormulaType = 'text' | 'number' | 'boolean' | 'date' | 'datetime'

/**
 * A parsed formula, as stored in `holdfast.computed_fields` and compiled to SQL by Postgres and by the device. Fields are named by column, so that a new label
 * changes nothing.
 */
export type Formula =
  | { readonly field: string }
  | { readonly text: string }
  | { readonly number: number }
  | { readonly boolean: boolean }
  | { readonly date: string }
  | { readonly call: string; readonly of: readonly Formula[] }

/** A field that a formula can read. */
export interface FormulaField {
  /** Column in Postgres. */
  readonly name: string
  readonly label: string
  /** `undefined` if formulas cannot read it. */
  readonly type: FormulaType | undefined
}

/** Most characters of a formula's text. */
export const FORMULA_LENGTH_MAX = 2000
/** Most nested parentheses and calls. */
export const FORMULA_DEPTH_MAX = 30
/** Most fields, values and calls, including those of the computed fields that it reads. */
export const FORMULA_NODES_MAX = 300

/** Why a formula is refused. */
export type FormulaProblem =
  | { readonly code: 'empty' }
  | { readonly code: 'too_long'; readonly most: number }
  | { readonly code: 'too_deep'; readonly most: number }
  | { readonly code: 'too_large'; readonly most: number }
  | { readonly code: 'character'; readonly found: string }
  | { readonly code: 'open_text' }
  | { readonly code: 'open_field' }
  | { readonly code: 'number'; readonly found: string }
  | { readonly code: 'date'; readonly found: string }
  | { readonly code: 'expected'; readonly wanted: string; readonly found: string }
  | { readonly code: 'field'; readonly found: string; readonly near: string | undefined }
  | { readonly code: 'two_fields'; readonly found: string }
  | { readonly code: 'unreadable'; readonly found: string }
  | { readonly code: 'function'; readonly found: string; readonly near: string | undefined }
  | { readonly code: 'arguments'; readonly of: string; readonly usage: string }
  | { readonly code: 'type'; readonly of: string; readonly wanted: FormulaType; readonly found: FormulaType }
  | { readonly code: 'same_type'; readonly of: string; readonly wanted: FormulaType; readonly found: FormulaType }
  | { readonly code: 'not_comparable'; readonly of: string }
  | { readonly code: 'digits' }

const TYPE_WORDS: Readonly<Record<FormulaType, string>> = {
  text: 'a text',
  number: 'a number',
  boolean: 'yes or no',
  date: 'a date',
  datetime: 'a date with time',
}

/** Thrown for a formula that cannot be used; `from` and `to` are positions in its text. */
export class FormulaError extends Error {
  override name = 'FormulaError'
  readonly problem: FormulaProblem
  readonly from: number
  readonly to: number
  constructor(problem: FormulaProblem, from: number, to: number) {
    super(describeProblem(problem))
    this.problem = problem
    this.from = from
    this.to = to
  }
}

function describeProblem(problem: FormulaProblem): string {
  switch (problem.code) {
    case 'empty':
      return 'Write a formula, such as {Price} * {Quantity}.'
    case 'too_long':
      return `A formula has at most ${problem.most} characters.`
    case 'too_deep':
      return `A formula has at most ${problem.most} levels of parentheses.`
    case 'too_large':
      return `A formula has at most ${problem.most} parts, including those of the formulas that it reads.`
    case 'character':
      return `A formula cannot contain ${problem.found} here.`
    case 'open_text':
      return 'This text has no closing quotation mark.'
    case 'open_field':
      return 'This field name has no closing brace.'
    case 'number':
      return `${problem.found} has more than 15 digits or is too large.`
    case 'date':
      return `${problem.found} is not a day of the calendar. Write date("2026-03-31").`
    case 'expected':
      return problem.found === ''
        ? `${problem.wanted[0]?.toUpperCase()}${problem.wanted.slice(1)} is missing here.`
        : `Expected ${problem.wanted} here, not ${problem.found}.`
    case 'field':
      return `There is no field '${problem.found}'.${didYouMean(problem.near)}`
    case 'two_fields':
      return `Several fields are called '${problem.found}'. Write the name of the column.`
    case 'unreadable':
      return `Formulas cannot read the field '${problem.found}'.`
    case 'function':
      return `There is no function '${problem.found}'.${didYouMean(problem.near)}`
    case 'arguments':
      return `Write ${problem.usage}.`
    case 'type':
      return `'${problem.of}' needs ${TYPE_WORDS[problem.wanted]}; this is ${TYPE_WORDS[problem.found]}.${conversionHint(problem)}`
    case 'same_type':
      return `The values of '${problem.of}' must have one type: this is ${TYPE_WORDS[problem.found]}, the first is ${TYPE_WORDS[problem.wanted]}.`
    case 'not_comparable':
      return `'${problem.of}' cannot order yes and no.`
    case 'digits':
      return 'The number of decimals is a whole number from 0 to 6.'
    default:
      return problem satisfies never
  }
}

function didYouMean(near: string | undefined): string {
  return near === undefined ? '' : ` Did you mean '${near}'?`
}

function conversionHint({ of, wanted, found }: { of: string; wanted: FormulaType; found: FormulaType }): string {
  if ((of === '+' || of === '-') && found === 'date') return ' Use add_days() or days_between().'
  if (of === '+' && found === 'text') return ' Join texts with &.'
  if (wanted === 'date' && found === 'datetime') return ' Use utc_date().'
  if (wanted === 'date' && found === 'text') return ' Write date("2026-03-31").'
  return ''
}

/** Reads a stored formula. @returns `undefined` if it has another form, as that of a newer version */
export function readFormula(value: unknown, depth = 0): Formula | undefined {
  // Operators chain without parentheses, so that a formula is deeper than its parentheses.
  if (typeof value !== 'object' || value === null || depth > FORMULA_NODES_MAX) return undefined
  if ('field' in value && typeof value.field === 'string') return { field: value.field }
  if ('text' in value && typeof value.text === 'string') return { text: value.text }
  if ('number' in value && typeof value.number === 'number' && Number.isFinite(value.number))
    return { number: value.number }
  if ('boolean' in value && typeof value.boolean === 'boolean') return { boolean: value.boolean }
  if ('date' in value && typeof value.date === 'string' && isDay(value.date)) return { date: value.date }
  if (!('call' in value) || typeof value.call !== 'string' || !('of' in value) || !Array.isArray(value.of))
    return undefined
  const parts = value.of.map((part) => readFormula(part, depth + 1))
  const known = parts.filter((part) => part !== undefined)
  return known.length === parts.length ? { call: value.call, of: known } : undefined
}

/** Whether a text is a day that formulas can hold. The last day of year 9999 stands for infinity on devices. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '0001-01-01' || text >= '9999-12-31') return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text
}

/** Returns the columns that a formula reads. */
export function columnsOfFormula(formula: Formula): readonly string[] {
  if ('field' in formula) return [formula.field]
  return 'call' in formula ? [...new Set(formula.of.flatMap(columnsOfFormula))] : []
}

/** Counts fields, values and calls. */
export function formulaSize(formula: Formula): number {
  return 'call' in formula ? formula.of.reduce((sum, part) => sum + formulaSize(part), 1) : 1
}
