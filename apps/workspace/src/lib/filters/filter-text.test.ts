import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Condition, type FilterGroup, NO_FILTER, OPERATORS } from './filter.ts'
import { parseFilter, renderFilter } from './filter-text.ts'

const condition: fc.Arbitrary<Condition> = fc.record({
  kind: fc.constant('condition' as const),
  field: fc.string({ minLength: 1, maxLength: 12 }),
  operator: fc.constantFrom(...OPERATORS),
  values: fc.array(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'!.,()ab') })), { maxLength: 3 }),
})
const group = (depth: number): fc.Arbitrary<FilterGroup> =>
  fc.record({
    kind: fc.constantFrom('all' as const, 'any' as const),
    nodes: fc.array(depth === 1 ? condition : fc.oneof(condition, group(depth - 1)), { minLength: 1, maxLength: 2 }),
  })

describe('the filter in the address', () => {
  test('is readable', () => {
    const filter: FilterGroup = {
      kind: 'all',
      nodes: [
        { kind: 'condition', field: 'state', operator: 'in', values: ['open', 'doing'] },
        { kind: 'any', nodes: [{ kind: 'condition', field: 'title', operator: 'has', values: ['3.5 (new)'] }] },
      ],
    }
    expect(renderFilter(filter)).toBe('all(state.in.open.doing,any(title.has.3!.5 !(new!)))')
  })

  test('reads back as it was written', () => {
    fc.assert(
      fc.property(group(3), (filter) => {
        expect(parseFilter(renderFilter(filter))).toEqual(filter)
      }),
    )
  })

  test.each([
    '',
    'all(',
    'all)',
    'all(state)',
    'all(state.dance.x)',
    'all(state.is.x)x',
    'some(state.is.x)',
    'all(any(all(any(state.is.x))))',
    `all(${Array.from({ length: 21 }, () => 'a.is.x').join(',')})`,
  ])('is no filter: %j', (text) => {
    expect(parseFilter(text)).toEqual(NO_FILTER)
  })
})
