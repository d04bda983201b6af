import { expect, test } from 'vitest'
import { SharedParts } from './shared-parts.ts'

test('equal sets are one, whatever the order of their texts', () => {
  const shared = new SharedParts()
  const one = shared.share(new Set(['a', 'b']))
  expect(shared.share(new Set(['b', 'a']))).toBe(one)
  expect([...one]).toEqual(['a', 'b'])
  expect(shared.share(new Set(['a']))).not.toBe(one)
})

test('a set stays the same for as long as anybody has it', () => {
  const shared = new SharedParts()
  const one = shared.share(new Set(['a', 'b']))
  shared.share(new Set(['a', 'b']))
  shared.release(one)
  expect(shared.share(new Set(['a', 'b']))).toBe(one)
})

test('what no stream has any more is forgotten, however many plans come and go', () => {
  const shared = new SharedParts()
  let held = shared.share(new Set(['stays', 'plan 0']))
  for (let plan = 1; plan <= 1_000; plan++) {
    const next = shared.share(new Set(['stays', `plan ${plan}`]))
    shared.release(held)
    held = next
    expect(shared.size).toBe(2)
  }
  expect([...held]).toEqual(['stays', 'plan 1000'])
  shared.release(held)
  expect(shared.size).toBe(0)
})
