import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthWorld, openAuthWorld } from './auth-world.ts'
import { createOtherApp } from './oauth-other-app.ts'

const NOBODYS_ID = '00000000-0000-4000-8000-000000000000'

let world: AuthWorld
let app: ReturnType<typeof createOtherApp>
let admin: typeof app.admin

beforeAll(async () => {
  world = await openAuthWorld(['--oauth-server-enabled', '--oauth-server-allow-dynamic-registration'])
  app = createOtherApp(world)
  admin = app.admin
})
afterAll(() => world[Symbol.asyncDispose]())

describe('auth.admin.oauth.createClient', () => {
  test('is refused to non-admins, and for a redirect URI without TLS', async () => {
    const { auth } = await world.signUp()
    const params = { client_name: 'x', redirect_uris: ['http://app.example.com/'] }
    expect((await auth.admin.oauth.createClient(params)).error).toMatchObject({ status: 403, code: 'not_admin' })
    const { data, error } = await admin.createClient(params)
    expect(error).toMatchObject({ status: 400, code: 'validation_failed' })
    expect(data).toBeNull()
  })

  test('returns the secret of a confidential client', async () => {
    expect(await app.createClient()).toMatchObject({
      client_name: 'Another app',
      client_type: 'confidential',
      token_endpoint_auth_method: 'client_secret_basic',
      registration_type: 'manual',
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_secret: expect.stringMatching(/^[\w-]{43}$/) as string,
    })
    expect((await app.createClient({ token_endpoint_auth_method: 'none' })).client_secret).toBeUndefined()
  })
})

describe('auth.admin.oauth.listClients', () => {
  test('is refused to non-admins', async () => {
    const { auth } = await world.signUp()
    const { data, error } = await auth.admin.oauth.listClients()
    expect(error).toMatchObject({ code: 'not_admin' })
    expect(data).toEqual({ clients: [] })
  })

  test('returns clients page by page, without secrets', async () => {
    const first = await app.createClient()
    const second = await app.createClient()
    const { data } = await admin.listClients({ page: 1, perPage: 2 })
    expect(data.clients.map((client) => client.client_id)).toEqual([second.client_id, first.client_id])
    expect(JSON.stringify(data)).not.toContain('secret":')
    expect('total' in data && data.total).toBeGreaterThanOrEqual(2)
  })
})

describe('auth.admin.oauth.getClient', () => {
  test('is refused to non-admins, and for an unknown client', async () => {
    const { auth } = await world.signUp()
    expect((await auth.admin.oauth.getClient(NOBODYS_ID)).error).toMatchObject({ code: 'not_admin' })
    const { data, error } = await admin.getClient(NOBODYS_ID)
    expect(error).toMatchObject({ status: 404, code: 'oauth_client_not_found' })
    expect(data).toBeNull()
  })

  test('returns a client without its secret', async () => {
    const { client_id: id, client_secret: _secret, ...rest } = await app.createClient()
    expect((await admin.getClient(id)).data).toEqual({ client_id: id, ...rest })
  })
})

describe('auth.admin.oauth.updateClient', () => {
  test('is refused to non-admins, without any fields, and with a method that does not fit the client', async () => {
    const { auth } = await world.signUp()
    const { client_id: id } = await app.createClient()
    expect((await auth.admin.oauth.updateClient(id, {})).error).toMatchObject({ code: 'not_admin' })
    expect((await admin.updateClient(id, {})).error).toMatchObject({ message: 'No fields provided for update' })
    const method = { token_endpoint_auth_method: 'none' } as const
    expect((await admin.updateClient(id, method)).error).toMatchObject({ status: 400, code: 'validation_failed' })
  })

  test('changes only the named fields', async () => {
    const client = await app.createClient({ client_uri: 'https://app.example.com/' })
    const { data } = await admin.updateClient(client.client_id, {
      client_name: 'Renamed',
      redirect_uris: ['https://app.example.com/callback'],
    })
    expect(data).toMatchObject({
      client_name: 'Renamed',
      redirect_uris: ['https://app.example.com/callback'],
      client_uri: 'https://app.example.com/',
    })
  })
})

describe('auth.admin.oauth.regenerateClientSecret', () => {
  test('is refused to non-admins, and for a public client', async () => {
    const { auth } = await world.signUp()
    const { client_id: id } = await app.createClient({ token_endpoint_auth_method: 'none' })
    expect((await auth.admin.oauth.regenerateClientSecret(id)).error).toMatchObject({ code: 'not_admin' })
    expect((await admin.regenerateClientSecret(id)).error).toMatchObject({
      message: 'Cannot regenerate secret for public client',
    })
  })

  test('invalidates the old secret', async () => {
    const client = await app.createClient()
    const { data } = await admin.regenerateClientSecret(client.client_id)
    const person = await world.signUp()
    await expect(app.signIn(client, person)).rejects.toThrow(/response body|WWW-Authenticate/)
    if (!data) throw new Error('regenerating gives the client')
    expect((await app.signIn(data, person)).tokens.access_token).toBeDefined()
  })
})

describe('auth.admin.oauth.deleteClient', () => {
  test('is refused to non-admins, and for an unknown client', async () => {
    const { auth } = await world.signUp()
    expect((await auth.admin.oauth.deleteClient(NOBODYS_ID)).error).toMatchObject({ code: 'not_admin' })
    expect((await admin.deleteClient(NOBODYS_ID)).error).toMatchObject({ code: 'oauth_client_not_found' })
  })

  test('ends the sessions of the client', async () => {
    const client = await app.createClient()
    const { tokens } = await app.signIn(client, await world.signUp())
    expect(await admin.deleteClient(client.client_id)).toEqual({ data: null, error: null })
    const { error } = await world.openClient().auth.getUser(tokens.access_token)
    expect(error).not.toBeNull()
  })
})
