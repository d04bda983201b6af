import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fieldsOf } from '../../../lib/fields/field.ts'
import { TEST_FIELDS, testColumn, testTable } from '../../../lib/fields/test-fields.test-support.ts'
import { drawnColumns, layOut } from '../grid-layout.ts'
import { shownFields, toggleField } from './shown-fields.ts'
import { nextSort, parseSorts, renderSorts, type Sort, SORTS_MAX } from './sort.ts'

describe('the order in the address', () => {
  test('comes back as it was', () => {
    const sort: fc.Arbitrary<Sort> = fc.record({
      field: fc.stringMatching(/^[a-z][a-z_]{0,9}$/),
      isDescending: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(sort, { maxLength: SORTS_MAX }), (sorts) => {
        expect(parseSorts(renderSorts(sorts))).toEqual(sorts)
      }),
    )
  })

  test('takes what people may have typed, and no more than so many fields', () => {
    expect(parseSorts(',-,due_on')).toEqual([{ field: 'due_on', isDescending: false }])
    expect(parseSorts('a,b,c,d,e,f')).toHaveLength(SORTS_MAX)
    expect(renderSorts([])).toBeUndefined()
  })

  test('goes from none to ascending to descending to none, for one field', () => {
    const first = nextSort([{ field: 'other', isDescending: true }], 'due_on')
    expect(first).toEqual([{ field: 'due_on', isDescending: false }])
    expect(nextSort(first, 'due_on')).toEqual([{ field: 'due_on', isDescending: true }])
    expect(nextSort(nextSort(first, 'due_on'), 'due_on')).toEqual([])
  })
})

describe('the fields in the address', () => {
  const table = testTable('records', [
    testColumn('title', 'text'),
    testColumn('points', 'integer'),
    testColumn('photo', 'bytea'),
    testColumn('created_at', 'timestamp with time zone'),
  ])
  const fields = fieldsOf(table, { version: '1', tables: [table] })
  const names = (text: string | undefined): readonly string[] => shownFields(fields, text).map(({ name }) => name)

  test('without a word show what people read, not what the database keeps', () => {
    expect(names(undefined)).toEqual(['title', 'points'])
    expect(names('points,+created_at')).toEqual(['title', 'created_at'])
  })

  test('are taken out and put in again, and the address forgets it then', () => {
    const without = toggleField(fields, undefined, 'points')
    expect([without, names(without)]).toEqual(['points', ['title']])
    expect(toggleField(fields, without, 'points')).toBeUndefined()
  })

  test('keep at least one', () => {
    expect(toggleField(fields, 'points', 'title')).toBe('points')
  })

  test('return to what they were after any two presses of the same one, unless it is the last', () => {
    const presses = fc.array(fc.constantFrom(...fields.map(({ name }) => name)))
    fc.assert(
      fc.property(presses, fc.constantFrom(...fields.map(({ name }) => name)), (before, name) => {
        const text = before.reduce<string | undefined>((last, one) => toggleField(fields, last, one), undefined)
        expect(names(text).length).toBeGreaterThan(0)
        const twice = toggleField(fields, toggleField(fields, text, name), name)
        if (names(text).join() !== name) expect(names(twice)).toEqual(names(text))
      }),
    )
  })
})

describe('the columns of the grid', () => {
  test('stand side by side without gaps', () => {
    const { columns, width } = layOut(TEST_FIELDS)
    columns.forEach((column, index) => {
      const before = columns[index - 1]
      expect(column.left).toBe(before ? before.left + before.width : 0)
    })
    expect(width).toBe(columns.reduce((sum, column) => sum + column.width, 0))
  })

  test('are drawn wherever one can see them, and the first and the active one always', () => {
    const wide = layOut(Array.from({ length: 60 }, () => TEST_FIELDS[0]).filter((field) => field !== undefined))
    fc.assert(
      fc.property(fc.nat(20_000), fc.integer({ min: 300, max: 2_000 }), fc.nat(59), (left, view, active) => {
        const drawn = drawnColumns(wide.columns, left, view, active)
        expect(drawn).toEqual(drawn.toSorted((a, b) => a - b))
        expect(drawn).toEqual(expect.arrayContaining([0, active]))
        wide.columns.forEach((column, index) => {
          if (column.left < left + view && column.left + column.width > left) expect(drawn).toContain(index)
        })
      }),
    )
  })
})
