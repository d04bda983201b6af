import { describe, expect, test } from 'vitest'
import { fieldsOf } from '../fields/field.ts'
import { TEST_FIELDS, testColumn, testField, testTable } from '../fields/test-fields.test-support.ts'
import {
  completeFilter,
  type Condition,
  countConditions,
  type FilterGroup,
  isComplete,
  needsValue,
  type Operator,
  OPERATORS,
  operatorsOf,
} from './filter.ts'

const fields = new Map(TEST_FIELDS.map((field) => [field.name, field]))
const condition = (field: string, operator: Operator, ...values: readonly string[]): Condition => ({
  kind: 'condition',
  field,
  operator,
  values,
})

describe('a condition', () => {
  test('about a text stays one when a CHECK lists what the text may be', () => {
    const table = testTable('parts', [testColumn('material', 'text', { choices: ['steel', 'brass'] })])
    const material = fieldsOf(table, { version: '1', tables: [table] }).find(({ name }) => name === 'material')
    expect([condition('material', 'has', 'ste'), condition('material', 'in', 'steel')]).toSatisfy(
      (conditions: readonly Condition[]) => conditions.every((one) => isComplete(one, material)),
    )
    expect(isComplete(condition('state', 'has', 'do'), fields.get('state'))).toBe(false)
  })

  test.each([
    ['with its value', condition('title', 'has', 'valve'), true],
    ['without the value that it needs', condition('title', 'has'), false],
    ['with spaces for a value', condition('title', 'is', '  '), false],
    ['that needs none', condition('title', 'empty'), true],
    ['with one of several values', condition('state', 'in', '', 'open'), true],
    ['that its field does not know', condition('points', 'has', '3'), false],
    ['about a field that is gone', condition('unknown', 'empty'), false],
  ])('%s: %#', (_what, given, expected) => {
    expect(isComplete(given, fields.get(given.field))).toBe(expected)
  })

  test('can be asked of every field, in several ways', () => {
    const known = new Set(OPERATORS)
    for (const field of TEST_FIELDS) {
      const operators = operatorsOf(field)
      expect(operators.length).toBeGreaterThan(2)
      expect(new Set(operators).size).toBe(operators.length)
      expect(operators.every((operator) => known.has(operator))).toBe(true)
      expect(operators).toContain('empty')
    }
    expect(operatorsOf(testField('urgent')).filter(needsValue)).toEqual([])
  })
})

test('what cannot be asked yet narrows nothing, and empty groups go', () => {
  const filter: FilterGroup = {
    kind: 'any',
    nodes: [
      condition('title', 'has', 'valve'),
      condition('title', 'has'),
      { kind: 'all', nodes: [condition('unknown', 'empty'), { kind: 'any', nodes: [] }] },
      { kind: 'all', nodes: [condition('points', 'gt', '3')] },
    ],
  }
  const complete = completeFilter(filter, fields)
  expect(complete).toEqual({
    kind: 'any',
    nodes: [condition('title', 'has', 'valve'), { kind: 'all', nodes: [condition('points', 'gt', '3')] }],
  })
  expect([countConditions(filter), countConditions(complete)]).toEqual([4, 2])
})
