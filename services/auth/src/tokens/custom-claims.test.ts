import { describe, expect, test } from 'vitest'
import { readCustomClaims } from './custom-claims.ts'

const CLAIMS = {
  aud: 'authenticated',
  exp: 2,
  iat: 1,
  sub: 'somebody',
  email: '',
  phone: '',
  role: 'authenticated',
  aal: 'aal1',
  session_id: 'session',
  is_anonymous: false,
}

describe('claims of a hook', () => {
  test('replace ours altogether', () => {
    const claims = { ...CLAIMS, role: 'editor', sub: 'somebody else', amr: ['password', { method: 'otp' }], team: [1] }
    expect(readCustomClaims({ claims })).toEqual(claims)
  })

  test.each(Object.keys(CLAIMS))('need %s', (name) => {
    const claims = Object.fromEntries(Object.entries(CLAIMS).filter(([key]) => key !== name))
    expect(() => readCustomClaims({ claims })).toThrow(
      `output claims do not conform to the expected schema: \n- (root): ${name} is required\n`,
    )
  })

  test.each([
    { exp: '2' },
    { exp: 2.5 },
    { iat: null },
    { sub: 1 },
    { aud: {} },
    { role: ['editor'] },
    { app_metadata: [] },
    { user_metadata: 'text' },
    { amr: 'password' },
    { amr: [1] },
    { client_id: 1 },
  ])('are refused with %j', (wrong) => {
    expect(() => readCustomClaims({ claims: { ...CLAIMS, ...wrong } })).toThrow(Object.keys(wrong)[0])
  })

  test.each([
    [{}, 'output claims field is missing'],
    [{ claims: null }, 'schema'],
    [{ claims: [] }, 'schema'],
  ])('are refused in %j', (answer, message) => {
    expect(() => readCustomClaims(answer)).toThrow(message)
  })
})
