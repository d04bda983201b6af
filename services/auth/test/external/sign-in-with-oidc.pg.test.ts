import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openAdminApi } from '../call-as-admin.ts'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'
import { type OidcProvider, openOidcProvider } from '../open-oidc-provider.ts'
import { begin, comeBack, makeKnown, openRealClient, signInAt } from '../visit-provider.ts'

// The other side is a certified provider with its screens; the client is the public one.

const SITE = 'http://127.0.0.1:54321/'

let world: AuthWorld
let app: AuthApp
/** The same database; new addresses have to be confirmed. */
let strict: AuthApp
let provider: OidcProvider

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp({ additionalRedirectUrls: ['https://app.example.org/**'] })
  strict = await world.openApp({ emailEnableConfirmations: true, emailMaxFrequency: 0 })
  provider = await openOidcProvider()
  await makeKnown(app, provider)
})

beforeEach(() => {
  world.nowMs = Date.now()
})

afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const newLogin = (claims: object = {}): string => {
  const login = crypto.randomUUID().slice(0, 8)
  provider.people.set(login, { email: `${login}@example.org`, email_verified: true, name: 'Ada', ...claims })
  return login
}

const tokensOf = async (accessToken: string | undefined) => {
  const { body } = await app.call({ url: '/user', token: accessToken })
  return body as unknown as Readonly<Record<string, unknown>> & { readonly id: string }
}

describe('a flow is refused', () => {
  test.each([
    [
      'a state of another browser',
      { state: crypto.randomUUID(), code: 'x' },
      'bad_oauth_state',
      'OAuth state not found or expired',
    ],
    ['a state that is none', { state: 'forged', code: 'x' }, 'bad_oauth_state', 'OAuth state parameter is invalid'],
    ['no state', { code: 'x' }, 'bad_oauth_callback', 'OAuth state parameter missing'],
  ])('for %s, without knowing where to go back to', async (_name, parameters, code, description) => {
    expect(await comeBack(app, new URLSearchParams(parameters))).toEqual({
      status: 303,
      page: SITE,
      query: { error: 'invalid_request', error_code: code, error_description: description },
      fragment: {},
    })
  })

  test('when its state has been used, without a second session', async () => {
    const address = await begin(app, { provider: 'custom:oidc' })
    const back = await provider.signIn(address, newLogin())
    const [one, other] = await Promise.all([comeBack(app, back), comeBack(app, back)])
    const outcomes = [one, other].map(({ query, fragment }) => query['error_code'] ?? Object.keys(fragment)[0])
    expect(outcomes.toSorted()).toEqual([
      'access_token',
      expect.stringMatching(/^(flow_state_already_used|bad_oauth_state)$/),
    ])
    expect((await comeBack(app, back)).query).toMatchObject({ error_code: 'bad_oauth_state' })
  })

  test('when its state is five minutes old', async () => {
    const address = await begin(app, { provider: 'custom:oidc' })
    const back = await provider.signIn(address, newLogin())
    world.nowMs += 301_000
    expect((await comeBack(app, back)).query).toMatchObject({
      error_code: 'bad_oauth_state',
      error_description: 'OAuth state has expired',
    })
  })

  test('when the code is the one of another flow', async () => {
    const mine = await provider.signIn(await begin(app, { provider: 'custom:oidc' }), newLogin())
    const theirs = await provider.signIn(await begin(app, { provider: 'custom:oidc' }), newLogin())
    theirs.searchParams.set('code', mine.searchParams.get('code') ?? '')
    expect(await comeBack(app, theirs)).toMatchObject({
      status: 302,
      query: {
        error: 'server_error',
        error_description: expect.stringContaining('Unable to exchange external code') as string,
      },
    })
  })

  test('when another provider answers', async () => {
    const back = await provider.signIn(await begin(app, { provider: 'custom:oidc' }), newLogin())
    back.searchParams.set('iss', 'https://evil.example.org')
    expect((await comeBack(app, back)).query).toMatchObject({ error_code: 'bad_oauth_callback' })
  })

  test('when there is no code', async () => {
    const state = new URL(await begin(app, { provider: 'custom:oidc' })).searchParams.get('state') ?? ''
    expect((await comeBack(app, new URLSearchParams({ state }))).query).toMatchObject({
      error_code: 'bad_oauth_callback',
    })
  })

  test('in the words of the provider when the user changes their mind', async () => {
    const back = await provider.cancel(await begin(app, { provider: 'custom:oidc' }))
    const { query, fragment } = await comeBack(app, back)
    expect(query).toEqual({ error: 'access_denied', error_description: 'End-User aborted interaction' })
    expect(fragment).toEqual({ ...query, sb: '' })
    expect((await comeBack(app, back)).query).toMatchObject({ error_code: 'bad_oauth_state' })
  })

  test.each([
    [{ provider: 'nowhere' }, 'Unsupported provider: Provider nowhere could not be found'],
    [{ provider: 'github' }, 'Unsupported provider: provider is not enabled'],
    [{ provider: 'custom:none' }, 'Unsupported provider: custom provider custom:none not found'],
    [
      { provider: 'custom:oidc', code_challenge: 'short' },
      'PKCE flow requires code_challenge_method and code_challenge',
    ],
  ])('%j before it begins', async (query, message) => {
    expect(await app.call({ url: `/authorize?${new URLSearchParams(query).toString()}` })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message },
    })
  })

  test('to lead anywhere that the project does not allow', async () => {
    const there = await signInAt(app, provider, newLogin(), { redirect_to: 'https://evil.example.org/steal' })
    expect(there).toMatchObject({ page: SITE, fragment: { token_type: 'bearer' } })
    const allowed = await signInAt(app, provider, newLogin(), { redirect_to: 'https://app.example.org/in?tab=1' })
    expect(allowed).toMatchObject({ page: 'https://app.example.org/in', query: { tab: '1' } })
  })

  test('what the app may not say to the provider', async () => {
    const address = await begin(app, {
      provider: 'custom:oidc',
      client_id: 'other',
      redirect_uri: 'https://evil.example.org',
      state: 'mine',
      nonce: 'mine',
      response_mode: 'fragment',
      prompt: 'login',
    })
    const asked = Object.fromEntries(new URL(address).searchParams)
    expect(asked).toMatchObject({
      client_id: 'holdfast',
      redirect_uri: 'http://127.0.0.1:54321/auth/v1/callback',
      prompt: 'login',
      code_challenge_method: 'S256',
      scope: 'openid email profile',
    })
    expect(asked['state']).not.toBe('mine')
    expect(asked['nonce']).not.toBe('mine')
    expect(asked).not.toHaveProperty('response_mode')
  })
})

