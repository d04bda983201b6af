import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TEST_FIELDS } from '../../../lib/fields/test-fields.test-support.ts'
import {
  moveField,
  orderFields,
  parseFrozen,
  parseHeight,
  parseRules,
  parseWidths,
  renderRules,
  renderWidths,
  TONES,
} from './view-looks.ts'

test('a rule comes back from its text, whatever its values have in them', () => {
  const rule = fc.record({
    tone: fc.constantFrom(...TONES),
    field: fc.constantFrom(undefined, 'title'),
    filter: fc.record({
      kind: fc.constantFrom('all' as const, 'any' as const),
      nodes: fc.array(
        fc.record({
          kind: fc.constant('condition' as const),
          field: fc.constant('title'),
          operator: fc.constant('has' as const),
          values: fc.tuple(fc.string({ minLength: 1 })),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  })
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 4 }), (rules) => {
      expect(parseRules(renderRules(rules))).toEqual(rules)
    }),
  )
})

test('what is no rule is skipped', () => {
  expect(parseRules('pink:all(a.filled),danger,warning:all(a.filled)')).toMatchObject([{ tone: 'warning' }])
  expect(parseRules(undefined)).toEqual([])
})

test('widths keep within what can be used', () => {
  expect([...parseWidths('title.5,due_on.140,x,points.9999')]).toEqual([
    ['title', 60],
    ['due_on', 140],
    ['points', 800],
  ])
  expect(renderWidths(new Map([['title', 320.4]]))).toBe('title.320')
})

test('fields come in the order of the view, those that it does not name after them', () => {
  const names = (text: string | undefined): readonly string[] => orderFields(TEST_FIELDS, text).map(({ name }) => name)
  const all = names(undefined)
  expect(names('due_on,gone,title').slice(0, 3)).toEqual(['due_on', 'title', all.find((name) => name !== 'title')])
  expect(names(moveField(TEST_FIELDS, 'title', 1)).slice(0, 2)).toEqual([all[1], all[0]])
  expect(names(moveField(TEST_FIELDS, 'title', -1))).toEqual(all)
})

test('heights and frozen columns that are none leave both to the device', () => {
  expect([parseHeight('tall'), parseHeight('huge')]).toEqual(['tall', undefined])
  expect([parseFrozen('2'), parseFrozen('9'), parseFrozen('0'), parseFrozen('-1')]).toEqual([2, 5, 0, undefined])
})
