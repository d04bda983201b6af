import { randomInt } from 'node:crypto'
import type { SupabaseClient, UserIdentity } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openAdminApi } from '../call-as-admin.ts'
import { readCode } from '../mailbox.ts'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'
import { type OidcProvider, openOidcProvider } from '../open-oidc-provider.ts'
import { comeBack, type FlowResult, makeKnown, openRealClient, signInAt } from '../visit-provider.ts'

let world: AuthWorld
let app: AuthApp
let provider: OidcProvider

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp({ enableManualLinking: true, enableAnonymousSignIns: true, emailMaxFrequency: 0 })
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
  provider.people.set(login, { email: `${login}@example.org`, email_verified: true, ...claims })
  return login
}

async function openSignedUp(): Promise<{
  readonly client: SupabaseClient
  readonly email: string
  readonly id: string
}> {
  const client = await openRealClient(app)
  const email = `${crypto.randomUUID()}@example.org`
  const { data, error } = await client.auth.signUp({ email, password: PASSWORD })
  expect(error).toBeNull()
  world.nowMs += 1_000
  return { client, email, id: data.user?.id ?? '' }
}

/** The way of `linkIdentity`, to the end in the browser. */
async function link(client: SupabaseClient, login: string): Promise<FlowResult> {
  const { data, error } = await client.auth.linkIdentity({ provider: 'custom:oidc' })
  expect(error).toBeNull()
  return comeBack(app, await provider.signIn(data.url ?? '', login))
}

async function identitiesOf(client: SupabaseClient): Promise<readonly UserIdentity[]> {
  const { data, error } = await client.auth.getUserIdentities()
  expect(error).toBeNull()
  return data?.identities ?? []
}

describe('linking', () => {
  test('is refused where the project does not let people, and to who is not signed in', async () => {
    const closed = await world.openApp()
    const { access_token: token } = await closed.signUp()
    for (const request of [
      { url: '/user/identities/authorize?provider=custom:oidc' },
      { url: `/user/identities/${crypto.randomUUID()}`, method: 'DELETE' as const },
    ]) {
      expect(await closed.call({ ...request, token })).toMatchObject({
        status: 404,
        body: { code: 'manual_linking_disabled', message: 'Manual linking is disabled' },
      })
      expect((await app.call(request)).status).toBe(401)
    }
  })

  test('gives one more way in, and the session is the same person', async () => {
    const { client, email, id } = await openSignedUp()
    const login = newLogin()
    const end = await link(client, login)
    const { data } = await client.auth.exchangeCodeForSession(end.query['code'] ?? '')
    expect(data.user).toMatchObject({
      id,
      email,
      app_metadata: { provider: 'email', providers: ['email', 'custom:oidc'] },
    })
    expect((await identitiesOf(client)).map((identity) => identity.provider)).toEqual(['email', 'custom:oidc'])
    const { fragment } = await signInAt(app, provider, login)
    expect((await app.call({ url: '/user', token: fragment['access_token'] })).body).toMatchObject({ id })
  })

  test('is refused for an identity that another user has', async () => {
    const login = newLogin()
    await signInAt(app, provider, login)
    const { client } = await openSignedUp()
    expect((await link(client, login)).query).toMatchObject({
      error_code: 'identity_already_exists',
      error_description: 'Identity is already linked to another user',
    })
    const own = newLogin()
    await link(client, own)
    expect((await link(client, own)).query).toMatchObject({ error_description: 'Identity is already linked' })
  })

  test('makes an account of an anonymous one', async () => {
    const client = await openRealClient(app)
    const anonymous = await client.auth.signInAnonymously()
    const login = newLogin()
    const end = await link(client, login)
    const { data } = await client.auth.exchangeCodeForSession(end.query['code'] ?? '')
    expect(data.user).toMatchObject({
      id: anonymous.data.user?.id,
      email: `${login}@example.org`,
      is_anonymous: false,
      app_metadata: { provider: 'custom:oidc' },
    })
    expect(await app.auth.verifyToken(data.session?.access_token ?? '')).toMatchObject({ is_anonymous: false })
  })

  test('never gives an anonymous person the address of another user', async () => {
    const { email } = await openSignedUp()
    const client = await openRealClient(app)
    await client.auth.signInAnonymously()
    expect((await link(client, newLogin({ email }))).query).toMatchObject({ error_code: 'email_exists' })
    const other = await openRealClient(app)
    await other.auth.signInAnonymously()
    const unverified = newLogin({ email_verified: false })
    expect((await link(other, unverified)).query).toMatchObject({ error_code: 'email_not_confirmed' })
    const [mail] = await world.db.pool.query(
      sql`select kind from auth.messages where recipient = ${`${unverified}@example.org`}`,
    )
    expect(mail).toEqual({ kind: 'confirmation' })
  })

  test('ends when the person does not exist any more', async () => {
    const { client, id } = await openSignedUp()
    const { data } = await client.auth.linkIdentity({ provider: 'custom:oidc' })
    const back = await provider.signIn(data.url ?? '', newLogin())
    await world.db.pool.execute(sql`delete from auth.users where id = ${id}`)
    expect((await comeBack(app, back)).query).toMatchObject({
      error_code: expect.stringMatching(/user_not_found|bad_oauth_state/) as string,
    })
  })
})