describe('whose account it is', () => {
  test('an address that the provider has not verified takes over no account', async () => {
    const victim = await app.signUp()
    const email = ((await tokensOf(victim.access_token)) as { email?: string }).email ?? ''
    for (const server of [app, strict]) {
      const { query } = await signInAt(server, provider, newLogin({ email, email_verified: false }))
      expect(query).toMatchObject({ error: 'access_denied', error_code: 'provider_email_needs_verification' })
    }
    expect(await tokensOf(victim.access_token)).toMatchObject({ identities: [{ provider: 'email' }] })
  })

  test('an address that another user merely claims at a provider leads to no account', async () => {
    const email = `${crypto.randomUUID()}@example.org`
    const attacker = await app.signUp()
    await world.db.pool.execute(sql`
      insert into auth.identities (provider_id, user_id, identity_data, provider, created_at)
      values ('x', ${attacker.user.id}, ${JSON.stringify({ sub: 'x', email, email_verified: false })}::jsonb, 'github', now())
    `)
    const { fragment } = await signInAt(app, provider, newLogin({ email }))
    expect((await tokensOf(fragment['access_token'])).id).not.toBe(attacker.user.id)
  })

  test('a verified address leads to the account that has it', async () => {
    const owner = await app.signUp()
    const email = ((await tokensOf(owner.access_token)) as { email?: string }).email ?? ''
    const admin = await openAdminApi(app)
    await admin.call('PUT', `/admin/users/${owner.user.id}`, { email_confirm: true })
    world.nowMs += 1_000
    const { fragment } = await signInAt(app, provider, newLogin({ email: email.toUpperCase() }))
    expect(await tokensOf(fragment['access_token'])).toMatchObject({
      id: owner.user.id,
      app_metadata: { provider: 'email', providers: ['email', 'custom:oidc'] },
      user_metadata: { name: 'Ada', full_name: 'Ada' },
    })
    expect((await app.signIn(email, PASSWORD)).status).toBe(200)
  })

  test('an unconfirmed account loses what its maker put there', async () => {
    const email = `${crypto.randomUUID()}@example.org`
    await strict.call({ method: 'POST', url: '/signup', payload: { email, password: PASSWORD, data: { trap: true } } })
    const { fragment } = await signInAt(strict, provider, newLogin({ email }))
    const user = await tokensOf(fragment['access_token'])
    expect(user).toMatchObject({
      email,
      identities: [{ provider: 'custom:oidc' }],
      app_metadata: { provider: 'custom:oidc', providers: ['custom:oidc'] },
    })
    expect(user['user_metadata']).not.toHaveProperty('trap')
    expect((await strict.signIn(email, PASSWORD)).body).toMatchObject({ code: 'invalid_credentials' })
  })

  test('a new person gets one, and finds it again', async () => {
    const login = newLogin({ picture: 'https://example.org/ada.png' })
    const first = await tokensOf((await signInAt(app, provider, login)).fragment['access_token'])
    expect(first).toMatchObject({
      email: `${login}@example.org`,
      app_metadata: { provider: 'custom:oidc', providers: ['custom:oidc'] },
      user_metadata: {
        sub: login,
        email_verified: true,
        avatar_url: 'https://example.org/ada.png',
        provider_id: login,
      },
      identities: [{ id: login, identity_data: { iss: provider.issuer, sub: login } }],
      is_anonymous: false,
    })
    provider.people.set(login, { email: `other-${login}@example.org`, email_verified: true, name: 'Ada L.' })
    const again = await tokensOf((await signInAt(app, provider, login)).fragment['access_token'])
    expect(again).toMatchObject({ id: first.id, email: `${login}@example.org`, user_metadata: { name: 'Ada L.' } })
  })

  test('an unverified address is confirmed by mail, and then signs in', async () => {
    const login = newLogin({ email_verified: false })
    const email = `${login}@example.org`
    expect((await signInAt(strict, provider, login)).query).toEqual({
      error: 'access_denied',
      error_code: 'provider_email_needs_verification',
      error_description:
        'Unverified email with custom:oidc. A confirmation email has been sent to your custom:oidc email',
    })
    const [mail] = await world.db.pool.query<{ kind: string; token_hash: string }>(sql`
      select kind, variables ->> 'tokenHash' as token_hash from auth.messages where recipient = ${email}
    `)
    expect(mail?.kind).toBe('confirmation')
    const verified = await strict.call({
      method: 'POST',
      url: '/verify',
      payload: { type: 'signup', token_hash: mail?.token_hash },
    })
    expect(verified.status).toBe(200)
    expect((await signInAt(strict, provider, login)).fragment).toHaveProperty('access_token')
  })

  test('an account that waits for an address is not confirmed by another one that the same person verified', async () => {
    const login = newLogin({ email: `victim-${crypto.randomUUID()}@example.org`, email_verified: false })
    const { email: claimed } = provider.people.get(login) as { email: string }
    await signInAt(strict, provider, login)
    provider.people.set(login, { email: `${login}@example.org`, email_verified: true })
    const { fragment } = await signInAt(strict, provider, login)
    expect(await tokensOf(fragment['access_token'])).toMatchObject({ email: `${login}@example.org` })
    const rows = await world.db.pool.query(sql`select id from auth.users where email = ${claimed}`)
    expect(rows).toEqual([])
  })

  test('who has no address needs a provider that may do without', async () => {
    const login = newLogin({ email: undefined })
    expect((await signInAt(app, provider, login)).query).toMatchObject({
      error: 'server_error',
      error_description: 'Error getting user email from external provider',
    })
    await makeKnown(app, provider, { identifier: 'custom:no-mail', email_optional: true })
    const { fragment } = await signInAt(app, provider, login, { provider: 'custom:no-mail' })
    expect(await tokensOf(fragment['access_token'])).toMatchObject({ email: '', identities: [{ id: login }] })
  })

  test('no new user comes where sign-up is off, and no banned one', async () => {
    const closed = await world.openApp({ enableSignup: false })
    const login = newLogin()
    expect((await signInAt(closed, provider, login)).query).toMatchObject({
      error: 'access_denied',
      error_code: 'signup_disabled',
    })
    const { fragment } = await signInAt(app, provider, login)
    const { id } = await tokensOf(fragment['access_token'])
    await (await openAdminApi(app)).call('PUT', `/admin/users/${id}`, { ban_duration: '1h' })
    expect((await signInAt(closed, provider, login)).query).toMatchObject({ error_code: 'user_banned' })
  })

  test('two first sign-ins at once make one account', async () => {
    const login = newLogin()
    const [one, two] = await Promise.all([1, 2].map(() => begin(app, { provider: 'custom:oidc' })))
    const backs = [await provider.signIn(one ?? '', login), await provider.signIn(two ?? '', login)]
    const ends = await Promise.all(backs.map((back) => comeBack(app, back)))
    const ids = await Promise.all(ends.map(async ({ fragment }) => (await tokensOf(fragment['access_token'])).id))
    expect(ids[0]).toBe(ids[1])
  })

  test('a provider that says more than a token can carry does not keep anybody out', async () => {
    await makeKnown(app, provider, { identifier: 'custom:chatty', custom_claims_allowlist: ['groups'] })
    const login = newLogin({ groups: Array.from({ length: 400 }, (_, index) => `group-${index}`) })
    const { fragment } = await signInAt(app, provider, login, { provider: 'custom:chatty' })
    const user = await tokensOf(fragment['access_token'])
    expect(user['user_metadata']).not.toHaveProperty('custom_claims')
    expect(user).toMatchObject({
      identities: [{ identity_data: { custom_claims: { groups: expect.any(Array) as unknown } } }],
    })
  })
})

