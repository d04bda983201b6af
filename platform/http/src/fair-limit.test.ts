import { expect, test } from 'vitest'
import { HoldfastError } from '@holdfast/foundation'
import { createFairLimit } from './fair-limit.ts'

const refuse = (): Error => new HoldfastError('PGRST003', 504, 'Too many requests are under way.')
const refusal = expect.objectContaining({ code: 'PGRST003', status: 504 })

test('one request too many is refused at once, and there is room again when one has ended', () => {
  const limit = createFairLimit(2, refuse)
  const leave = limit.enter(undefined)
  limit.enter(undefined)
  expect(() => limit.enter(undefined)).toThrow(refusal)
  leave()
  expect(() => limit.enter(undefined)).not.toThrow()
})

test('a person who sends without end leaves places for everybody else', () => {
  const limit = createFairLimit(8, refuse)
  const leaves: (() => void)[] = []
  const fill = (person: string): number => {
    const before = leaves.length
    try {
      for (;;) leaves.push(limit.enter(person))
    } catch (error) {
      expect(error).toEqual(refusal)
    }
    return leaves.length - before
  }
  expect([fill('ada'), fill('bob'), fill('eve')]).toEqual([4, 2, 1])
  expect(() => limit.enter(undefined)).not.toThrow()

  for (const leave of leaves) leave()
  expect(fill('eve')).toBeGreaterThanOrEqual(3)
})

test('what takes several places is refused when one of them is missing', () => {
  const limit = createFairLimit(8, refuse)
  const leave = limit.enter('ada', 4)
  expect(() => limit.enter('bob', 3)).toThrow(refusal)
  limit.enter('bob', 2)
  leave()
  expect(() => limit.enter('bob', 3)).toThrow(refusal)
  limit.enter('bob', 2)
  limit.enter(undefined, 4)
  expect(() => limit.enter(undefined)).toThrow(refusal)
})

test('what has ended is counted once, however often it says so', () => {
  const limit = createFairLimit(2, refuse)
  const leave = limit.enter(undefined)
  limit.enter(undefined)
  leave()
  leave()
  limit.enter(undefined)
  expect(() => limit.enter(undefined)).toThrow(refusal)
})
