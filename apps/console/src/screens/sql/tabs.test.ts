import { expect, test } from 'vitest'
import { addTab, changeTab, closeTab, nameTab, newTabs, openInTab } from './tabs.ts'

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

test('a query is opened in the empty tab, then in a new one; a saved one is opened once', () => {
  const first = openInTab(newTabs(), { text: 'select 1' })
  expect(first.tabs).toMatchObject([{ title: 'Query 1', text: 'select 1' }])
  const second = openInTab(first, { title: 'Orders', text: 'select 2', savedId: 'a' })
  expect(second.tabs.map(({ title }) => title)).toEqual(['Query 1', 'Orders'])
  expect(second.selected).toBe(second.tabs[1]?.id)
  const edited = changeTab(second, second.selected, 'select 3')
  const again = openInTab({ ...edited, selected: edited.tabs[0]?.id ?? '' }, { text: 'select 2', savedId: 'a' })
  expect(again).toEqual({ ...edited, selected: edited.tabs[1]?.id })
})

test('a saved tab has the name of its query and is not replaced', () => {
  const tabs = newTabs()
  const named = nameTab(tabs, tabs.selected, { title: 'Orders', savedId: 'a' })
  expect(named.tabs).toMatchObject([{ title: 'Orders', savedId: 'a' }])
  expect(openInTab(named, { text: 'select 1' }).tabs).toHaveLength(2)
})
