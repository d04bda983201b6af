import { describe, expect, test } from 'vitest'
import { createOwnerKeys } from './owner-keys.ts'

const DAY_MS = 24 * 3_600_000
const clockAt = (now: number): { now: () => number } => ({ now: () => now })
const keysAt = (now: number, secret = 'a secret of the server'): ReturnType<typeof createOwnerKeys> =>
  createOwnerKeys(secret, clockAt(now) as Parameters<typeof createOwnerKeys>[1])

describe('an owner key', () => {
  const key = keysAt(0).issue()

  test('is valid for a day, on every node of the project', () => {
    expect(keysAt(0).isValid(key)).toBe(true)
    expect(keysAt(DAY_MS - 1).isValid(key)).toBe(true)
    expect(keysAt(DAY_MS).isValid(key)).toBe(false)
  })

  test('of another server is refused', () => {
    expect(keysAt(0, 'another secret').isValid(key)).toBe(false)
  })

  test.each([
    ['no key', undefined],
    ['an empty text', ''],
    ['a number', 7],
    ['an object', { toString: () => key }],
    ['a later expiry', key.replace(/^\d+/, (at) => String(Number(at) + 1))],
    ['an expiry with a leading zero', `0${key}`],
    ['half a signature', key.slice(0, -20)],
    ['a longer signature', `${key}A`],
    ['no signature', key.replace(/\..*/, '.')],
    ['a very long text', key.padEnd(100_000, 'A')],
  ])('is not %s', (_what, other) => {
    expect(keysAt(0).isValid(other)).toBe(false)
  })
})
