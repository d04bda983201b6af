import { createClient } from '@supabase/supabase-js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FaultyLink, openFaultyLink } from '@holdfast/test-support'
import { openAuthInProcess } from './auth-in-process.ts'
import { methodsOf } from './auth-methods.ts'
import { type AuthWorld, createAuthWorld, expireIn, PASSWORD, type SignedUp, storedSession } from './auth-world.ts'

// The line to the server is cut. Nothing may be lost then: what asked the server fails with an error that says "try again", the session
// stays where it is, nobody is told that they are signed out, and everything works again when the line is mended.

let world: AuthWorld
let link: FaultyLink

beforeAll(async () => {
  const server = await openAuthInProcess()
  link = await openFaultyLink(server.url)
  world = createAuthWorld(server)
})
afterAll(async () => {
  await link[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})
beforeEach(() => {
  // The client says on the console what it returns as well.
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined)
})
afterEach(async () => {
  vi.useRealTimers()
  link.mend()
  // Connections that were cut are noticed a moment later.
  await vi.waitFor(() => fetch(`${link.url}/auth/v1/.well-known/jwks.json`, { headers: { apikey: world.anonKey } }))
  vi.restoreAllMocks()
})

/** Waits without taking the time: a client tries a refresh again for half a minute before it gives up. */
async function inNoTime<T>(answer: Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.now() })
  let isThere = false
  void answer.finally(() => (isThere = true)).catch(() => undefined)
  while (!isThere) {
    vi.advanceTimersByTime(200)
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  vi.useRealTimers()
  return answer
}

const ID = '5f0e1d2c-3b4a-4958-8776-655443322110'
const EMAIL = 'ada@example.org'

/** What an authenticator answers, as far as the client reads it before it asks the server. */
const CREDENTIAL = {
  id: 'AAAA',
  rawId: new Uint8Array(3).buffer,
  type: 'public-key',
  response: {
    clientDataJSON: new Uint8Array(3).buffer,
    attestationObject: new Uint8Array(3).buffer,
    authenticatorData: new Uint8Array(3).buffer,
    signature: new Uint8Array(3).buffer,
    userHandle: null,
  },
  getClientExtensionResults: () => ({}),
}

type Auth = SignedUp['auth']

