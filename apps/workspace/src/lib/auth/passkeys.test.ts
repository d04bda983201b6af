import { expect, test } from 'vitest'
import { passkeyPlace } from './passkeys.ts'

test.each([
  ['http://127.0.0.1:54321/sign-in?email=a', 'http://localhost:54321/sign-in?email=a'],
  ['http://[::1]:8080/sign-in', 'http://localhost:8080/sign-in'],
  ['https://192.168.1.20/sign-in', undefined],
])('%s has no passkeys, but %s does', (page, url) => {
  expect(passkeyPlace(new URL(page))).toEqual({ kind: 'wrong_address', url })
})

test('a name without passkeys in the browser', () => {
  expect(passkeyPlace(new URL('https://data.example.org/'))).toEqual({ kind: 'unsupported' })
})
