import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AdminApi, type AdminBody, type Method, newAddress, openAdminApi } from '../call-as-admin.ts'
import { readMail } from '../mailbox.ts'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'

const NOBODYS_ID = '00000000-0000-4000-8000-000000000000'
const HOUR_MS = 3_600_000

let world: AuthWorld
let app: AuthApp
let admin: AdminApi['call']
let createAccount: AdminApi['createAccount']

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp({ smsEnableSignup: true })
  const api = await openAdminApi(app)
  admin = api.call
  createAccount = api.createAccount
})

afterAll(() => world[Symbol.asyncDispose]())

describe('Who administrates', () => {
  const addresses: readonly (readonly [Method, string])[] = [
    ['GET', '/admin/users'],
    ['POST', '/admin/users'],
    ['GET', `/admin/users/${NOBODYS_ID}`],
    ['PUT', `/admin/users/${NOBODYS_ID}`],
    ['DELETE', `/admin/users/${NOBODYS_ID}`],
    ['GET', `/admin/users/${NOBODYS_ID}/factors`],
    ['PUT', `/admin/users/${NOBODYS_ID}/factors/${NOBODYS_ID}`],
    ['DELETE', `/admin/users/${NOBODYS_ID}/factors/${NOBODYS_ID}`],
    ['GET', `/admin/users/${NOBODYS_ID}/passkeys`],
    ['DELETE', `/admin/users/${NOBODYS_ID}/passkeys/${NOBODYS_ID}`],
    ['GET', `/admin/users/${NOBODYS_ID}/sessions`],
    ['DELETE', `/admin/users/${NOBODYS_ID}/sessions`],
    ['DELETE', `/admin/users/${NOBODYS_ID}/sessions/${NOBODYS_ID}`],
    ['POST', '/admin/generate_link'],
    ['GET', '/admin/audit'],
    ['POST', '/invite'],
  ]

  test.each(addresses)('is not a person: %s %s is refused for their token and without one', async (method, url) => {
    const { access_token: token } = await app.signUp()
    const payload = method === 'POST' || method === 'PUT' ? { payload: {} } : {}
    expect(await app.call({ method, url, ...payload, token })).toMatchObject({
      status: 403,
      body: { code: 'not_admin', message: 'User not allowed' },
    })
    expect(await app.call({ method, url, ...payload })).toMatchObject({
      status: 401,
      body: { code: 'no_authorization' },
    })
  })
})

describe('Creating an account', () => {
  test('refuses one without any way to reach the user', async () => {
    expect(await admin('POST', '/admin/users', { password: PASSWORD })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message: 'Cannot create a user without either an email or phone' },
    })
  })

  test('refuses an address and a number that another user has', async () => {
    const phone = '4915112345678'
    const { email } = await createAccount({ phone })
    expect(await admin('POST', '/admin/users', { email: email.toUpperCase() })).toMatchObject({
      status: 422,
      body: { code: 'email_exists' },
    })
    expect(await admin('POST', '/admin/users', { email: newAddress(), phone: `+${phone}` })).toMatchObject({
      status: 422,
      body: { code: 'phone_exists' },
    })
  })

  test('refuses the address of a provider that another user signs in with', async () => {
    const { id } = await createAccount()
    const email = newAddress()
    await world.db.pool.execute(sql`
      insert into auth.identities (provider_id, user_id, identity_data, provider)
      values (${crypto.randomUUID()}, ${id}, ${JSON.stringify({ email })}::jsonb, 'github')
    `)
    expect(await admin('POST', '/admin/users', { email })).toMatchObject({
      status: 422,
      body: { code: 'email_exists' },
    })
  })

  test.each([
    [{ email: 'nobody' }, 'Unable to validate email address: invalid format'],
    [{ phone: 'abc' }, 'Invalid phone number format (E.164 required)'],
    [{ id: 'abc' }, 'ID must conform to the uuid v4 format'],
    [{ id: '00000000-0000-0000-0000-000000000000' }, 'ID cannot be a nil uuid'],
    [{ ban_duration: '1 year' }, 'invalid format for ban duration'],
    [{ password: undefined, password_hash: 'secret' }, 'The password hash has to be one of'],
    [{ password_hash: '$2a$10$x' }, 'Only a password or a password hash should be provided'],
    [{ password: 'x'.repeat(73) }, 'Password cannot be longer than 72 characters'],
  ])('refuses %j', async (attributes, message) => {
    const { status, body } = await admin('POST', '/admin/users', {
      email: newAddress(),
      password: PASSWORD,
      ...attributes,
    })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' })
    expect(body.message).toContain(message)
  })

  test('refuses an id that is taken', async () => {
    const { id } = await createAccount()
    expect(await admin('POST', '/admin/users', { id, email: newAddress() })).toMatchObject({
      status: 422,
      body: { code: 'user_already_exists' },
    })
  })

  test('lets the person sign in at once when their address counts as confirmed', async () => {
    const id = crypto.randomUUID()
    const account = await createAccount({
      id,
      role: 'editor',
      user_metadata: { name: 'Ada' },
      app_metadata: { plan: 'team' },
    })
    expect(account).toMatchObject({
      id,
      aud: 'authenticated',
      role: 'editor',
      app_metadata: { provider: 'email', providers: ['email'], plan: 'team' },
      user_metadata: { name: 'Ada', email_verified: true },
      identities: [{ provider: 'email', id, identity_data: { sub: id, email: account.email } }],
      is_anonymous: false,
    })
    expect((await app.signIn(account.email, PASSWORD)).status).toBe(200)
  })

  test('leaves the address unconfirmed unless told otherwise', async () => {
    const { email } = await createAccount({ email_confirm: false })
    expect(await app.signIn(email, PASSWORD)).toMatchObject({ status: 400, body: { code: 'email_not_confirmed' } })
  })

  test('gives an account with address and number an identity for each', async () => {
    const account = await createAccount({ phone: '4915112345679', phone_confirm: true })
    expect(account['app_metadata']).toEqual({ provider: 'email', providers: ['email', 'phone'] })
    expect(account['identities']).toHaveLength(2)
    expect(account['phone_confirmed_at']).toBeDefined()
  })

  test('takes a bcrypt hash of elsewhere in place of a password', async () => {
    const [row] = await world.db.pool.query<{ encrypted_password: string }>(
      sql`select encrypted_password from auth.users where id = ${(await app.signUp()).user.id}`,
    )
    const { email } = await createAccount({ password: undefined, password_hash: row?.encrypted_password })
    expect((await app.signIn(email, PASSWORD)).status).toBe(200)
    expect((await app.signIn(email, 'another password')).status).toBe(400)
  })

  test('gives an account without a password none that could be guessed', async () => {
    const { email } = await createAccount({ password: undefined })
    expect((await app.signIn(email, '')).status).toBe(400)
  })
})

