import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { elementTexts, memberTexts } from './json-text.ts'

const space = fc.constantFrom('', ' ', '\n\t', '\r ')
const string = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u0041\\/"', '"\\\\"', '"\\"]}"', '"[{,:"', '"__proto__"', '""'),
)
const number = fc.constantFrom('1836486125467611137', '1.10', '-0', '1e400', '1E+2', '0.1e-9')

/** Arbitrary valid JSON text, with spaces, duplicate names and numbers of any size. */
const { json } = fc.letrec<{ json: string }>((tie) => {
  const list = (open: string, close: string, item: fc.Arbitrary<string>) =>
    fc
      .tuple(fc.array(item, { maxLength: 4 }), space)
      .map(([items, gap]) => open + gap + items.join(`${gap},`) + gap + close)
  const member = fc.tuple(string, space, tie('json')).map(([name, gap, value]) => `${name}${gap}:${gap}${value}`)
  return {
    json: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom('true', 'false', 'null'),
      number,
      string,
      list('[', ']', tie('json')),
      list('{', '}', member),
    ),
  }
})

describe('the texts of parts', () => {
  test('are those that any elements were written with', () => {
    fc.assert(
      fc.property(fc.array(json), space, (values, gap) => {
        expect(elementTexts(`${gap}[${values.map((one) => gap + one + gap).join(',')}]`)).toEqual(values)
      }),
    )
  })

  test('are those of any members, and of a repeated name the last', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(string, json)), space, (members, gap) => {
        const text = `{${members.map(([name, value]) => `${gap}${name}${gap}:${gap}${value}${gap}`).join(',')}}`
        expect(JSON.parse(text)).toBeDefined()
        const expected = new Map(members.map(([name, value]) => [JSON.parse(name) as string, value]))
        expect(memberTexts(text)).toEqual(expected)
      }),
    )
  })

  test('are found however deep the nesting is', () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    expect(memberTexts(`{"a":1,"payload":${deep}}`).get('payload')).toBe(deep)
  })
})
