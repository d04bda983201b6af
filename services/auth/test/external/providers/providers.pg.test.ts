import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AuthApp, type AuthWorld, openAuthWorld } from '../../open-auth-world.ts'
import { openOidcProvider } from '../../open-oidc-provider.ts'
import { openSigningProvider, type SigningProvider } from '../../open-signing-provider.ts'
import { begin, comeBack, type FlowResult, readResult } from '../../visit-provider.ts'
import type { AuthOptions } from '../../../src/options/auth-options.ts'

// Each provider on loopback, with the addresses and bodies that its documentation shows.

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld()
})
beforeEach(() => {
  world.nowMs = Date.now()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

interface Visit {
  readonly asked: Readonly<Record<string, string>>
  readonly address: string
  readonly end: FlowResult
  readonly user: Readonly<Record<string, unknown>>
}

async function visit(app: AuthApp, provider: SigningProvider, query: Readonly<Record<string, string>>): Promise<Visit> {
  const address = await begin(app, query)
  const end = await comeBack(app, await provider.authorize(address))
  const answer = end.fragment['access_token']
    ? await app.call({ url: '/user', token: end.fragment['access_token'] })
    : undefined
  const url = new URL(address)
  return {
    asked: Object.fromEntries(url.searchParams),
    address: url.origin + url.pathname,
    end,
    user: (answer?.body ?? {}) as Readonly<Record<string, unknown>>,
  }
}

const uniqueEmail = (): string => `${crypto.randomUUID()}@example.org`

describe('github', () => {
  const open = async () => {
    const provider = await openSigningProvider({ tokenPath: '/login/oauth/access_token' })
    const app = await world.openApp({
      externalGithubEnabled: true,
      externalGithubClientId: 'holdfast',
      externalGithubSecret: 'shh',
      externalGithubUrl: `${provider.url}/`,
    })
    provider.givesIdToken = false
    return { provider, app }
  }

  test('takes the verified primary address from the list of addresses, and not the one of the profile', async () => {
    const { provider, app } = await open()
    await using _ = provider
    const email = uniqueEmail()
    const id = Date.now()
    provider.pages.set('/api/v3/user', {
      id,
      login: 'ada',
      name: 'Ada',
      email: 'public@example.org',
      avatar_url: 'https://avatars.example.org/1',
    })
    provider.pages.set('/api/v3/user/emails', [
      { email: uniqueEmail(), primary: false, verified: true },
      { email, primary: true, verified: true },
    ])
    const { asked, address, user, end } = await visit(app, provider, { provider: 'github', scopes: 'repo gist' })
    expect(address).toBe(`${provider.url}/login/oauth/authorize`)
    expect(asked).toMatchObject({ client_id: 'holdfast', scope: 'user:email repo gist', response_type: 'code' })
    expect(asked).not.toHaveProperty('nonce')
    expect(provider.lastTokenRequest?.form.get('client_secret')).toBe('shh')
    expect(end.fragment).toMatchObject({ provider_token: 'access', provider_refresh_token: 'refresh' })
    expect(user).toMatchObject({
      email,
      app_metadata: { provider: 'github', providers: ['github'] },
      user_metadata: {
        iss: `${provider.url}/api/v3`,
        sub: String(id),
        user_name: 'ada',
        preferred_username: 'ada',
        full_name: 'Ada',
        avatar_url: 'https://avatars.example.org/1',
        email_verified: true,
        phone_verified: false,
      },
    })
  })

  test('without any address is refused, and so is a profile that cannot be read', async () => {
    const { provider, app } = await open()
    await using _ = provider
    expect((await visit(app, provider, { provider: 'github' })).end.query).toMatchObject({
      error: 'server_error',
      error_description: 'Error getting user profile from external provider',
    })
    provider.pages.set('/api/v3/user', { id: Date.now(), login: 'ada' })
    provider.pages.set('/api/v3/user/emails', [])
    expect((await visit(app, provider, { provider: 'github' })).end.query).toMatchObject({
      error_description: 'Error getting user email from external provider',
    })
  })
})

test('gitlab believes the confirmed address of the profile, and none of the others', async () => {
  await using provider = await openSigningProvider({ tokenPath: '/oauth/token' })
  provider.givesIdToken = false
  const app = await world.openApp({
    emailEnableConfirmations: true,
    externalGitlabEnabled: true,
    externalGitlabClientId: 'holdfast',
    externalGitlabSecret: 'shh',
    externalGitlabUrl: provider.url,
  })
  const victim = await (await world.openApp()).signUp()
  const email = uniqueEmail()
  const others = [{ id: 1, email: (victim.user as unknown as { email: string }).email }]
  provider.pages.set('/api/v4/user/emails', others)
  provider.pages.set('/api/v4/user', { id: Date.now(), name: 'Ada', email, confirmed_at: '2026-01-01T00:00:00Z' })
  const { user, address } = await visit(app, provider, { provider: 'gitlab' })
  expect(address).toBe(`${provider.url}/oauth/authorize`)
  expect(user).toMatchObject({ email, user_metadata: { iss: provider.url, name: 'Ada' } })
  provider.pages.set('/api/v4/user', { id: Date.now() + 1, name: 'Eve', email: others[0]?.email, confirmed_at: null })
  expect((await visit(app, provider, { provider: 'gitlab' })).end.query).toMatchObject({
    error_code: 'provider_email_needs_verification',
  })
})

test.each([
  [{ avatar: 'a_1', discriminator: '0' }, 'avatars/80351110224678912/a_1.gif'],
  [{ avatar: 'b', discriminator: '1337' }, 'avatars/80351110224678912/b.png'],
  [{ avatar: null, discriminator: '1337' }, 'embed/avatars/2.png'],
])('discord %j has the picture %s', async (profile, picture) => {
  await using provider = await openSigningProvider({ tokenPath: '/api/oauth2/token' })
  provider.givesIdToken = false
  const app = await world.openApp({
    externalDiscordEnabled: true,
    externalDiscordClientId: 'holdfast',
    externalDiscordSecret: 'shh',
    externalDiscordUrl: provider.url,
  })
  provider.pages.set('/api/users/@me', {
    id: '80351110224678912',
    username: 'nelly',
    global_name: 'Nelly',
    email: 'nelly@discord.example.org',
    verified: true,
    ...profile,
  })
  const { user, address } = await visit(app, provider, { provider: 'discord' })
  expect(address).toBe(`${provider.url}/api/oauth2/authorize`)
  expect(user).toMatchObject({
    email: 'nelly@discord.example.org',
    user_metadata: {
      full_name: 'nelly',
      name: `nelly#${profile.discriminator}`,
      avatar_url: `https://cdn.discordapp.com/${picture}`,
      custom_claims: { global_name: 'Nelly' },
    },
  })
})

describe('google', () => {
  const settings = (url: string): Partial<AuthOptions> => ({
    externalGoogleEnabled: true,
    externalGoogleClientId: 'holdfast, ios-app',
    externalGoogleSecret: 'shh',
    externalGoogleUrl: url,
  })

  test('signs in by its ID token', async () => {
    await using provider = await openSigningProvider()
    const app = await world.openApp(settings(provider.url))
    const email = uniqueEmail()
    provider.claims = { sub: crypto.randomUUID(), email, email_verified: true, name: 'Ada', hd: 'example.org' }
    const { user, asked } = await visit(app, provider, {
      provider: 'google',
      access_type: 'offline',
      prompt: 'consent',
    })
    expect(asked).toMatchObject({ access_type: 'offline', prompt: 'consent', scope: 'openid email profile' })
    expect(user).toMatchObject({ email, user_metadata: { custom_claims: { hd: 'example.org' }, full_name: 'Ada' } })
  })

  test.each([
    ['of another issuer', { iss: 'https://evil.example.org' }],
    ['for another app', { aud: 'other' }],
    ['of another flow', { nonce: 'forged' }],
    ['without a nonce', { nonce: undefined }],
    ['that is over', { exp: 1 }],
  ])('refuses an ID token %s', async (_name, claims) => {
    await using provider = await openSigningProvider()
    const app = await world.openApp(settings(provider.url))
    provider.claims = { sub: crypto.randomUUID(), email: uniqueEmail(), email_verified: true, ...claims }
    expect((await visit(app, provider, { provider: 'google' })).end.query).toMatchObject({
      error: 'server_error',
      error_description: 'Error getting user profile from external provider',
    })
  })

  test('that cannot be reached is said to be away, and asked again', async () => {
    const provider = await openSigningProvider()
    const app = await world.openApp(settings(provider.url))
    await provider[Symbol.asyncDispose]()
    expect(await app.call({ url: '/authorize?provider=google' })).toMatchObject({
      status: 503,
      body: { code: 'unexpected_failure', message: 'The provider google cannot be reached' },
    })
  })
})

describe('apple', () => {
  test('posts its answer, and tells the name the first time only', async () => {
    await using provider = await openSigningProvider()
    const app = await world.openApp({
      externalAppleEnabled: true,
      externalAppleClientId: 'holdfast',
      externalAppleSecret: 'a token that the project signed',
      externalAppleUrl: provider.url,
    })
    const email = uniqueEmail()
    provider.claims = { sub: crypto.randomUUID(), email, email_verified: 'true', is_private_email: 'true' }
    const post = async (extra: Record<string, string>) => {
      const address = await begin(app, { provider: 'apple' })
      expect(Object.fromEntries(new URL(address).searchParams)).toMatchObject({
        response_mode: 'form_post',
        scope: 'email name',
      })
      expect(address).toContain('scope=email%20name')
      const form = await provider.authorize(address)
      for (const [name, value] of Object.entries(extra)) form.set(name, value)
      const end = readResult(
        await app.call({
          method: 'POST',
          url: '/callback',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          payload: form.toString(),
        }),
      )
      return (await app.call({ url: '/user', token: end.fragment['access_token'] })).body
    }
    const name = { name: { firstName: 'Ada', lastName: 'Lovelace' }, email: 'forged@example.org' }
    const first = await post({ user: JSON.stringify(name) })
    expect(first).toMatchObject({
      email,
      user_metadata: { full_name: 'Ada Lovelace', custom_claims: { is_private_email: true } },
    })
    expect(await post({})).toMatchObject({
      id: first.user?.id ?? expect.anything(),
      user_metadata: { full_name: 'Ada Lovelace' },
    })
  })
})

describe('azure', () => {
  const open = async (options: Partial<AuthOptions> = {}) => {
    const provider = await openSigningProvider({ issuerPath: '/v2.0', tokenPath: '/oauth2/v2.0/token' })
    const app = await world.openApp({
      externalAzureEnabled: true,
      externalAzureClientId: 'holdfast',
      externalAzureSecret: 'shh',
      externalAzureUrl: provider.url,
      emailEnableConfirmations: true,
      ...options,
    })
    return { provider, app }
  }

  test.each([
    [undefined, true],
    [true, true],
    ['1', true],
    ['true', true],
    [false, false],
    ['0', false],
  ])('with xms_edov %j says that the address is verified: %j', async (edov, verified) => {
    const { provider, app } = await open()
    await using _ = provider
    const email = uniqueEmail()
    provider.claims = { sub: crypto.randomUUID(), email, name: 'Ada', tid: 'tenant', xms_edov: edov }
    const { end, user, address } = await visit(app, provider, { provider: 'azure' })
    expect(address).toBe(`${provider.url}/oauth2/v2.0/authorize`)
    if (verified) {
      expect(user).toMatchObject({
        email,
        user_metadata: { full_name: 'Ada', custom_claims: { tid: 'tenant' }, iss: provider.issuer },
      })
    } else {
      expect(end.query).toMatchObject({ error_code: 'provider_email_needs_verification' })
    }
  })

  test('takes no token of another tenant', async () => {
    const { provider, app } = await open()
    await using _ = provider
    provider.claims = { iss: 'https://login.microsoftonline.com/11111111-1111-1111-1111-111111111111/v2.0' }
    expect((await visit(app, provider, { provider: 'azure' })).end.query).toMatchObject({ error: 'server_error' })
  })
})

test('keycloak, a whole OpenID provider, signs in and keeps its own claims', async () => {
  await using provider = await openOidcProvider()
  const app = await world.openApp({
    externalKeycloakEnabled: true,
    externalKeycloakClientId: 'holdfast',
    externalKeycloakSecret: 'a secret between the two of them',
    externalKeycloakUrl: provider.issuer,
  })
  const email = uniqueEmail()
  provider.people.set('ada', { email, email_verified: true, name: 'Ada', groups: ['staff'] })
  const back = await provider.signIn(await begin(app, { provider: 'keycloak' }), 'ada')
  const { fragment } = await comeBack(app, back)
  expect((await app.call({ url: '/user', token: fragment['access_token'] })).body).toMatchObject({
    email,
    user_metadata: { iss: provider.issuer, name: 'Ada', custom_claims: { groups: ['staff'] } },
  })
})