describe('an invitation', () => {
  const invite = async (email: string): Promise<string> => {
    const admin = await openAdminApi(app)
    expect((await admin.call('POST', '/invite', { email })).status).toBe(200)
    const [mail] = await world.db.pool.query<{ token_hash: string }>(sql`
      select variables ->> 'tokenHash' as token_hash from auth.messages where recipient = ${email}
    `)
    return mail?.token_hash ?? ''
  }

  test('is answered with an external account that has the address', async () => {
    const login = newLogin()
    const token = await invite(`${login}@example.org`)
    const { fragment } = await signInAt(app, provider, login, { invite_token: token })
    expect(await tokensOf(fragment['access_token'])).toMatchObject({
      email: `${login}@example.org`,
      identities: [{ provider: 'custom:oidc' }],
      app_metadata: { provider: 'custom:oidc', providers: ['custom:oidc'] },
    })
    expect((await app.call({ url: `/authorize?provider=custom:oidc&invite_token=${token}` })).body).toMatchObject({
      code: 'user_not_found',
    })
  })

  test('is for no other user', async () => {
    const token = await invite(`${crypto.randomUUID()}@example.org`)
    const { query } = await signInAt(app, provider, newLogin(), { invite_token: token })
    expect(query).toMatchObject({ error_description: 'Invited email does not match emails from external provider' })
    world.nowMs += 25 * 3600_000
    expect((await app.call({ url: `/authorize?provider=custom:oidc&invite_token=${token}` })).status).toBe(404)
  })
})

