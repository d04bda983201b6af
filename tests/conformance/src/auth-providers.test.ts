import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AuthWorld, claimsOf, fragmentOf, openAuthWorld, PASSWORD } from './auth-world.ts'
import { type Issuer, newPerson, openIssuer } from './open-issuer.ts'

// Sign-in with an external provider. The provider here speaks minimal OpenID; `services/auth` is tested against a certified one.

const CLIENT_ID = 'holdfast'
const PROVIDER = 'custom:ours'

type Auth = ReturnType<AuthWorld['openClient']>['auth']

let world: AuthWorld
let issuer: Issuer
let admin: Auth['admin']['customProviders']

beforeAll(async () => {
  issuer = await openIssuer(CLIENT_ID)
  world = await openAuthWorld(['--enable-manual-linking', '--enable-anonymous-sign-ins'])
  admin = world.openClient({ key: world.serviceRoleKey }).auth.admin.customProviders
  expect((await admin.createProvider(ours(PROVIDER))).error).toBeNull()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})
beforeEach(() => {
  issuer.person = newPerson()
})

function ours(identifier: string) {
  return {
    provider_type: 'oidc' as const,
    identifier,
    name: 'Ours',
    client_id: CLIENT_ID,
    client_secret: 'a secret between the two of them',
    issuer: issuer.url,
  }
}

