import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Logger } from '@holdfast/foundation'
import { sql } from '@holdfast/postgres'
import { type AuthApp, type AuthWorld, openAuthWorld } from '../../open-auth-world.ts'
import { openSigningProvider, type SigningProvider } from '../../open-signing-provider.ts'
import { begin, comeBack, openRealClient } from '../../visit-provider.ts'

let world: AuthWorld
let app: AuthApp
let provider: SigningProvider
let admin: SupabaseClient['auth']['admin']['customProviders']

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp()
  provider = await openSigningProvider()
  admin = (await openRealClient(app, { role: 'service_role' })).auth.admin.customProviders
})
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const oidc = (identifier: string) => ({
  provider_type: 'oidc' as const,
  identifier: `custom:${identifier}`,
  name: 'Ours',
  client_id: 'holdfast',
  client_secret: 'shh, nobody knows',
  issuer: provider.url,
})

const oauth2 = (identifier: string) => ({
  provider_type: 'oauth2' as const,
  identifier: `custom:${identifier}`,
  name: 'Theirs',
  client_id: 'holdfast',
  client_secret: 'shh, nobody knows',
  authorization_url: `${provider.url}/authorize`,
  token_url: `${provider.url}/token`,
  userinfo_url: `${provider.url}/me`,
})

describe('administrators', () => {
  test('only: no other user reads or makes providers', async () => {
    const { access_token: token } = await app.signUp()
    for (const request of [
      { url: '/admin/custom-providers' },
      { url: '/admin/custom-providers', method: 'POST' as const, payload: oidc('mine') },
      { url: '/admin/custom-providers/custom:x', method: 'DELETE' as const },
    ]) {
      expect(await app.call({ ...request, token })).toMatchObject({ status: 403, body: { code: 'not_admin' } })
      expect((await app.call(request)).status).toBe(401)
    }
  })

  test.each([
    ['another kind', { provider_type: 'saml' }, "provider_type must be either 'oauth2' or 'oidc'"],
    ['no prefix', { identifier: 'mine' }, "identifier must start with 'custom:' prefix, e.g. 'custom:mine'"],
    [
      'capitals',
      { identifier: 'custom:Mine' },
      'identifier must be 2 to 50 lower-case letters, digits, colons and hyphens',
    ],
    ['no name', { name: '' }, 'name is required'],
    ['no secret', { client_secret: undefined }, 'client_secret is required'],
    ['no issuer', { issuer: undefined }, 'issuer is required for OIDC providers'],
    ['an address in the clear', { issuer: 'http://id.example.org' }, 'URL must use HTTPS'],
    ['a file', { issuer: 'file:///etc/passwd' }, 'URL must use HTTPS'],
    ['no address', { issuer: 'id' }, 'Invalid URL format'],
    [
      'our parameters',
      { authorization_params: { redirect_uri: 'x' } },
      'Cannot override reserved OAuth parameter: redirect_uri',
    ],
    [
      'our fields',
      { attribute_mapping: { email_verified: 'yes' } },
      'Cannot map to protected system field: email_verified',
    ],
    ['empty claims', { custom_claims_allowlist: [' '] }, 'custom_claims_allowlist entries must be non-empty strings'],
  ])('are refused %s', async (_name, changes, message) => {
    const { error } = await admin.createProvider({ ...oidc('refused'), ...changes } as never)
    expect(error).toMatchObject({ status: 400, code: 'validation_failed', message })
  })

  test('are told at once when the issuer is not there, or is another one', async () => {
    const away = await admin.createProvider({ ...oidc('away'), issuer: 'http://127.0.0.1:1' })
    expect(away.error?.message).toMatch(
      /^OIDC discovery from "http:\/\/127\.0\.0\.1:1\/\.well-known\/openid-configuration" failed/,
    )
    const other = await admin.createProvider({
      ...oidc('other'),
      issuer: `${provider.url}/tenant`,
      discovery_url: `${provider.url}/.well-known/openid-configuration`,
    })
    expect(other.error?.message).toContain('names the issuer')
  })

  test('make, read, change and delete them, and the secret never comes out', async () => {
    const made = await admin.createProvider(oidc('ours'))
    expect(made.data).toMatchObject({
      identifier: 'custom:ours',
      scopes: ['openid'],
      pkce_enabled: true,
      enabled: true,
      discovery_document: { issuer: provider.url, token_endpoint: `${provider.url}/token` },
    })
    expect(made.data).not.toHaveProperty('client_secret')
    const [row] = await world.db.pool.query<{ client_secret: string }>(
      sql`select client_secret from auth.custom_oauth_providers where identifier = 'custom:ours'`,
    )
    expect(row?.client_secret).toMatch(/^sealed:v1:/)
    expect((await admin.createProvider(oidc('ours'))).error).toMatchObject({ status: 400, code: 'conflict' })

    const changed = await admin.updateProvider('custom:ours', { name: 'Ours again', enabled: false })
    expect(changed.data).toMatchObject({ name: 'Ours again', enabled: false, client_id: 'holdfast' })
    expect(await app.call({ url: '/authorize?provider=custom:ours' })).toMatchObject({
      status: 400,
      body: { message: 'Unsupported provider: custom provider custom:ours is disabled' },
    })
    expect((await admin.getProvider('custom:ours')).data).toMatchObject({ name: 'Ours again' })
    await admin.createProvider(oauth2('theirs'))
    const { data: all } = await admin.listProviders()
    expect(all.providers.map(({ identifier }) => identifier).toSorted()).toEqual(['custom:ours', 'custom:theirs'])
    const { data: some } = await admin.listProviders({ type: 'oauth2' })
    expect(some.providers.map(({ identifier }) => identifier)).toEqual(['custom:theirs'])

    expect((await admin.deleteProvider('custom:ours')).error).toBeNull()
    expect((await admin.getProvider('custom:ours')).error).toMatchObject({
      status: 404,
      code: 'custom_provider_not_found',
    })
    await admin.deleteProvider('custom:theirs')
  })
})

