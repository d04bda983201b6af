import { describe, expect, test } from 'vitest'
import { createRedirectPolicy } from './redirect-policy.ts'

describe('people may be sent', () => {
  test.each([
    ['to the site', 'https://app.example.org', 'https://app.example.org/auth/callback?flow=link', true],
    ['to no other port of it', 'https://app.example.org', 'https://app.example.org:8443/', false],
    ['to another site', 'https://app.example.org', 'https://evil.example/auth/callback', false],
    ['to no loopback address from a public site', 'https://app.example.org', 'http://localhost:3000/', false],
    ['to the same machine by its name', 'http://127.0.0.1:54321', 'http://localhost:54321/auth/callback', true],
    ['to another port of the same machine', 'http://127.0.0.1:54321', 'http://[::1]:5173/', true],
    ['to no name that only looks like the machine', 'http://127.0.0.1:54321', 'http://localhost.evil.example/', false],
    ['to no name that begins like its address', 'http://127.0.0.1:54321', 'http://127.0.0.1.evil.example/', false],
    ['to no name that begins with its network', 'http://localhost:54321', 'http://127.evil.example/', false],
    ['to no address with a user name before it', 'https://app.example.org', 'https://a@app.example.org/', false],
    ['to no script', 'https://app.example.org', 'javascript:alert(1)', false],
  ])('%s', (_title, site, url, isAllowed) => {
    expect(createRedirectPolicy(site, []).isAllowed(url)).toBe(isAllowed)
  })

  test('where a pattern says, and else to the site', () => {
    const policy = createRedirectPolicy('https://app.example.org', ['https://*.example.net/**'])
    expect(policy.choose('https://a.b.example.net/x', 'https://a.example.net/x/y')).toBe('https://a.example.net/x/y')
    expect(policy.choose('https://evil.example', undefined, '')).toBe('https://app.example.org')
  })
})
