import { expect, test } from 'vitest'
import { matrixOf, NEW_RECORD, openMatrix, stepsOf, type StoredStep, withStep } from './transition-steps.ts'

const STEPS: readonly StoredStep[] = [
  { field: 'state', from_value: null, to_value: 'Open', least_role: null },
  { field: 'state', from_value: 'Open', to_value: 'Done', least_role: 'admin' },
  { field: 'other', from_value: 'A', to_value: 'B', least_role: null },
]

test('steps of a field are read and written as they were, with their roles', () => {
  const matrix = matrixOf(STEPS, 'state')
  expect(matrix && stepsOf(matrix)).toEqual([
    { from: null, to: 'Open' },
    { from: 'Open', to: 'Done', role: 'admin' },
  ])
  expect(matrixOf(STEPS, 'free')).toBeUndefined()
})

test('limits start with every step, and a value never follows itself', () => {
  expect(stepsOf(openMatrix(['A', 'B']))).toEqual([
    { from: null, to: 'A' },
    { from: null, to: 'B' },
    { from: 'A', to: 'B' },
    { from: 'B', to: 'A' },
  ])
})

test('a step is taken away and allowed again', () => {
  const without = withStep(openMatrix(['A', 'B']), 'A', 'B', false)
  expect(without.get('A')).toEqual(new Map())
  expect(withStep(without, 'A', 'B', true)).toEqual(openMatrix(['A', 'B']))
  const kept = matrixOf(STEPS, 'state')
  expect(kept && withStep(kept, 'Open', 'Done', true)).toEqual(kept)
  expect(without.get(NEW_RECORD)?.size).toBe(2)
})
