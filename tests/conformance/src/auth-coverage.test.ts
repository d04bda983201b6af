import { readdirSync, readFileSync } from 'node:fs'
import { createClient } from '@supabase/supabase-js'
import { describe, expect, test } from 'vitest'
import { methodsOf, unknownNamespaces } from './auth-methods.ts'
import { OFFLINE_CALLS } from './auth-offline-calls.ts'

// The methods are read from the client itself, so a new client version with untested methods fails here.

const { auth } = createClient('http://127.0.0.1:9', 'key', { auth: { persistSession: false, autoRefreshToken: false } })

/** Methods that send no request, have offline tests of their own, or ask the browser first. */
const NOT_CUT = new Set([
  'auth.initialize',
  'auth.getSession',
  'auth.setSession',
  'auth.refreshSession',
  'auth.signOut',
  'auth.signInWithOAuth',
  'auth.onAuthStateChange',
  'auth.startAutoRefresh',
  'auth.stopAutoRefresh',
  'auth.dispose',
  'auth.mfa.getAuthenticatorAssuranceLevel',
  'auth.signInWithPasskey',
  'auth.registerPasskey',
  'auth.mfa.webauthn.authenticate',
  'auth.mfa.webauthn.register',
])

/** Methods with a `describe('auth.signUp', …)` in any auth test except the offline test. */
function testedMethods(): Set<string> {
  const folder = new URL('.', import.meta.url)
  const files = readdirSync(folder).filter(
    (name) => name.startsWith('auth') && name.endsWith('.test.ts') && name !== 'auth-offline.test.ts',
  )
  const titles = files.flatMap((name) => [
    ...readFileSync(new URL(name, folder), 'utf8').matchAll(/^describe(?:\.\w+)?\(\s*'(auth\.[\w.]+)'/gm),
  ])
  return new Set(titles.map(([, method = '']) => method))
}

describe('conformance tests of auth', () => {
  test('know every namespace of the client', () => {
    expect(unknownNamespaces(auth)).toEqual([])
  })

  test.each(methodsOf(auth))('cover %s', (method) => {
    expect(testedMethods()).toContain(method)
  })

  test('cut the connection for every method that sends a request', () => {
    expect(methodsOf(auth).filter((method) => !(method in OFFLINE_CALLS) && !NOT_CUT.has(method))).toEqual([])
  })

  test('name only methods of the client', () => {
    const methods = new Set(methodsOf(auth))
    expect([...testedMethods()].filter((method) => !methods.has(method))).toEqual([])
  })
})
