import { expect, test } from 'vitest'
import type { TokenClaims } from '../session/session.ts'
import { claimsText } from '../session/assurance.ts'
import { createValue } from '../value.ts'
import { watchClaims } from './watch-claims.ts'

const tokenOf = (claims: Readonly<Record<string, unknown>>): string =>
  `head.${btoa(JSON.stringify(claims)).replaceAll('=', '')}.signature`

test('tells of a token that says something else of the person, not of one that only lasts longer', () => {
  const claims = createValue<TokenClaims | undefined>(undefined)
  let told = 0
  using _watch = watchClaims({ claims }, 'a', () => void told++)
  const next = (userId: string, said: Readonly<Record<string, unknown>>): void =>
    claims.set({ userId, text: claimsText(tokenOf({ sub: userId, ...said })) })
  next('a', { exp: 1, app_metadata: { org: 'one' } })
  next('a', { app_metadata: { org: 'one' }, exp: 2, iat: 1 })
  expect(told).toBe(0)
  next('a', { exp: 3, app_metadata: { org: 'two' } })
  expect(told).toBe(1)
  claims.set(undefined)
  next('b', { exp: 4 })
  next('a', { exp: 5, app_metadata: { org: 'two' } })
  expect(told).toBe(1)
  next('a', { exp: 6, app_metadata: { org: 'two' }, aal: 'aal2' })
  expect(told).toBe(2)
})