/** A call of every method that asks the server. */
const CALLS: Readonly<Record<string, (auth: Auth) => Promise<{ readonly error: unknown }>>> = {
  'auth.signUp': (auth) => auth.signUp({ email: EMAIL, password: PASSWORD }),
  'auth.signInAnonymously': (auth) => auth.signInAnonymously(),
  'auth.signInWithPassword': (auth) => auth.signInWithPassword({ email: EMAIL, password: PASSWORD }),
  'auth.signInWithOtp': (auth) => auth.signInWithOtp({ email: EMAIL }),
  'auth.signInWithIdToken': (auth) => auth.signInWithIdToken({ provider: 'google', token: 'a.b.c' }),
  'auth.signInWithSSO': (auth) => auth.signInWithSSO({ domain: 'example.org' }),
  'auth.signInWithWeb3': (auth) => auth.signInWithWeb3({ chain: 'ethereum', message: 'hello', signature: '0x00' }),
  'auth.verifyOtp': (auth) => auth.verifyOtp({ email: EMAIL, token: '123456', type: 'email' }),
  'auth.exchangeCodeForSession': (auth) => auth.exchangeCodeForSession(ID),
  'auth.resend': (auth) => auth.resend({ type: 'signup', email: EMAIL }),
  'auth.resetPasswordForEmail': (auth) => auth.resetPasswordForEmail(EMAIL),
  'auth.reauthenticate': (auth) => auth.reauthenticate(),
  'auth.getUser': (auth) => auth.getUser(),
  'auth.updateUser': (auth) => auth.updateUser({ data: { name: 'Ada' } }),
  'auth.getUserIdentities': (auth) => auth.getUserIdentities(),
  'auth.linkIdentity': (auth) => auth.linkIdentity({ provider: 'google' }),
  'auth.unlinkIdentity': (auth) =>
    auth.unlinkIdentity({ id: ID, user_id: ID, identity_id: ID, provider: 'google', identity_data: {} }),
  'auth.getClaims': (auth) => auth.getClaims(),
  'auth.mfa.enroll': (auth) => auth.mfa.enroll({ factorType: 'totp' }),
  'auth.mfa.challenge': (auth) => auth.mfa.challenge({ factorId: ID }),
  'auth.mfa.verify': (auth) => auth.mfa.verify({ factorId: ID, challengeId: ID, code: '123456' }),
  'auth.mfa.challengeAndVerify': (auth) => auth.mfa.challengeAndVerify({ factorId: ID, code: '123456' }),
  'auth.mfa.unenroll': (auth) => auth.mfa.unenroll({ factorId: ID }),
  'auth.mfa.listFactors': (auth) => auth.mfa.listFactors(),
  'auth.mfa.webauthn.enroll': (auth) => auth.mfa.webauthn.enroll({ friendlyName: 'key' }),
  'auth.mfa.webauthn.challenge': (auth) =>
    auth.mfa.webauthn.challenge({ factorId: ID, webauthn: { rpId: 'localhost', rpOrigins: ['http://localhost'] } }),
  'auth.mfa.webauthn.verify': (auth) =>
    auth.mfa.webauthn.verify({
      factorId: ID,
      challengeId: ID,
      webauthn: {
        type: 'request',
        rpId: 'localhost',
        rpOrigins: ['http://localhost'],
        credential_response: CREDENTIAL,
      },
    } as never),
  'auth.mfa.recoveryCodes.getStatus': (auth) => auth.mfa.recoveryCodes.getStatus(),
  'auth.mfa.recoveryCodes.generate': (auth) => auth.mfa.recoveryCodes.generate(),
  'auth.mfa.recoveryCodes.verify': (auth) => auth.mfa.recoveryCodes.verify({ code: 'abcd-efgh' } as never),
  'auth.mfa.recoveryCodes.regenerate': (auth) => auth.mfa.recoveryCodes.regenerate(),
  'auth.mfa.recoveryCodes.unenroll': (auth) => auth.mfa.recoveryCodes.unenroll(),
  'auth.passkey.list': (auth) => auth.passkey.list(),
  'auth.passkey.update': (auth) => auth.passkey.update({ passkeyId: ID, friendlyName: 'key' }),
  'auth.passkey.delete': (auth) => auth.passkey.delete({ passkeyId: ID }),
  'auth.passkey.startRegistration': (auth) => auth.passkey.startRegistration(),
  'auth.passkey.startAuthentication': (auth) => auth.passkey.startAuthentication(),
  'auth.passkey.verifyRegistration': (auth) =>
    auth.passkey.verifyRegistration({ challengeId: ID, credential: CREDENTIAL } as never),
  'auth.passkey.verifyAuthentication': (auth) =>
    auth.passkey.verifyAuthentication({ challengeId: ID, credential: CREDENTIAL } as never),
  'auth.oauth.getAuthorizationDetails': (auth) => auth.oauth.getAuthorizationDetails(ID),
  'auth.oauth.approveAuthorization': (auth) => auth.oauth.approveAuthorization(ID),
  'auth.oauth.denyAuthorization': (auth) => auth.oauth.denyAuthorization(ID),
  'auth.oauth.listGrants': (auth) => auth.oauth.listGrants(),
  'auth.oauth.revokeGrant': (auth) => auth.oauth.revokeGrant({ clientId: ID }),
  'auth.admin.signOut': (auth) => auth.admin.signOut('a.b.c'),
  'auth.admin.inviteUserByEmail': (auth) => auth.admin.inviteUserByEmail(EMAIL),
  'auth.admin.generateLink': (auth) => auth.admin.generateLink({ type: 'magiclink', email: EMAIL }),
  'auth.admin.createUser': (auth) => auth.admin.createUser({ email: EMAIL }),
  'auth.admin.listUsers': (auth) => auth.admin.listUsers(),
  'auth.admin.getUserById': (auth) => auth.admin.getUserById(ID),
  'auth.admin.updateUserById': (auth) => auth.admin.updateUserById(ID, {}),
  'auth.admin.deleteUser': (auth) => auth.admin.deleteUser(ID),
  'auth.admin.mfa.listFactors': (auth) => auth.admin.mfa.listFactors({ userId: ID }),
  'auth.admin.mfa.deleteFactor': (auth) => auth.admin.mfa.deleteFactor({ id: ID, userId: ID }),
  'auth.admin.oauth.listClients': (auth) => auth.admin.oauth.listClients(),
  'auth.admin.oauth.createClient': (auth) =>
    auth.admin.oauth.createClient({ client_name: 'app', redirect_uris: ['https://app.example.org'] }),
  'auth.admin.oauth.getClient': (auth) => auth.admin.oauth.getClient(ID),
  'auth.admin.oauth.updateClient': (auth) => auth.admin.oauth.updateClient(ID, { client_name: 'app' }),
  'auth.admin.oauth.deleteClient': (auth) => auth.admin.oauth.deleteClient(ID),
  'auth.admin.oauth.regenerateClientSecret': (auth) => auth.admin.oauth.regenerateClientSecret(ID),
  'auth.admin.customProviders.listProviders': (auth) => auth.admin.customProviders.listProviders(),
  'auth.admin.customProviders.createProvider': (auth) => auth.admin.customProviders.createProvider({} as never),
  'auth.admin.customProviders.getProvider': (auth) => auth.admin.customProviders.getProvider('custom:corp'),
  'auth.admin.customProviders.updateProvider': (auth) => auth.admin.customProviders.updateProvider('custom:corp', {}),
  'auth.admin.customProviders.deleteProvider': (auth) => auth.admin.customProviders.deleteProvider('custom:corp'),
  'auth.admin.passkey.listPasskeys': (auth) => auth.admin.passkey.listPasskeys({ userId: ID }),
  'auth.admin.passkey.deletePasskey': (auth) => auth.admin.passkey.deletePasskey({ userId: ID, passkeyId: ID }),
}

