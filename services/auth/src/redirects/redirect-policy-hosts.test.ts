import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedirectPolicy } from './redirect-policy.ts'

/** The nightly run tries more addresses. */
const RUNS = runsOf(3_000, { variable: 'HOLDFAST_REDIRECT_RUNS' })

// Pins that users are redirected only to the project's own hosts, however the address is written. A browser decides where an
// address leads, so `URL` is the reference.

const SITE = 'https://app.example.org/home'
const policy = createRedirectPolicy(SITE, [
  'https://*.preview.example.org/**',
  'https://exact.example.org/callback',
  'com.example.app://**',
])

describe('redirects', () => {
  test.each([
    SITE,
    'https://app.example.org',
    'https://app.example.org/any/path?and=query#and-fragment',
    'https://pr-7.preview.example.org/in',
    'https://exact.example.org/callback',
    'https://exact.example.org/callback#fragment',
    'com.example.app://in/there',
  ])('%s is allowed', (url) => {
    expect(policy.isAllowed(url)).toBe(true)
  })

  test.each([
    '',
    '/path',
    '//evil.com',
    'https://evil.com',
    'http://app.example.org',
    'https://app.example.org:8443',
    'https://app.example.org.evil.com',
    'https://app.example.org@evil.com',
    'https://evil.com@app.example.org',
    'https://user:word@app.example.org',
    'https://app.example.org\\@evil.com',
    'https:\\\\app.example.org',
    ' https://app.example.org',
    'https://app.example.org\n',
    'https://evil.com#.preview.example.org/',
    'https://evil.com/.preview.example.org/',
    'https://evil.com?.preview.example.org/',
    'https://a.b.preview.example.org/',
    'https://exact.example.org/callback/more',
    'https://exact.example.org/callback?more',
    'https://2130706433/',
    'https://evil?.preview.example.org/',
    'https://[2001:db8::1]?.preview.example.org/',
    'https://[2001:db8::1]#.preview.example.org/',
    'https://evil\\.preview.example.org/',
    'https://exact。example.org/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'com.example.other://in',
  ])('%s is not', (url) => {
    expect(policy.isAllowed(url)).toBe(false)
    expect(policy.choose(url)).toBe(SITE)
  })

  test('to any port are for sites on this machine only', () => {
    const local = createRedirectPolicy('http://localhost:3000', [])
    expect(local.isAllowed('http://localhost:5173/in')).toBe(true)
    expect(local.isAllowed('http://192.168.0.1:5173/in')).toBe(false)
    expect(local.isAllowed('https://localhost:3000')).toBe(false)
    expect(local.choose(undefined, '', 'https://evil.com', 'http://localhost:9/a')).toBe('http://localhost:9/a')
  })

  test('never lead to a host that is not the project’s, however they are written', () => {
    const piece = fc.constantFrom(
      'https://',
      'http://',
      'https:',
      'com.example.app://',
      '//',
      '/',
      '\\',
      '@',
      ':',
      '#',
      '?',
      '.',
      '%2e',
      '%00',
      '\t',
      '。',
      '8443',
      'app.example.org',
      'exact.example.org/callback',
      'pr.preview.example.org/',
      '.preview.example.org/',
      'evil.com',
      'user:word',
      '[::1]',
      '2130706433',
    )
    const address = fc.oneof(
      fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('')),
      fc.array(piece, { maxLength: 6 }).map((pieces) => `https://${pieces.join('')}`),
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.string(),
    )
    fc.assert(
      fc.property(address, (text) => {
        if (!policy.isAllowed(text)) return
        const url = new URL(text)
        if (url.protocol === 'com.example.app:') return
        expect(url.protocol).toBe('https:')
        expect(url.port).toBe('')
        expect(url.username + url.password).toBe('')
        expect(url.hostname).toMatch(/^(app\.example\.org|exact\.example\.org|[^./]*\.preview\.example\.org)$/)
      }),
      { numRuns: RUNS },
    )
  })
})
