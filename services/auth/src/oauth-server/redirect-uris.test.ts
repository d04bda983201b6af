import { expect, test } from 'vitest'
import { isRegisteredRedirect, requireRedirectUris, withParameters } from './redirect-uris.ts'

test.each([
  '',
  'callback',
  '/callback',
  'https:///',
  'javascript:alert(1)',
  'data:text/html,x',
  'http://app.example.org/callback',
  'http://127.0.0.1.example.org/callback',
  'https://app.example.org/callback#there',
  'https://app.example.org/callback#',
  'https://somebody@app.example.org/callback',
  'https://app.example.org/a,b',
  'https://app.example.org\\@evil.example.com',
  ' https://app.example.org/callback',
])('an app cannot have its codes sent to %j', (uri) => {
  expect(() => requireRedirectUris([uri])).toThrow('invalid redirect_uri')
})

test('an app has at least one address and at most ten', () => {
  expect(() => requireRedirectUris([])).toThrow('redirect_uris is required')
  expect(() => requireRedirectUris(Array.from({ length: 11 }, () => 'https://a.example.org/'))).toThrow('10 items')
})

test.each([
  'https://app.example.org/callback?tenant=1',
  'http://localhost:3000/callback',
  'http://127.0.0.1/callback',
  'http://[::1]:8080/callback',
  'com.example.app://callback',
])('an app may have its codes sent to %s', (uri) => {
  expect(() => requireRedirectUris([uri])).not.toThrow()
})

test.each([
  ['https://app.example.org/callback', 'https://app.example.org/callback/'],
  ['https://app.example.org/callback', 'https://app.example.org/callback?x=1'],
  ['https://app.example.org/callback', 'https://APP.example.org/callback'],
  ['https://app.example.org/callback', 'https://app.example.org:8443/callback'],
  ['https://app.example.org/callback', 'https://app.example.org/callback/../evil'],
  ['http://127.0.0.1/callback', 'http://localhost/callback'],
  ['http://127.0.0.1/callback', 'http://127.0.0.1:80@evil.example.com/callback'],
  ['http://127.0.0.1/callback', 'http://127.0.0.1:99999/callback'],
  ['http://127.0.0.1/callback', 'https://127.0.0.1/callback'],
  ['http://127.0.0.1/callback', 'http://127.0.0.1:3000/other'],
])('registered as %s, it is not sent to %s', (registered, uri) => {
  expect(isRegisteredRedirect([registered], uri)).toBe(false)
})

test('the port of this machine may differ, because native apps learn it when they start', () => {
  expect(isRegisteredRedirect(['http://127.0.0.1/callback'], 'http://127.0.0.1:49152/callback')).toBe(true)
  expect(isRegisteredRedirect(['http://[::1]:1/callback'], 'http://[::1]:2/callback')).toBe(true)
})

test('parameters are added to those that the address has', () => {
  expect(withParameters('https://a.example.org/cb?tenant=1', { code: 'x y', state: undefined })).toBe(
    'https://a.example.org/cb?tenant=1&code=x+y',
  )
  expect(withParameters('com.example.app://callback', { code: 'x' })).toBe('com.example.app://callback?code=x')
})