describe.each(Object.entries(CALLS))('%s', (_method, call) => {
  describe('offline', () => {
    test('fails with an error that says "try again"; the session stays', async () => {
      const client = await world.signUp({ url: link.url, recoveryCodes: true })
      const before = client.stored.get('session')
      link.sever()
      const { error } = await inNoTime(call(client.auth))
      expect(error).toMatchObject({ name: 'AuthRetryableFetchError', status: 0 })
      expect(client.stored.get('session')).toBe(before)
      expect(client.eventNames()).toEqual(['INITIAL_SESSION', 'SIGNED_IN'])
      link.mend()
      expect((await client.auth.getUser()).data.user?.id).toBe(client.user.id)
    })
  })
})

describe('auth.refreshSession', () => {
  describe('offline', () => {
    test('tries for half a minute, then says "try again"; the session stays', async () => {
      const { auth, stored, requests, eventNames } = await world.signUp({ url: link.url })
      requests.length = 0
      link.sever()
      const { data, error } = await inNoTime(auth.refreshSession())
      expect(error).toMatchObject({ name: 'AuthRetryableFetchError', status: 0 })
      expect(data).toEqual({ user: null, session: null })
      expect(requests.length).toBeGreaterThan(3)
      expect(stored.has('session')).toBe(true)
      expect(eventNames()).not.toContain('SIGNED_OUT')
    })

    test('goes on with the next token when only the answer was lost', async () => {
      const { auth, user, session } = await world.signUp({ url: link.url })
      link.breakRequests({ head: 'POST /auth/v1/token?grant_type=refresh_token', at: 'answer', count: 1 })
      const { data, error } = await auth.refreshSession()
      expect(link.broken).toBeGreaterThan(0)
      expect(error).toBeNull()
      expect(data.session?.refresh_token).not.toBe(session.refresh_token)
      expect((await auth.getUser()).data.user?.id).toBe(user.id)
    })
  })
})

describe('auth.setSession', () => {
  describe('offline', () => {
    test('fails with an error that says "try again" and takes nothing over', async () => {
      const { session } = await world.signUp()
      const { auth, stored } = world.openClient({ url: link.url })
      link.sever()
      const { error } = await inNoTime(auth.setSession(session))
      expect(error).toMatchObject({ name: 'AuthRetryableFetchError', status: 0 })
      expect(stored.has('session')).toBe(false)
      link.mend()
      expect((await auth.setSession(session)).error).toBeNull()
    })
  })
})