describe('Listing accounts', () => {
  test.each(['page=x', 'page=-1', 'per_page=1.5', 'per_page=100000'])('refuses %s', async (query) => {
    const { status, body } = await admin('GET', `/admin/users?${query}`)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' })
    expect(body.message).toContain('Bad Pagination Parameters')
  })

  test.each(['sort=email', 'sort=created_at%20up'])('refuses %s', async (query) => {
    expect((await admin('GET', `/admin/users?${query}`)).body.message).toContain('Bad Sort Parameters')
  })

  test('pages through every account once, and says where the next and the last page are', async () => {
    await using other = await openAuthWorld()
    const { auth, call } = await other.openApp()
    const token = auth.apiKeys.serviceRole
    for (let index = 0; index < 5; index++) {
      other.nowMs += 1000
      await call({ method: 'POST', url: '/admin/users', payload: { email: `${index}@example.org` }, token })
    }
    const list = async (query: string) => {
      const answer = await call({ method: 'GET', url: `/admin/users?${query}`, token })
      const { users } = answer.body as unknown as { readonly users: readonly AdminBody[] }
      return { headers: answer.headers, emails: users.map(({ email }) => email[0]).join('') }
    }
    const first = await list('page=1&per_page=2')
    expect(first.emails).toBe('43')
    expect(first.headers).toMatchObject({
      'x-total-count': '5',
      link: '</auth/v1/admin/users?page=2&per_page=2>; rel="next", </auth/v1/admin/users?page=3&per_page=2>; rel="last"',
    })
    expect((await list('page=2&per_page=2')).emails).toBe('21')
    const last = await list('page=3&per_page=2')
    expect(last.emails).toBe('0')
    expect(last.headers['link']).toBe('</auth/v1/admin/users?page=3&per_page=2>; rel="last"')
    expect((await list('page=&per_page=')).emails).toBe('43210')
    expect((await list('sort=created_at+asc')).emails).toBe('01234')
    expect((await list('filter=3@ex')).emails).toBe('3')
  })
})

