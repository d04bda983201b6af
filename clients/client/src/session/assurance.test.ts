import type { Session } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { needsSecondFactor } from './assurance.ts'

const tokenWith = (aal: string): string =>
  `x.${Buffer.from(JSON.stringify({ aal, name: 'Zoë' })).toString('base64url')}.x`

function session(aal: string, statuses: readonly string[] | undefined): Pick<Session, 'access_token' | 'user'> {
  const factors = statuses?.map((status) => ({ id: 'f', status, factor_type: 'totp' }))
  return { access_token: tokenWith(aal), user: { id: 'a', factors } as unknown as Session['user'] }
}

test.each([
  ['a user without factors', session('aal1', undefined), false],
  ['a user whose factor was never verified', session('aal1', ['unverified']), false],
  ['a session without the second factor', session('aal1', ['unverified', 'verified']), true],
  ['a session with it', session('aal2', ['verified']), false],
  ['a token that cannot be read', { ...session('aal1', ['verified']), access_token: '?' }, true],
])('%s', (_title, given, needed) => {
  expect(needsSecondFactor(given)).toBe(needed)
})
