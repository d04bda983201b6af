import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorRedirectUrl, redirectUrl } from './redirect-url.ts'

describe('what comes back in an address', () => {
  test.each([
    ['https://a.org', { query: { code: 'x' } }, 'https://a.org?code=x'],
    ['https://a.org/p?b=1&code=old', { query: { code: 'x' } }, 'https://a.org/p?b=1&code=x'],
    ['https://a.org/p?b=a%20b', { fragment: { sb: '' } }, 'https://a.org/p?b=a%20b#sb='],
    ['https://a.org/#/route', { fragment: { token: 'x' } }, 'https://a.org/#token=x'],
    ['https://a.org/#/route', { query: { code: 'x' } }, 'https://a.org/?code=x#/route'],
    ['app://callback', { query: { code: 'x' } }, 'app://callback?code=x'],
    ['app://', { fragment: { token: 'x y' } }, 'app://#token=x+y'],
  ])('%s with %j', (base, parts, expected) => {
    expect(redirectUrl(base, parts)).toBe(expected)
  })

  test('is an error in OAuth’s words, in the query too for clients with PKCE', () => {
    const error = { status: 403, code: 'otp_expired', message: 'Too late & gone' }
    const fields = 'error=access_denied&error_code=otp_expired&error_description=Too+late+%26+gone'
    expect(errorRedirectUrl('https://a.org/', error, false)).toBe(`https://a.org/#${fields}&sb=`)
    expect(errorRedirectUrl('https://a.org/', error, true)).toBe(`https://a.org/?${fields}#${fields}&sb=`)
    expect(errorRedirectUrl('https://a.org/', { ...error, status: 422 }, false)).toBe(
      'https://a.org/#error_code=otp_expired&error_description=Too+late+%26+gone&sb=',
    )
  })

  test('never changes the host or the path, and reads back as it was', () => {
    const values = fc.dictionary(fc.stringMatching(/^[a-z_]{1,12}$/), fc.string())
    const base = fc.webUrl({ withQueryParameters: true, withFragments: true })
    fc.assert(
      fc.property(base, values, values, (text, query, fragment) => {
        const before = new URL(text)
        const after = new URL(redirectUrl(text, { query, fragment }))
        expect(after.origin + after.pathname).toBe(before.origin + before.pathname)
        for (const [name, value] of Object.entries(query))
          expect(after.searchParams.get(name)).toBe(value.toWellFormed())
        const read = Object.fromEntries(new URLSearchParams(after.hash.slice(1)))
        expect(read).toEqual(
          Object.fromEntries(Object.entries(fragment).map(([name, value]) => [name, value.toWellFormed()])),
        )
      }),
    )
  })
})
