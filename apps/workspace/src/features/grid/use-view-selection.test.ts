import { expect, test } from 'vitest'
import { FIRST_CELL, type Selection } from './selection.ts'
import { createViewStore } from './use-view-selection.ts'

const at = (row: number): Selection => ({ active: { row, column: 1 }, anchor: { row, column: 1 } })

test('another view begins with its first cell, and the view before has its selection until another one was made', () => {
  const store = createViewStore(FIRST_CELL)
  const [all, searched] = [store.of('all'), store.of('searched')]
  expect(all.get()).toBe(FIRST_CELL)
  all.set(at(3))
  expect(searched.get()).toBe(FIRST_CELL)
  expect(store.of('all').get()).toEqual(at(3))
  searched.set(at(5))
  expect(searched.get()).toEqual(at(5))
  expect(all.get()).toBe(FIRST_CELL)
})

test('who listens is told of each selection, until it ends that', () => {
  const selection = createViewStore(FIRST_CELL).of('all')
  const told: number[] = []
  const stop = selection.subscribe(() => told.push(selection.get().active.row))
  selection.set(at(1))
  selection.set(at(2))
  stop()
  selection.set(at(3))
  expect(told).toEqual([1, 2])
})
