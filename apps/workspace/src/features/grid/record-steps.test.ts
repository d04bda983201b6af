import { expect, test } from 'vitest'
import { testField } from '../../lib/fields/test-fields.test-support.ts'
import { recordSteps } from './record-steps.ts'
import type { RowGroup } from './row-groups.ts'
import { FIRST_CELL, type Selection } from './selection.ts'

const GROUP: RowGroup = {
  key: '#',
  level: 1,
  field: testField('state'),
  value: null,
  text: '',
  records: 1,
  isExpanded: true,
  subtotals: new Map(),
}
/** `#` is a group header. */
const ids = ['a', 'b', '#', 'c']
const windows = {
  row: (index: number) => (ids[index] === undefined || ids[index] === '#' ? undefined : { id: ids[index] }),
  indexOf: (id: string) => (ids.includes(id) ? ids.indexOf(id) : undefined),
  groupAt: (index: number) => (ids[index] === '#' ? GROUP : undefined),
}

function stepsFrom(record: string | undefined): {
  readonly steps: ReturnType<typeof recordSteps>
  readonly opened: (string | undefined)[]
  readonly selected: Selection[]
} {
  const opened: (string | undefined)[] = []
  const selected: Selection[] = []
  const view = { record, openRecord: (id: string | undefined) => void opened.push(id) }
  const selection = {
    get: () => ({ ...FIRST_CELL, active: { row: 0, column: 2 } }),
    set: (next: Selection) => void selected.push(next),
  }
  return { steps: recordSteps(view, windows, selection), opened, selected }
}

test('a step opens the next record of the view, over the headers of groups, and takes the active cell along, in its column', () => {
  const { steps, opened, selected } = stepsFrom('b')
  steps.onNext?.()
  steps.onPrevious?.()
  expect(opened).toEqual(['c', 'a'])
  expect(selected).toEqual([
    { active: { row: 3, column: 2 }, anchor: { row: 3, column: 2 } },
    { active: { row: 0, column: 2 }, anchor: { row: 0, column: 2 } },
  ])
})

test('there is no step over the ends, from a record that the view does not have, or without one', () => {
  expect(stepsFrom('a').steps.onPrevious).toBeUndefined()
  expect(stepsFrom('c').steps.onNext).toBeUndefined()
  expect(stepsFrom('elsewhere').steps).toEqual({ onPrevious: undefined, onNext: undefined })
  expect(stepsFrom(undefined).steps).toEqual({ onPrevious: undefined, onNext: undefined })
})
