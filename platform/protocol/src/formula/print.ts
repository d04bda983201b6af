import type { Formula, FormulaField } from './formula.ts'
import { BINDING, NEGATION_BINDING, NOT_BINDING } from './parse.ts'

/** Writes a formula with the current labels of its fields, so that `parseFormula` reads the same formula. */
export function printFormula(formula: Formula, fields: readonly FormulaField[]): string {
  const counts = Map.groupBy(fields, ({ label }) => label.toLowerCase())
  const nameOf = (column: string): string => {
    const label = fields.find(({ name }) => name === column)?.label
    const isClear = label !== undefined && label === label.trim() && counts.get(label.toLowerCase())?.length === 1
    return isClear ? label : column
  }
  return print(formula, 0, (column) => `{${nameOf(column).replaceAll('}', '}}').replaceAll('{', '{{')}}`)
}

function print(formula: Formula, least: number, fieldOf: (column: string) => string): string {
  if ('field' in formula) return fieldOf(formula.field)
  if ('text' in formula) return `"${formula.text.replaceAll('"', '""')}"`
  if ('number' in formula) return printNumber(formula.number)
  if ('boolean' in formula) return formula.boolean ? 'yes' : 'no'
  if ('date' in formula) return `date("${formula.date}")`
  const { call, of } = formula
  const binding = BINDING[call]
  const [left, right] = of
  if (call === 'neg' && left) return wrap(`-${print(left, NEGATION_BINDING, fieldOf)}`, NEGATION_BINDING, least)
  if (call === 'not' && left) return wrap(`not ${print(left, NOT_BINDING, fieldOf)}`, NOT_BINDING, least)
  if (binding === undefined || !left || !right)
    return `${call}(${of.map((part) => print(part, 0, fieldOf)).join(', ')})`
  // Comparisons do not chain, so that both sides need parentheses.
  const leftLeast = binding === BINDING['='] ? binding : binding - 1
  return wrap(`${print(left, leftLeast, fieldOf)} ${call} ${print(right, binding, fieldOf)}`, binding, least)
}

/** @param least - operators that bind no stronger than this need parentheses here */
function wrap(text: string, binding: number, least: number): string {
  return binding <= least ? `(${text})` : text
}

function printNumber(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text
}
