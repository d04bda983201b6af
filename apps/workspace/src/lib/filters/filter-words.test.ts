import { expect, test } from 'vitest'
import { TEST_FIELDS } from '../fields/test-fields.test-support.ts'
import { parseFilter } from './filter-text.ts'
import { filterWords, linkedIds } from './filter-words.ts'

test.each([
  ['all(state.in.open)', 'State is one of Open'],
  ['all(state.notin.open.done,points.gt.1200)', 'State is none of Open or Done and Points is greater than 1200'],
  ['any(title.has.pump,due_on.before.today)', 'Title contains “pump” or Due is before Nov 29, 2026'],
  ['all(due_on.after.today-7,due_on.before.today+30)', 'Due is after Nov 22, 2026 and Due is before Dec 29, 2026'],
  [
    'all(state.empty,any(points.lt.3,points.gt.9))',
    'State is empty and (Points is less than 3 or Points is greater than 9)',
  ],
  ['all(site_id.is.s1)', 'Site is Valve House'],
  ['all(nothing.is.1)', ''],
  [undefined, ''],
])('%s is read as: %s', (text, words) => {
  expect(
    filterWords(parseFilter(text), TEST_FIELDS, { titles: new Map([['s1', 'Valve House']]), today: '2026-11-29' }),
  ).toBe(words)
})

test('the linked records that a filter names are found at every level', () => {
  const found = linkedIds(parseFilter('all(site_id.is.s1,any(site_id.isnt.s2,title.is.x))'), TEST_FIELDS)
  expect([...found].map(([{ name }, ids]) => [name, ids])).toEqual([['site_id', ['s1', 's2']]])
})
