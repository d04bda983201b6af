import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FormulaError, type FormulaField } from './formula.ts'
import { FORMULA_FUNCTIONS } from './functions.ts'
import { parseFormula } from './parse.ts'
import { printFormula } from './print.ts'

const FIELDS: readonly FormulaField[] = [
  { name: 'due_on', label: 'Due date', type: 'date' },
  { name: 'amount', label: 'Amount', type: 'number' },
  { name: 'note', label: 'Note', type: 'text' },
  { name: 'done', label: 'Done', type: 'boolean' },
  { name: 'created_at', label: 'Created at', type: 'datetime' },
  { name: 'photo', label: 'Photo', type: undefined },
  { name: 'a', label: 'Twice', type: 'text' },
  { name: 'b', label: 'twice', type: 'text' },
]

const refusal = (source: string): string => {
  try {
    parseFormula(source, FIELDS)
  } catch (error) {
    if (error instanceof FormulaError) return `${source.slice(error.from, error.to)} | ${error.message}`
    throw error
  }
  return 'none'
}

describe('parseFormula', () => {
  test.each([
    ['1 + 2 * 3', 'number'],
    ['{due date}', 'date'],
    ['{amount} & "x"', 'text'],
    ['not {Done} or {Amount} <> 3 and yes', 'boolean'],
    ['if({Done}, {Created at})', 'datetime'],
    ['switch({Note}, "a", 1, "b", 2)', 'number'],
    ['switch({Note}, "a", 1, 2)', 'number'],
    ['-{Amount} - -3', 'number'],
  ])('reads %s as %s', (source, type) => {
    expect(parseFormula(source, FIELDS).type).toBe(type)
  })

  test.each([
    ['', ' | Write a formula, such as {Price} * {Quantity}.'],
    ['{Due dat}', "{Due dat} | There is no field 'Due dat'. Did you mean 'Due date'?"],
    ['{Twice} & {tWice}', "{tWice} | Several fields are called 'tWice'. Write the name of the column."],
    ['{Photo}', "{Photo} | Formulas cannot read the field 'Photo'."],
    ['1 + lenght({Note})', "lenght | There is no function 'lenght'. Did you mean 'length'?"],
    ['{Note} + 1', "{Note} | '+' needs a number; this is a text. Join texts with &."],
    ['{Due date} + 7', "{Due date} | '+' needs a number; this is a date. Use add_days() or days_between()."],
    ['year({Created at})', "{Created at} | 'year' needs a date; this is a date with time. Use utc_date()."],
    ['{Due date} = {Note}', "{Note} | The values of '=' must have one type: this is a text, the first is a date."],
    ['if({Done}, 1, "a")', `"a" | The values of 'if' must have one type: this is a text, the first is a number.`],
    ['{Done} < yes', "{Done} < yes | '<' cannot order yes and no."],
    ['round(1)(2)', '( | Expected an operator such as + or & here, not (.'],
    ['if({Done})', 'if({Done}) | Write if(condition, value, otherwise).'],
    ['switch({Note}, 1)', 'switch({Note}, 1) | Write switch(value, case, result, …, otherwise).'],
    ['1 < 2 < 3', '< | Expected and, or, or parentheses here, not <.'],
    ['(1 + 2', ' | A closing parenthesis is missing here.'],
    ['"abc', '"abc | This text has no closing quotation mark.'],
    ['{abc', '{abc | This field name has no closing brace.'],
    ['1; drop table x', '; | A formula cannot contain ; here.'],
    ['note', 'note | Expected {note} in braces here, not note.'],
    ['date("2026-02-30")', 'date("2026-02-30") | 2026-02-30 is not a day of the calendar. Write date("2026-03-31").'],
    ['12345678901234567', '12345678901234567 | 12345678901234567 has more than 15 digits or is too large.'],
    ['round(1, {Amount})', '{Amount} | The number of decimals is a whole number from 0 to 6.'],
    ['constructor(1)', "constructor | There is no function 'constructor'."],
  ])('refuses %j', (source, message) => {
    expect(refusal(source)).toBe(message)
  })

  test.each([
    ['length', '1'.padEnd(2001)],
    ['depth', `${'('.repeat(1000)}1${')'.repeat(900)}`],
    ['number of parts', Array.from({ length: 160 }, () => '1').join('+')],
  ])('bounds the %s', (_, source) => {
    expect(refusal(source)).toMatch(/A formula has at most \d+/)
  })

  test('writes fields with their new labels', () => {
    const { formula } = parseFormula('{Amount}*2', FIELDS)
    const renamed = FIELDS.map((field) => (field.name === 'amount' ? { ...field, label: 'Cost {net}' } : field))
    expect(printFormula(formula, renamed)).toBe('{Cost {{net}}} * 2')
    expect(parseFormula('{Cost {{net}}} * 2', renamed).formula).toEqual(formula)
  })
})

test.each(Object.values(FORMULA_FUNCTIONS))('the reference describes $usage', ({ usage = '', help = '', example }) => {
  const line = reference.split('\n').find((one) => one.startsWith(`| \`${usage}\``))
  expect(line).toContain(help)
  if (example) expect(line).toContain(`\`${example[0]}\` →`)
})
const reference = readFileSync(new URL('../../../../docs/reference/formulas.md', import.meta.url), 'utf8')
