import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HoldfastError } from '@holdfast/foundation'
import { anyFilter, logicTreeOf, printFilterValue, printTree } from '../../test/filter-arbitrary.ts'
import { parseFilterValue, parseLogic } from './filter.ts'
import { createScanner } from './scanner.ts'

const FIELD = { name: 'a', path: [] }

function parse(text: string) {
  const { negated, operation } = parseFilterValue(createScanner(text, 'filter'), FIELD)
  return { negated, ...operation }
}

describe('parseFilterValue', () => {
  test.each([
    [
      '1',
      '"failed to parse filter (1)" (line 1, column 1)',
      'unexpected "1" expecting "not" or operator (eq, gt, ...)',
    ],
    [
      '',
      '"failed to parse filter ()" (line 1, column 1)',
      'unexpected end of input expecting "not" or operator (eq, gt, ...)',
    ],
    ['noop.0', '"failed to parse filter (noop.0)" (line 1, column 1)', undefined],
    ['not.not.eq.1', undefined, undefined],
    ['in.1,2', undefined, undefined],
    ['in.(1,2', undefined, undefined],
    ['in.(1)2', undefined, undefined],
    ['is.nil', undefined, 'unexpected "n" expecting isVal: (null, not_null, true, false, unknown)'],
    ['is.nullx', undefined, undefined],
    ['eq(some).1', undefined, undefined],
    ['eq', undefined, undefined],
  ])('refuses %j', (text, message, detail) => {
    const thrown = catchError(() => parse(text))
    expect(thrown).toBeInstanceOf(HoldfastError)
    expect(thrown).toMatchObject({
      code: 'PGRST100',
      status: 400,
      ...(message && { message }),
      ...(detail && { detail }),
    })
  })

  test.each([
    ['eq.', { kind: 'quantifiable', operator: 'eq', value: '' }],
    ['eq.a,b)"', { kind: 'quantifiable', operator: 'eq', value: 'a,b)"' }],
    ['not.gte.5', { negated: true, operator: 'gte', value: '5' }],
    ['like(any).{a*,b}', { operator: 'like', quantifier: 'any', value: '{a*,b}' }],
    ['in.(a,"b,c","d\\"e",)', { kind: 'in', values: ['a', 'b,c', 'd"e', ''] }],
    ['in.("a"b)', { values: ['"a"b'] }],
    ['in.()', { values: [''] }],
    ['is.NULL', { kind: 'is', value: 'null' }],
    ['is.not_null', { kind: 'is', value: 'not_null' }],
    ['isdistinct.3', { kind: 'isdistinct', value: '3' }],
    ['wfts(simple).a b', { kind: 'fts', operator: 'wfts', language: 'simple', value: 'a b' }],
    ['neq.x', { kind: 'simple', operator: 'neq', value: 'x' }],
    ['nxl.(1,2)', { kind: 'simple', operator: 'nxl', value: '(1,2)' }],
  ])('reads %j', (text, operation) => {
    expect(parse(text)).toMatchObject(operation)
  })

  test('undoes printing, whatever the value', () => {
    fc.assert(
      fc.property(anyFilter, (filter) => {
        expect(parseFilterValue(createScanner(printFilterValue(filter), 'filter'), filter.field)).toEqual(filter)
      }),
    )
  })
})

describe('parseLogic', () => {
  test.each([
    ['and()'],
    ['and(a.eq.1'],
    ['and(a)'],
    ['and(a.1)'],
    ['or'],
    ['or(not.a.eq.1)'],
    ['xor(a.eq.1)'],
    ['and(a.eq.1,)'],
    [`${'and('.repeat(40)}a.eq.1${')'.repeat(40)}`],
  ])('refuses %j', (text) => {
    expect(catchError(() => parseLogic(createScanner(text, 'logic tree')))).toMatchObject({ code: 'PGRST100' })
  })

  test.each([
    ['and(a.eq.{1,2},b.eq.3)', ['{1,2}', '3']],
    ['or(a.eq."x,y)",b.eq.)', ['x,y)', '']],
    ['or( a.eq.1 , b.not.eq.2 )', ['1 ', '2 ']],
  ])('reads the values of %j', (text, values) => {
    const tree = parseLogic(createScanner(text, 'logic tree'))
    const found = tree.kind === 'logic' ? tree.children.map((child) => valueOf(child)) : []
    expect(found).toEqual(values)
  })

  test('undoes printing, whatever the tree', () => {
    fc.assert(
      fc.property(logicTreeOf(anyFilter), (tree) => {
        expect(parseLogic(createScanner(printTree(tree), 'logic tree'))).toEqual(tree)
      }),
    )
  })
})

function valueOf(tree: ReturnType<typeof parseLogic>): unknown {
  return tree.kind === 'filter' && 'value' in tree.operation ? tree.operation.value : undefined
}

function catchError(body: () => unknown): unknown {
  try {
    body()
    return undefined
  } catch (error) {
    return error
  }
}
