import fc from 'fast-check'
import { HoldfastError } from '@holdfast/foundation'
import { describe, expect, test } from 'vitest'
import { parseFilter, renderFilter } from './filter.ts'

describe('a filter', () => {
  test.each([
    ['id=eq.1', `coalesce(t."id" = '1', false)`],
    ['id=not.in.(1,"a,b",c)', `coalesce(not (t."id" in ('1', 'a,b', 'c')), false)`],
    ['a=eq.x,b=gt.2', `coalesce(t."a" = 'x', false) and coalesce(t."b" > '2', false)`],
    [String.raw`a=eq."x\"\\,y"`, String.raw`coalesce(t."a" =  E'x"\\,y', false)`],
    [`a"b=eq.it's`, `coalesce(t."a""b" = 'it''s', false)`],
    [
      'a=is.null,a=not.isdistinct.null',
      `coalesce(t."a" is null, false) and coalesce(not (t."a" is distinct from null), false)`,
    ],
    ['a=like.x.y%', `coalesce(t."a"::pg_catalog.text like 'x.y%', false)`],
    ['a=in.( x, "y z" , " ")', `coalesce(t."a" in ('x', 'y z', ' '), false)`],
    ['a=in.(x(1),y)', `coalesce(t."a" in ('x(1)', 'y'), false)`],
    ['a=in.()', 'coalesce(false, false)'],
    ['a=not.in.( )', 'coalesce(not (false), false)'],
    ['a=eq.5"x,b=eq.1', `coalesce(t."a" = '5"x', false) and coalesce(t."b" = '1', false)`],
    ['a=eq.),b=eq.1', `coalesce(t."a" = ')', false) and coalesce(t."b" = '1', false)`],
    ['a=eq."x"y"', `coalesce(t."a" = '"x"y"', false)`],
    ['a=eq."', `coalesce(t."a" = '"', false)`],
  ])('%s is rendered with its values as literals', (text, expected) => {
    const filter = parseFilter(text)
    expect(filter && renderFilter(filter, 't')).toBe(expected)
  })

  test.each([
    'id',
    'id=1',
    '=eq.1',
    'id=nope.1',
    'id=in.1',
    'a=is.1',
    'a=eq.\0',
    'a=constructor.1',
    'a=in.(1,)',
    'a=eq.1,',
    `a=in.(${'1,'.repeat(100)}1)`,
  ])('%j is refused', (text) => {
    expect(() => parseFilter(text)).toThrow('Error parsing `filter` params')
  })

  test('is none when it is empty', () => {
    expect(parseFilter(' ')).toBeUndefined()
  })

  test('has the values that were written, whatever is in them', () => {
    const value = fc.string({ unit: 'binary' }).filter((one) => !one.includes('\0'))
    const values = fc.oneof(
      { weight: 1, arbitrary: value },
      { weight: 2, arbitrary: fc.string({ unit: fc.constantFrom('"', '\\', ',', '(', ')', '.', '=', ' ', "'", 'a') }) },
    )
    const quoted = (one: string): string => `"${one.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`
    const conditions = fc.array(
      fc.tuple(fc.boolean(), fc.boolean(), fc.array(values, { minLength: 1, maxLength: 4 })),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    fc.assert(
      fc.property(conditions, (wanted) => {
        const text = wanted.map(([isNegated, isList, [first = '', ...rest]]) => {
          const list = [first, ...rest].map(quoted).join(' , ')
          return `a=${isNegated ? 'not.' : ''}${isList ? `in.(${list})` : `eq.${quoted(first)}`}`
        })
        const found = parseFilter(text.join(' , '))?.conditions.map((one) => [one.isNegated, one.operator, one.values])
        expect(found).toEqual(
          wanted.map(([isNegated, isList, all]) => [isNegated, isList ? 'in' : 'eq', isList ? all : all.slice(0, 1)]),
        )
      }),
    )
  })

  test('is read or refused, whatever the text is, also a long one', () => {
    const pieces = fc.constantFrom(
      'a',
      '=',
      'eq.',
      'in.',
      'not.',
      'is.',
      '(',
      ')',
      '"',
      '\\',
      ',',
      ' ',
      '\n',
      'null',
      '.',
    )
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces).map((some) => some.join('')),
    )
    const read = (text: string): void => {
      try {
        parseFilter(text)
      } catch (error) {
        expect(error).toBeInstanceOf(HoldfastError)
      }
    }
    fc.assert(fc.property(texts, read))
    for (const piece of ['"', '\\', '(', ',', ' ', 'a=eq.', '."', '"\\"'])
      for (const begin of ['', 'a=eq.', 'a=in.(', 'a=eq."']) read(begin + piece.repeat(30_000))
    expect(() => parseFilter(`a=eq.${'x'.repeat(5_000_000)}`)).toThrow('it is longer than 65536 characters')
  })
})
