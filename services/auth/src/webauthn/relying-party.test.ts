import { describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { defaultAuthOptions, type AuthOptions } from '../options/auth-options.ts'
import { createRelyingParty } from './relying-party.ts'

function partyOf(siteUrl: string, options: Partial<AuthOptions> = {}, baseUrl = siteUrl) {
  return createRelyingParty({
    options: { ...defaultAuthOptions(), ...options },
    siteUrl,
    baseUrl,
    projectName: 'Boats',
    logger: silentLogger,
  })
}

describe('passkeys belong to', () => {
  test('the host of the site, on its origin', () => {
    expect(partyOf('https://boats.example.org/app')).toEqual({
      id: 'boats.example.org',
      name: 'Boats',
      origins: ['https://boats.example.org'],
    })
  })

  test('localhost, when the site is on a loopback address', () => {
    expect(partyOf('http://127.0.0.1:3000', {}, 'http://127.0.0.1:54321')).toEqual({
      id: 'localhost',
      name: 'Boats',
      origins: ['http://127.0.0.1:3000', 'http://localhost:3000', 'http://localhost:54321'],
    })
    expect(partyOf('http://[::1]:3000')?.origins).toEqual(['http://[::1]:3000', 'http://localhost:3000'])
  })

  test('a domain above the site, when it is named', () => {
    const party = partyOf('https://boats.example.org', {
      webauthnRpId: 'Example.org',
      webauthnRpDisplayName: 'Boat club',
    })
    expect(party).toEqual({ id: 'example.org', name: 'Boat club', origins: ['https://boats.example.org'] })
  })

  test('the origins that are named, apps included', () => {
    const webauthnRpOrigins = ['https://a.example.org', 'https://example.org/', 'android:apk-key-hash:AbC_-9']
    expect(partyOf('https://example.org', { webauthnRpOrigins })?.origins).toEqual([
      'https://a.example.org',
      'https://example.org',
      'android:apk-key-hash:AbC_-9',
    ])
  })

  test.each(['http://192.0.2.1:8080', 'https://[2001:db8::1]', 'http://boats.example.org'])('none at %s', (site) => {
    expect(partyOf(site)).toBeUndefined()
  })

  test('none, when they are switched off', () => {
    expect(partyOf('https://boats.example.org', { passkeyEnabled: false })).toBeUndefined()
  })
})

describe('the server does not start with', () => {
  test.each<[string, string, Partial<AuthOptions>, RegExp]>([
    ['an address as the domain', 'https://a.example.org', { webauthnRpId: '192.0.2.1' }, /"192.0.2.1" is no domain/],
    [
      'a site outside the domain',
      'https://a.example.org',
      { webauthnRpId: 'b.org' },
      /does not belong to the domain b.org/,
    ],
    ['a look-alike site', 'https://badexample.org', { webauthnRpId: 'example.org' }, /does not belong/],
    ['an origin outside', 'https://a.org', { webauthnRpOrigins: ['https://b.org'] }, /https:\/\/b.org does not belong/],
    ['an origin without TLS', 'https://a.org', { webauthnRpOrigins: ['http://a.org'] }, /has no TLS/],
    ['an address for an origin', 'https://a.org', { webauthnRpOrigins: ['https://a.org/x'] }, /is no origin/],
    ['security keys at an address', 'http://192.0.2.1', { mfaWebAuthnEnrollEnabled: true }, /is no domain/],
    ['security keys without TLS', 'http://a.org', { mfaWebAuthnVerifyEnabled: true }, /has no TLS/],
  ])('%s', (_what, site, options, message) => {
    expect(() => partyOf(site, options)).toThrowError(message)
  })
})
