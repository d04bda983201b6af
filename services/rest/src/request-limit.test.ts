import { expect, test } from 'vitest'
import { createRequestLimit } from './request-limit.ts'

const refusal = expect.objectContaining({ code: 'PGRST003', status: 504 })

test('one request too many is refused at once, and there is room again when one has ended', () => {
  const limit = createRequestLimit(2)
  const leave = limit.enter(undefined)
  limit.enter(undefined)
  expect(() => limit.enter(undefined)).toThrow(refusal)
  leave()
  expect(() => limit.enter(undefined)).not.toThrow()
})

test('a person who sends without end leaves places for everybody else', () => {
  const limit = createRequestLimit(8)
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
