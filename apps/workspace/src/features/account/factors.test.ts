import { expect, test } from 'vitest'
import { freeName, nameOfFactor, verifiedFactors } from './factors.ts'

const at = '2026-11-20T12:00:00Z'
const factor = (changes: object) =>
  ({ id: 'f', factor_type: 'totp', status: 'verified', created_at: at, updated_at: at, ...changes }) as never

test('a name that is taken gets the next free number', () => {
  expect(freeName('Phone', [])).toBe('Phone')
  expect(freeName('Phone', ['Phone'])).toBe('Phone 2')
  expect(freeName('Phone', ['Phone', 'Phone 2', 'Phone 4'])).toBe('Phone 3')
})

test('a factor without a name is called by its kind', () => {
  expect(nameOfFactor(factor({ friendly_name: 'My phone' }))).toBe('My phone')
  expect(nameOfFactor(factor({ friendly_name: ' ' }))).toBe('Authenticator app')
  expect(nameOfFactor(factor({ factor_type: 'webauthn' }))).toBe('Security key')
})

test('factors that were never confirmed do not count', () => {
  const user = { factors: [factor({ id: 'a' }), factor({ id: 'b', status: 'unverified' })] } as never
  expect(verifiedFactors(user).map(({ id }) => id)).toEqual(['a'])
  expect(verifiedFactors(undefined)).toEqual([])
})