test('a server whose JWT secret is another one says at its start which client secrets to set again', async () => {
  await admin.createProvider(oidc('sealed'))
  const said: unknown[] = []
  const logger: Logger = { log: (level, message, fields) => said.push({ level, message, ...fields }) }
  await using same = await world.openApp({}, { logger })
  await same.auth[Symbol.asyncDispose]()
  expect(said).toEqual([])
  await using other = await world.openApp({}, { logger, jwtSecret: 'another secret, which is long enough too' })
  await expect
    .poll(() => said)
    .toEqual([
      {
        level: 'warn',
        message: 'client secrets of providers were kept under another JWT secret: set them again',
        providers: ['custom:sealed'],
      },
    ])
  expect((await other.call({ url: '/authorize?provider=custom:sealed' })).status).toBe(400)
  await admin.deleteProvider('custom:sealed')
})

test('an OAuth2 provider with names of its own signs people in, with the secret as it takes it', async () => {
  await using strange = await openSigningProvider()
  strange.givesIdToken = false
  strange.wantsSecretInBody = true
  strange.pages.set('/me', {
    id: 4711,
    mail: 'eve@strange.example.org',
    nick: 'Eve',
    email_verified: true,
    team: 'north',
  })
  await admin.createProvider({
    ...oauth2('strange'),
    token_url: `${strange.url}/token`,
    userinfo_url: `${strange.url}/me`,
    attribute_mapping: { sub: 'id', email: 'mail', name: 'nick' },
    custom_claims_allowlist: ['team', 'missing'],
    authorization_params: { audience: 'api' },
  })
  const address = await begin(app, { provider: 'custom:strange' })
  expect(new URL(address).searchParams.get('audience')).toBe('api')
  const { fragment } = await comeBack(app, await strange.authorize(address))
  expect(strange.lastTokenRequest?.form.get('client_secret')).toBe('shh, nobody knows')
  expect(strange.lastTokenRequest?.form.get('code_verifier')).toHaveLength(43)
  expect((await app.call({ url: '/user', token: fragment['access_token'] })).body).toMatchObject({
    email: 'eve@strange.example.org',
    identities: [{ id: '4711', provider: 'custom:strange' }],
    user_metadata: { name: 'Eve', custom_claims: { team: 'north' } },
  })
})

test('settings tell the truth', async () => {
  const server = await world.openApp({
    externalGithubEnabled: true,
    enableAnonymousSignIns: true,
    enableSignup: false,
    emailEnableConfirmations: true,
    smsEnableSignup: true,
    smsEnableConfirmations: true,
    passkeyEnabled: true,
  })
  const { body } = await server.call({ url: '/settings' })
  expect(body).toMatchObject({
    external: { anonymous_users: true, github: true, google: false, twitter: false, email: true, phone: true },
    disable_signup: true,
    mailer_autoconfirm: false,
    phone_autoconfirm: false,
    sms_provider: '',
    saml_enabled: false,
    passkeys_enabled: true,
    custom_providers: expect.arrayContaining([{ identifier: 'custom:strange', name: 'Theirs' }]) as unknown,
  })
})

test('single sign-on and wallets are refused as switched off', async () => {
  const client = await openRealClient(app)
  expect((await client.auth.signInWithSSO({ domain: 'example.org' })).error).toMatchObject({
    status: 404,
    code: 'saml_provider_disabled',
    message: 'SAML 2.0 is disabled',
  })
  const payload = { chain: 'solana', message: 'x', signature: 'x' }
  expect(await app.call({ method: 'POST', url: '/token?grant_type=web3', payload })).toMatchObject({
    status: 422,
    body: { code: 'web3_provider_disabled', message: 'Web3 provider is disabled' },
  })
  const key = app.auth.apiKeys.serviceRole
  expect(await app.call({ url: '/admin/sso/providers', token: key })).toMatchObject({
    status: 200,
    body: { items: [] },
  })
  expect((await app.call({ url: '/admin/sso/providers' })).status).toBe(401)
})