/** Follows redirects like a browser until it is back at the app. */
async function browse(address: string): Promise<URL> {
  let next = address
  for (let hop = 0; hop < 5; hop++) {
    const response = await fetch(next, { redirect: 'manual' })
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${next} answered ${response.status}: ${await response.text()}`)
    next = location
    if (new URL(next).pathname === '/back') return new URL(next)
  }
  throw new Error('the way back is too long')
}

async function signIn(flowType: 'implicit' | 'pkce' = 'pkce') {
  const client = world.openClient({ flowType })
  const { data, error } = await client.auth.signInWithOAuth({
    provider: PROVIDER as never,
    options: { redirectTo: `${world.url}/back` },
  })
  expect(error).toBeNull()
  return { ...client, back: await browse(data.url ?? '') }
}

describe('auth.signInWithOAuth', () => {
  test('returns from the provider to the app, which exchanges the code for a session', async () => {
    const { auth, back, events } = await signIn()
    const { data, error } = await auth.exchangeCodeForSession(back.searchParams.get('code') ?? '')
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email: issuer.person.email,
      app_metadata: { provider: PROVIDER, providers: [PROVIDER] },
      identities: [{ provider: PROVIDER, id: issuer.person.sub, identity_data: { email: issuer.person.email } }],
    })
    expect(claimsOf(data.session?.access_token ?? '')).toMatchObject({ amr: [{ method: 'oauth' }] })
    expect(data.session?.provider_token).toEqual(expect.any(String))
    expect(events.at(-1)).toEqual(['SIGNED_IN', data.user?.id])
  })

  test('without PKCE returns the session in the URL', async () => {
    const { back } = await signIn('implicit')
    const brought = fragmentOf(back)
    expect(brought).toMatchObject({ token_type: 'bearer', provider_token: expect.any(String) })
    expect(claimsOf(brought['access_token'] ?? '')['email']).toBe(issuer.person.email)
  })

  test('links to the account with the same address if both are verified', async () => {
    const { email, user } = await world.signUp()
    issuer.person = { ...issuer.person, email }
    const { auth, back } = await signIn()
    const { data } = await auth.exchangeCodeForSession(back.searchParams.get('code') ?? '')
    expect(data.user?.id).toBe(user.id)
    expect(data.user?.app_metadata['providers']).toEqual(['email', PROVIDER])
  })
})

describe('auth.signInWithIdToken', () => {
  test('signs in with a token that the app obtained from the provider', async () => {
    const { auth, events } = world.openClient()
    const nonce = 'a nonce of the app'
    const hash = createHash('sha256').update(nonce).digest('hex')
    const token = issuer.issueIdToken({ nonce: hash })
    const { data, error } = await auth.signInWithIdToken({ provider: PROVIDER, token, nonce })
    expect(error).toBeNull()
    expect(data.user?.email).toBe(issuer.person.email)
    expect(events.at(-1)).toEqual(['SIGNED_IN', data.user?.id])
    expect((await auth.refreshSession()).error).toBeNull()
  })

  describe('refused', () => {
    test.each([
      ['for another app', { aud: 'another' }],
      ['from another issuer', { iss: 'https://evil.example.org' }],
      ['that has expired', { exp: 1_700_000_000 }],
      ['with a nonce that was not passed', { nonce: 'abc' }],
    ])('refuses a token %s', async (_title, claims) => {
      const { auth, stored } = world.openClient()
      const { data, error } = await auth.signInWithIdToken({ provider: PROVIDER, token: issuer.issueIdToken(claims) })
      expect(error).toMatchObject({ name: 'AuthApiError', status: 400 })
      expect(data).toEqual({ user: null, session: null })
      expect(stored.has('session')).toBe(false)
    })

    test('refuses a tampered token', async () => {
      const [header, , signature] = issuer.issueIdToken().split('.')
      const payload = Buffer.from(JSON.stringify({ ...issuer.person, sub: 'another' })).toString('base64url')
      const token = `${header}.${payload}.${signature}`
      const { error } = await world.openClient().auth.signInWithIdToken({ provider: PROVIDER, token })
      expect(error).toMatchObject({ status: 400 })
    })
  })
})

/** Signs up a user with a password and links the provider. */
async function linked() {
  const person = await world.signUp({ flowType: 'pkce' })
  const { data, error } = await person.auth.linkIdentity({
    provider: PROVIDER as never,
    options: { redirectTo: `${world.url}/back`, skipBrowserRedirect: true },
  })
  expect(error).toBeNull()
  const back = await browse(data.url ?? '')
  return { ...person, back }
}

describe('auth.linkIdentity', () => {
  test('adds an identity to the signed-in user', async () => {
    const { auth, back, user } = await linked()
    const { data, error } = await auth.exchangeCodeForSession(back.searchParams.get('code') ?? '')
    expect(error).toBeNull()
    expect(data.user?.id).toBe(user.id)
    expect(data.user?.identities?.map(({ provider }) => provider)).toEqual(['email', PROVIDER])
    const again = await signIn()
    const elsewhere = await again.auth.exchangeCodeForSession(again.back.searchParams.get('code') ?? '')
    expect(elsewhere.data.user?.id).toBe(user.id)
  })

  test('adds an identity by ID token', async () => {
    const { auth, user } = await world.signUp()
    const { data, error } = await auth.linkIdentity({ provider: PROVIDER, token: issuer.issueIdToken() })
    expect(error).toBeNull()
    expect(data.user?.id).toBe(user.id)
    expect(data.user?.identities).toHaveLength(2)
  })

  test('turns an anonymous user into a permanent one', async () => {
    const { auth } = world.openClient()
    const { data: guest } = await auth.signInAnonymously()
    const { data, error } = await auth.linkIdentity({ provider: PROVIDER, token: issuer.issueIdToken() })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ id: guest.user?.id, is_anonymous: false, email: issuer.person.email })
  })

  describe('refused', () => {
    test('is refused for an identity of another user', async () => {
      await signIn()
      const { back } = await linked()
      expect(back.searchParams.get('error_code')).toBe('identity_already_exists')
    })

    test('is refused without a session', async () => {
      const { error } = await world.openClient().auth.linkIdentity({ provider: 'github' })
      expect(error).toMatchObject({ name: 'AuthApiError', status: 403, code: 'bad_jwt' })
    })
  })
})

describe('auth.getUserIdentities', () => {
  test('lists the identities', async () => {
    const { auth, user } = await world.signUp()
    const { data, error } = await auth.getUserIdentities()
    expect(error).toBeNull()
    expect(data?.identities).toMatchObject([{ provider: 'email', user_id: user.id, identity_id: expect.any(String) }])
  })

  describe('refused', () => {
    test('is refused without a session', async () => {
      const { error } = await world.openClient().auth.getUserIdentities()
      expect(error).toMatchObject({ name: 'AuthSessionMissingError' })
    })
  })
})

describe('auth.unlinkIdentity', () => {
  test('removes an identity', async () => {
    const { auth, user, email } = await world.signUp()
    await auth.linkIdentity({ provider: PROVIDER, token: issuer.issueIdToken() })
    const identities = (await auth.getUserIdentities()).data?.identities ?? []
    const identity = identities.find(({ provider }) => provider === PROVIDER)
    if (!identity) throw new Error('it was linked')
    expect((await auth.unlinkIdentity(identity)).error).toBeNull()
    expect((await auth.getUserIdentities()).data?.identities).toMatchObject([{ provider: 'email' }])
    const rest = await world.openClient().auth.signInWithPassword({ email, password: PASSWORD })
    expect(rest.data.user?.id).toBe(user.id)
  })

  describe('refused', () => {
    test('is refused for the last identity', async () => {
      const { auth } = await world.signUp()
      const [identity] = (await auth.getUserIdentities()).data?.identities ?? []
      if (!identity) throw new Error('there is one')
      const { error } = await auth.unlinkIdentity(identity)
      expect(error).toMatchObject({ name: 'AuthApiError', status: 422, code: 'single_identity_not_deletable' })
    })

    test('is refused for an identity of another user', async () => {
      const [identity] = (await (await world.signUp()).auth.getUserIdentities()).data?.identities ?? []
      if (!identity) throw new Error('there is one')
      const { auth } = await world.signUp()
      await auth.linkIdentity({ provider: PROVIDER, token: issuer.issueIdToken() })
      expect((await auth.unlinkIdentity(identity)).error).toMatchObject({ status: 422, code: 'identity_not_found' })
    })
  })
})

describe('auth.admin.customProviders.createProvider', () => {
  test('creates a provider and never returns its secret', async () => {
    const { data, error } = await admin.createProvider(ours('custom:made'))
    expect(error).toBeNull()
    expect(data).toMatchObject({ identifier: 'custom:made', provider_type: 'oidc', client_id: CLIENT_ID })
    expect(JSON.stringify(data)).not.toContain('a secret between')
  })

  describe('refused', () => {
    test('refuses an identifier in use', async () => {
      expect((await admin.createProvider(ours(PROVIDER))).error).toMatchObject({ name: 'AuthApiError' })
    })

    test('refuses an unreachable issuer', async () => {
      const { error } = await admin.createProvider({ ...ours('custom:away'), issuer: 'http://127.0.0.1:1' })
      expect(error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'validation_failed' })
    })

    test('is refused to non-admins', async () => {
      const { auth } = await world.signUp()
      const { error } = await auth.admin.customProviders.createProvider(ours('custom:mine'))
      expect(error).toMatchObject({ name: 'AuthApiError' })
      expect([401, 403]).toContain(error?.status)
    })
  })
})

describe('auth.admin.customProviders.listProviders', () => {
  test('lists providers, optionally by type', async () => {
    const all = await admin.listProviders()
    expect(all.data?.providers.map(({ identifier }) => identifier)).toContain(PROVIDER)
    expect((await admin.listProviders({ type: 'oauth2' })).data?.providers).toEqual([])
  })
})

describe('auth.admin.customProviders.getProvider', () => {
  test('returns a provider', async () => {
    expect((await admin.getProvider(PROVIDER)).data).toMatchObject({ identifier: PROVIDER, issuer: issuer.url })
  })

  describe('refused', () => {
    test('is refused for an unknown provider', async () => {
      expect((await admin.getProvider('custom:nobody')).error).toMatchObject({ name: 'AuthApiError', status: 404 })
    })
  })
})

describe('auth.admin.customProviders.updateProvider', () => {
  test('changes a provider; a disabled one signs no user in', async () => {
    await admin.createProvider(ours('custom:off'))
    const { data, error } = await admin.updateProvider('custom:off', { name: 'Off', enabled: false })
    expect(error).toBeNull()
    expect(data).toMatchObject({ name: 'Off', enabled: false })
    const { auth } = world.openClient()
    const token = issuer.issueIdToken()
    expect((await auth.signInWithIdToken({ provider: 'custom:off', token })).error).not.toBeNull()
  })

  describe('refused', () => {
    test('is refused for an unknown provider', async () => {
      const { error } = await admin.updateProvider('custom:nobody', { name: 'x' })
      expect(error).toMatchObject({ name: 'AuthApiError', status: 404 })
    })
  })
})

describe('auth.admin.customProviders.deleteProvider', () => {
  test('deletes a provider', async () => {
    await admin.createProvider(ours('custom:gone'))
    expect((await admin.deleteProvider('custom:gone')).error).toBeNull()
    expect((await admin.getProvider('custom:gone')).error).toMatchObject({ status: 404 })
  })
})