describe('the real client', () => {
  test('signs in with PKCE, and is given the tokens of the provider', async () => {
    const login = newLogin()
    const client = await openRealClient(app)
    const { data } = await client.auth.signInWithOAuth({
      provider: 'custom:oidc',
      options: { skipBrowserRedirect: true, redirectTo: 'https://app.example.org/in' },
    })
    const address = await begin(app, Object.fromEntries(new URL(data.url ?? '').searchParams))
    const end = await comeBack(app, await provider.signIn(address, login))
    expect(end).toMatchObject({ page: 'https://app.example.org/in', fragment: {} })
    const stolen = await (await openRealClient(app)).auth.exchangeCodeForSession(end.query['code'] ?? '')
    expect(stolen.error).not.toBeNull()
    const { data: got, error } = await client.auth.exchangeCodeForSession(end.query['code'] ?? '')
    expect(error).toBeNull()
    expect(got.session).toMatchObject({
      provider_token: expect.any(String) as string,
      user: { email: `${login}@example.org` },
    })
    expect((await client.auth.getUser()).data.user?.email).toBe(`${login}@example.org`)
  })

  test('signs in with tokens in the address', async () => {
    const { fragment } = await signInAt(app, provider, newLogin())
    expect(fragment).toMatchObject({
      token_type: 'bearer',
      expires_in: '3600',
      provider_token: expect.any(String) as string,
      sb: '',
    })
    const client = await openRealClient(app, { flowType: 'implicit' })
    const { data, error } = await client.auth.setSession({
      access_token: fragment['access_token'] ?? '',
      refresh_token: fragment['refresh_token'] ?? '',
    })
    expect(error).toBeNull()
    expect(await app.auth.verifyToken(data.session?.access_token ?? '')).toMatchObject({
      amr: [{ method: 'oauth' }],
      aal: 'aal1',
    })
  })
})