describe('unlinking', () => {
  test('keeps the last way in', async () => {
    const { client } = await openSignedUp()
    const [only] = await identitiesOf(client)
    expect((await client.auth.unlinkIdentity(only as UserIdentity)).error).toMatchObject({
      status: 422,
      code: 'single_identity_not_deletable',
    })
  })

  test('is about one’s own identities', async () => {
    const { client } = await openSignedUp()
    await link(client, newLogin())
    const { client: other } = await openSignedUp()
    const [theirs] = await identitiesOf(other)
    expect((await client.auth.unlinkIdentity(theirs as UserIdentity)).error).toMatchObject({
      status: 422,
      code: 'identity_not_found',
    })
    const none = { ...(theirs as UserIdentity), identity_id: 'x' }
    expect((await client.auth.unlinkIdentity(none)).error).toMatchObject({ status: 404, code: 'validation_failed' })
  })

  test('takes the address of another identity when its own goes', async () => {
    const { client, email } = await openSignedUp()
    const login = newLogin()
    await link(client, login)
    const [first] = await identitiesOf(client)
    expect((await client.auth.unlinkIdentity(first as UserIdentity)).error).toBeNull()
    expect((await client.auth.getUser()).data.user).toMatchObject({
      email: `${login}@example.org`,
      app_metadata: { provider: 'custom:oidc', providers: ['custom:oidc'] },
      identities: [{ provider: 'custom:oidc' }],
    })
    expect((await client.auth.signInWithPassword({ email, password: PASSWORD })).error).toMatchObject({
      code: 'invalid_credentials',
    })
  })

  test('of a number takes the code that was sent to it', async () => {
    const strict = await world.openApp({
      enableManualLinking: true,
      smsEnableSignup: true,
      smsEnableConfirmations: true,
    })
    const phone = `1555${String(randomInt(10_000_000)).padStart(7, '0')}`
    const { user, access_token: token } = await strict.signUp()
    await (await openAdminApi(strict)).call('PUT', `/admin/users/${user.id}`, { phone, phone_confirm: true })
    await strict.call({ method: 'POST', url: '/otp', payload: { phone } })
    const code = await readCode(world, phone)
    const [number] = await world.db.pool.query<{ id: string }>(
      sql`select id from auth.identities where user_id = ${user.id} and provider = 'phone'`,
    )
    const removed = await strict.call({ method: 'DELETE', url: `/user/identities/${number?.id ?? ''}`, token })
    expect(removed.status).toBe(200)
    const payload = { type: 'sms', phone, token: code }
    expect(await strict.call({ method: 'POST', url: '/verify', payload })).toMatchObject({
      status: 403,
      body: { code: 'otp_expired' },
    })
  })

  test('is refused when every address that is left is another user’s', async () => {
    const { client } = await openSignedUp()
    const login = newLogin()
    await app.signUp(`${login}@example.org`)
    await link(client, login)
    const [first] = await identitiesOf(client)
    expect((await client.auth.unlinkIdentity(first as UserIdentity)).error).toMatchObject({
      status: 422,
      code: 'email_conflict_identity_not_deletable',
    })
    expect(await identitiesOf(client)).toHaveLength(2)
  })
})
