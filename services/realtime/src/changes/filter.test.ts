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
  ])('%s is rendered with its values as literals', (text, expected) => {
    const filter = parseFilter(text)
    expect(filter && renderFilter(filter, 't')).toBe(expected)
  })

  test.each(['id', 'id=1', '=eq.1', 'id=nope.1', 'id=in.1', 'a=is.1', 'a=eq.\0', `a=in.(${'1,'.repeat(100)}1)`])(
    '%j is refused',
    (text) => {
      expect(() => parseFilter(text)).toThrow('Error parsing `filter` params')
    },
  )

  test('is none when it is empty', () => {
    expect(parseFilter(' ')).toBeUndefined()
  })
})
