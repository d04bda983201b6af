import { expect, test } from 'vitest'
import { webAuthnSupport } from './webauthn-support.ts'

const at = (address: string, isSecure = true, hasApi = true) =>
  webAuthnSupport({ address: new URL(address), isSecure, hasApi })

test('a named host with a secure connection can have passkeys', () => {
  expect(at('https://data.example.org/account/security')).toEqual({ kind: 'yes' })
  expect(at('http://localhost:54321/account/security')).toEqual({ kind: 'yes' })
})

test('this machine by its IP address is sent to localhost, with port and path', () => {
  const link = 'http://localhost:54321/account/security'
  expect(at('http://127.0.0.1:54321/account/security')).toEqual({ kind: 'ip_address', link })
  expect(at('http://[::1]:54321/account/security')).toEqual({ kind: 'ip_address', link })
})

test('another machine by its IP address has no such way out', () => {
  expect(at('http://192.168.1.20:54321/', false)).toEqual({ kind: 'ip_address', link: undefined })
})

test('without HTTPS the reason is the connection, not the browser', () => {
  expect(at('http://data.example.org/', false, false)).toEqual({ kind: 'insecure' })
})

test('an old browser is told so', () => {
  expect(at('https://data.example.org/', true, false)).toEqual({ kind: 'no_browser' })
})