describe('auth.getSession', () => {
  describe('offline', () => {
    test('gives the stored session without asking', async () => {
      const { auth, session } = await world.signUp({ url: link.url })
      link.sever()
      const { data, error } = await auth.getSession()
      expect(error).toBeNull()
      expect(data.session?.access_token).toBe(session.access_token)
    })

    test('gives a session that is about to end, for as long as it lasts', async () => {
      const { auth, stored, session } = await world.signUp({ url: link.url })
      expireIn(stored, 80)
      link.sever()
      const { data } = await inNoTime(auth.getSession())
      expect(data.session?.access_token).toBe(session.access_token)
    })

    test('gives none when it has ended, keeps it, and goes on with it when the server is back', async () => {
      const { auth, stored, user } = await world.signUp({ url: link.url })
      expireIn(stored, -10)
      link.sever()
      const { data, error } = await inNoTime(auth.getSession())
      expect(data.session).toBeNull()
      expect(error).toMatchObject({ name: 'AuthRetryableFetchError' })
      expect(stored.has('session')).toBe(true)
      link.mend()
      const back = await world.openClient({ url: link.url, stored }).auth.getSession()
      expect(back.data.session?.user.id).toBe(user.id)
    })
  })
})

describe('auth.initialize', () => {
  describe('offline', () => {
    test('of a client whose session has ended tells nobody that they are signed out', async () => {
      const { stored, user } = await world.signUp({ url: link.url })
      expireIn(stored, -10)
      link.sever()
      const { auth, eventNames } = world.openClient({ url: link.url, stored, autoRefreshToken: true })
      await inNoTime(auth.initialize())
      await auth.stopAutoRefresh()
      expect(eventNames()).not.toContain('SIGNED_OUT')
      expect(storedSession(stored).user.id).toBe(user.id)
    })
  })
})

describe('auth.signOut', () => {
  describe('offline', () => {
    test('with scope local ends the session on this device all the same', async () => {
      const { auth, stored, eventNames } = await world.signUp({ url: link.url })
      link.sever()
      const { error } = await auth.signOut({ scope: 'local' })
      expect(error).toMatchObject({ name: 'AuthRetryableFetchError' })
      expect(stored.has('session')).toBe(false)
      expect(eventNames().at(-1)).toBe('SIGNED_OUT')
    })

    test.each(['global', 'others'] as const)('with scope %s fails and leaves the session', async (scope) => {
      const { auth, stored, eventNames } = await world.signUp({ url: link.url })
      link.sever()
      expect((await auth.signOut({ scope })).error).toMatchObject({ name: 'AuthRetryableFetchError' })
      expect(stored.has('session')).toBe(true)
      expect(eventNames()).not.toContain('SIGNED_OUT')
    })
  })
})

describe('auth.mfa.getAuthenticatorAssuranceLevel', () => {
  describe('offline', () => {
    test('reads the level of the session without asking', async () => {
      const { auth } = await world.signUp({ url: link.url })
      link.sever()
      const { data, error } = await auth.mfa.getAuthenticatorAssuranceLevel()
      expect(error).toBeNull()
      expect(data?.currentLevel).toBe('aal1')
    })
  })
})

describe('auth.signInWithOAuth', () => {
  describe('offline', () => {
    test('makes the address without asking', async () => {
      const { auth } = world.openClient({ url: link.url })
      link.sever()
      const { data, error } = await auth.signInWithOAuth({ provider: 'github', options: { skipBrowserRedirect: true } })
      expect(error).toBeNull()
      expect(data.url).toMatch(/\/auth\/v1\/authorize\?provider=github/)
    })
  })
})

describe('every method', () => {
  /** Methods that ask nobody, or whose request other tests of this file cut, or which another method makes for them. */
  const elsewhere = new Set([
    'auth.refreshSession',
    'auth.setSession',
    'auth.getSession',
    'auth.initialize',
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

  test('that asks the server has been tried offline', () => {
    const { auth } = createClient(world.url, world.anonKey, { auth: { persistSession: false } })
    expect(methodsOf(auth).filter((method) => !(method in CALLS) && !elsewhere.has(method))).toEqual([])
  })
})
