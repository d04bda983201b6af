import { expect, test } from 'vitest'
import { addTab, changeTab, closeTab, newTabs } from './tabs.ts'

test('a new tab has the next number and is selected', () => {
  const two = addTab(newTabs(), 'select 1')
  expect(two.tabs.map(({ title, text }) => [title, text])).toEqual([
    ['Query 1', ''],
    ['Query 2', 'select 1'],
  ])
  expect(two.selected).toBe(two.tabs[1]?.id)
})

test('closing the selected tab selects its neighbour; the last one becomes empty', () => {
  const two = addTab(newTabs())
  const one = closeTab(two, two.selected)
  expect(one.selected).toBe(two.tabs[0]?.id)
  const changed = changeTab(one, one.selected, 'select 2')
  const none = closeTab(changed, one.selected)
  expect(none.tabs).toMatchObject([{ title: 'Query 1', text: '' }])
})

test('closing another tab keeps the selected one', () => {
  const two = addTab(newTabs())
  expect(closeTab(two, two.tabs[0]?.id ?? '').selected).toBe(two.selected)
})