describe('Changing an account', () => {
  test('refuses an id that is none, and an unknown one', async () => {
    expect(await admin('PUT', '/admin/users/abc', {})).toMatchObject({
      status: 404,
      body: { code: 'validation_failed' },
    })
    expect(await admin('PUT', `/admin/users/${NOBODYS_ID}`, {})).toMatchObject({
      status: 404,
      body: { code: 'user_not_found', message: 'User not found' },
    })
  })

  test('refuses an address and a number of another user, and changes nothing', async () => {
    const other = await createAccount({ phone: '4915112345680' })
    const { id } = await createAccount()
    const email = await admin('PUT', `/admin/users/${id}`, { email: other.email, user_metadata: { a: 1 } })
    expect(email).toMatchObject({ status: 422, body: { code: 'email_exists' } })
    const phone = await admin('PUT', `/admin/users/${id}`, { phone: '4915112345680' })
    expect(phone).toMatchObject({ status: 422, body: { code: 'phone_exists' } })
    expect((await admin('GET', `/admin/users/${id}`)).body['user_metadata']).toEqual({ email_verified: true })
  })

  test('refuses a password that is too short', async () => {
    const { id } = await createAccount()
    expect(await admin('PUT', `/admin/users/${id}`, { password: 'short' })).toMatchObject({
      status: 422,
      body: { code: 'weak_password' },
    })
  })

  test('keeps the identity in step with a new address, which counts at once', async () => {
    const { id } = await createAccount()
    const email = newAddress()
    const { body } = await admin('PUT', `/admin/users/${id}`, { email, email_confirm: true })
    expect(body).toMatchObject({ email, identities: [{ email, identity_data: { email, email_verified: true } }] })
    expect((await app.signIn(email, PASSWORD)).status).toBe(200)
  })

  test('takes the links of the old address and a change that was under way with a new address', async () => {
    const email = newAddress()
    const { user, access_token: token } = await app.signUp(email)
    await app.call({ method: 'PUT', url: '/user', token, payload: { email: newAddress() } })
    await app.call({ method: 'POST', url: '/recover', payload: { email } })
    const { tokenHash } = await readMail(world, email)
    const { body } = await admin('PUT', `/admin/users/${user.id}`, { email: newAddress(), email_confirm: true })
    expect(body).not.toHaveProperty('new_email')
    const payload = { type: 'recovery', token_hash: tokenHash }
    expect(await app.call({ method: 'POST', url: '/verify', payload })).toMatchObject({
      status: 403,
      body: { code: 'otp_expired' },
    })
  })

  test('adds an identity for a number', async () => {
    const { id } = await createAccount()
    const { body } = await admin('PUT', `/admin/users/${id}`, { phone: '+4915112345681', phone_confirm: true })
    expect(body).toMatchObject({
      phone: '4915112345681',
      app_metadata: { provider: 'email', providers: ['email', 'phone'] },
    })
    expect(body['identities']).toHaveLength(2)
  })

  test('merges metadata, where null removes', async () => {
    const { id } = await createAccount({ user_metadata: { a: 1, b: 2 }, app_metadata: { c: 3 } })
    const { body } = await admin('PUT', `/admin/users/${id}`, {
      user_metadata: { b: null, d: 4 },
      app_metadata: { c: null },
    })
    expect(body['user_metadata']).toEqual({ a: 1, d: 4, email_verified: true })
    expect(body['app_metadata']).toEqual({ provider: 'email', providers: ['email'] })
  })

  test('ends every session with a new password', async () => {
    const { refresh_token: token, user } = await app.signUp()
    const { status } = await admin('PUT', `/admin/users/${user.id}`, { password: 'another good password' })
    expect(status).toBe(200)
    expect((await app.refresh(token)).status).toBe(400)
  })

  test('bans for a while, and ends a ban', async () => {
    const { access_token: token, refresh_token: refreshToken, user } = await app.signUp()
    const { body } = await admin('PUT', `/admin/users/${user.id}`, { ban_duration: '1h30m' })
    expect(Date.parse(String(body['banned_until']))).toBe(world.nowMs + 1.5 * HOUR_MS)
    expect(await app.call({ method: 'GET', url: '/user', token })).toMatchObject({
      status: 403,
      body: { code: 'user_banned' },
    })
    expect(await app.refresh(refreshToken)).toMatchObject({ status: 400, body: { code: 'user_banned' } })
    await admin('PUT', `/admin/users/${user.id}`, { ban_duration: 'none' })
    expect((await app.refresh(refreshToken)).status).toBe(200)
  })
})

describe('Deleting an account', () => {
  test('leaves nothing of it', async () => {
    const { user, access_token: token } = await app.signUp()
    expect(await admin('DELETE', `/admin/users/${user.id}`, { should_soft_delete: false })).toMatchObject({
      status: 200,
      body: {},
    })
    expect((await admin('GET', `/admin/users/${user.id}`)).status).toBe(404)
    expect(await app.call({ method: 'GET', url: '/user', token })).toMatchObject({
      status: 403,
      body: { code: 'user_not_found' },
    })
  })

  test('softly leaves a row that says nothing about the person, who can sign up again', async () => {
    const email = newAddress()
    const { user, refresh_token: token } = await app.signUp(email)
    expect((await admin('DELETE', `/admin/users/${user.id}`, { should_soft_delete: true })).status).toBe(200)
    const { body } = await admin('GET', `/admin/users/${user.id}`)
    expect(body).toMatchObject({ id: user.id, app_metadata: {}, user_metadata: {} })
    expect(body['deleted_at']).toBeDefined()
    expect(JSON.stringify(body)).not.toContain(email)
    expect(await app.refresh(token)).toMatchObject({ status: 400, body: { code: 'refresh_token_not_found' } })
    expect((await app.signUp(email)).user.id).not.toBe(user.id)
  })

  test('says so when a table of the project does not let go', async () => {
    const { user } = await app.signUp()
    await world.db.pool.execute(
      sql`create table if not exists public.kept (user_id uuid references auth.users (id) on delete restrict)`,
    )
    await world.db.pool.execute(sql`insert into public.kept values (${user.id})`)
    expect(await admin('DELETE', `/admin/users/${user.id}`)).toMatchObject({
      status: 500,
      body: { code: 'unexpected_failure', message: 'Database error deleting user' },
    })
  })
})
