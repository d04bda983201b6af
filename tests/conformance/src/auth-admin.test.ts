import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import {
  type AuthClient,
  type AuthWorld,
  claimsOf,
  follow,
  fragmentOf,
  newAddress,
  openAuthWorld,
  PASSWORD,
  receiveMail,
} from './auth-world.ts'

const NOBODYS_ID = '00000000-0000-4000-8000-000000000000'

let world: AuthWorld
let service: AuthClient
let admin: AuthClient['auth']['admin']

beforeAll(async () => {
  world = await openAuthWorld()
  service = world.openClient({ key: world.serviceRoleKey })
  admin = service.auth.admin
})
afterAll(() => world[Symbol.asyncDispose]())

async function createUser(attributes: Parameters<typeof admin.createUser>[0] = {}) {
  const email = newAddress()
  const { data, error } = await admin.createUser({ email, password: PASSWORD, email_confirm: true, ...attributes })
  expect(error).toBeNull()
  if (!data.user) throw new Error('creating gives the user')
  return { ...data.user, email }
}

const NOT_ADMIN = { name: 'AuthApiError', status: 403, code: 'not_admin' }

describe('auth.admin.createUser', () => {
  test('is refused to non-admins', async () => {
    const { auth } = await world.signUp()
    const { data, error } = await auth.admin.createUser({ email: newAddress() })
    expect(error).toMatchObject({ name: 'AuthApiError', code: 'not_admin' })
    expect(data).toEqual({ user: null })
  })

  test('is refused for an email address in use', async () => {
    const { email } = await createUser()
    expect((await admin.createUser({ email })).error).toMatchObject({ status: 422, code: 'email_exists' })
  })

  test('creates a user who can sign in at once, with the given id and metadata', async () => {
    const id = randomUUID()
    const { email } = await createUser({ id, user_metadata: { name: 'Ada' }, app_metadata: { team: 'blue' } })
    const { data } = await world.openClient().auth.signInWithPassword({ email, password: PASSWORD })
    expect(data.user).toMatchObject({ id, user_metadata: { name: 'Ada' }, app_metadata: { team: 'blue' } })
    expect(claimsOf(data.session?.access_token ?? '')).toMatchObject({
      sub: id,
      app_metadata: { provider: 'email', providers: ['email'], team: 'blue' },
    })
  })

  test('accepts a bcrypt or argon2 hash instead of a password', async () => {
    const hashes = [
      '$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
      '$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHQxMjM0NTY3OA$kAkGMBH6PiVd6rvI3RSP+k1ogW8PGA8hWSUtKbKT8tA',
    ]
    for (const hash of hashes) {
      const { error } = await admin.createUser({ email: newAddress(), password_hash: hash })
      expect(error).toBeNull()
    }
    const { error } = await admin.createUser({ email: newAddress(), password_hash: 'md5' })
    expect(error).toMatchObject({ status: 400, code: 'validation_failed' })
  })
})

describe('auth.admin.listUsers', () => {
  test('is refused to non-admins', async () => {
    const { auth } = await world.signUp()
    const { data, error } = await auth.admin.listUsers()
    expect(error).toMatchObject({ code: 'not_admin' })
    expect(data).toEqual({ users: [] })
  })

  test('returns the total and the next and last page', async () => {
    await using small = await openAuthWorld()
    const { auth } = small.openClient({ key: small.serviceRoleKey })
    for (let index = 0; index < 5; index++) await auth.admin.createUser({ email: `${index}@example.org` })
    const { data } = await auth.admin.listUsers({ page: 2, perPage: 2 })
    expect(data).toMatchObject({ aud: 'authenticated', nextPage: 3, lastPage: 3, total: 5 })
    expect(data.users.map(({ email }) => email)).toEqual(['2@example.org', '1@example.org'])
    const last = await auth.admin.listUsers({ page: 3, perPage: 2 })
    expect(last.data).toMatchObject({ nextPage: null, lastPage: 3 })
    const all = await auth.admin.listUsers()
    expect(all.data.users).toHaveLength(5)
  })
})

describe('auth.admin.getUserById', () => {
  test('is refused to non-admins, and for an unknown user', async () => {
    const { auth, user } = await world.signUp()
    expect((await auth.admin.getUserById(user.id)).error).toMatchObject({ code: 'not_admin' })
    const { data, error } = await admin.getUserById(NOBODYS_ID)
    expect(error).toMatchObject({ status: 404, code: 'user_not_found' })
    expect(data).toEqual({ user: null })
  })

  test('returns the user', async () => {
    const { user } = await world.signUp()
    const { data } = await admin.getUserById(user.id)
    expect(data.user).toMatchObject({ id: user.id, email: user.email, identities: [{ provider: 'email' }] })
  })
})

describe('auth.admin.updateUserById', () => {
  test('is refused to non-admins, and for an email address in use', async () => {
    const { auth, user } = await world.signUp()
    expect((await auth.admin.updateUserById(user.id, { role: 'service_role' })).error).toMatchObject({
      code: 'not_admin',
    })
    const { email } = await createUser()
    const { data, error } = await admin.updateUserById(user.id, { email })
    expect(error).toMatchObject({ status: 422, code: 'email_exists' })
    expect(data).toEqual({ user: null })
  })

  test('changes email address and password, and ends existing sessions', async () => {
    const person = await world.signUp()
    const email = newAddress()
    const password = 'another good password'
    const { data, error } = await admin.updateUserById(person.user.id, { email, password, email_confirm: true })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email, identities: [{ identity_data: { email } }] })
    expect((await person.auth.refreshSession()).error).toMatchObject({ code: 'refresh_token_not_found' })
    expect((await person.auth.signInWithPassword({ email, password })).error).toBeNull()
  })

  test('bans and unbans a user', async () => {
    const person = await world.signUp()
    await admin.updateUserById(person.user.id, { ban_duration: '24h' })
    const banned = await person.auth.signInWithPassword({ email: person.email, password: PASSWORD })
    expect(banned.error).toMatchObject({ status: 400, code: 'user_banned' })
    expect((await person.auth.getUser()).error).toMatchObject({ code: 'user_banned' })
    await admin.updateUserById(person.user.id, { ban_duration: 'none' })
    expect((await person.auth.getUser()).error).toBeNull()
  })

  test('sets app_metadata, which users cannot change themselves', async () => {
    const person = await world.signUp()
    await admin.updateUserById(person.user.id, { app_metadata: { plan: 'team' } })
    await person.auth.refreshSession()
    expect(person.eventNames()).toContain('TOKEN_REFRESHED')
    const { data } = await person.auth.getSession()
    expect(claimsOf(data.session?.access_token ?? '')).toMatchObject({ app_metadata: { plan: 'team' } })
  })
})

describe('auth.admin.deleteUser', () => {
  test('is refused to non-admins, and for an unknown user', async () => {
    const { auth, user } = await world.signUp()
    expect((await auth.admin.deleteUser(user.id)).error).toMatchObject({ code: 'not_admin' })
    expect((await admin.deleteUser(NOBODYS_ID)).error).toMatchObject({ code: 'user_not_found' })
  })

  test('deletes the user permanently', async () => {
    const person = await world.signUp()
    const { data, error } = await admin.deleteUser(person.user.id)
    expect(error).toBeNull()
    expect(data.user?.id).toBe(person.user.id)
    expect((await admin.getUserById(person.user.id)).error).toMatchObject({ code: 'user_not_found' })
    expect((await person.auth.refreshSession()).error).toMatchObject({ code: 'refresh_token_not_found' })
  })

  test('with soft delete keeps the row and frees the email address', async () => {
    const person = await world.signUp()
    expect((await admin.deleteUser(person.user.id, true)).error).toBeNull()
    const { data } = await admin.getUserById(person.user.id)
    expect(data.user).toMatchObject({ id: person.user.id, user_metadata: {}, app_metadata: {} })
    expect(data.user?.email).not.toBe(person.email)
    const again = await world.signUp({ email: person.email })
    expect(again.user.id).not.toBe(person.user.id)
  })
})

describe('auth.admin.signOut', () => {
  test('refuses a malformed token', async () => {
    expect((await admin.signOut('x', 'global')).error).toMatchObject({ code: 'bad_jwt' })
  })

  test.each([
    ['global', [false, false]],
    ['local', [false, true]],
    ['others', [true, false]],
  ] as const)("with scope %s ends the matching sessions of the token's user", async (scope, expected) => {
    const here = await world.signUp()
    const there = world.openClient()
    await there.auth.signInWithPassword({ email: here.email, password: PASSWORD })
    expect(await admin.signOut(here.session.access_token, scope)).toEqual({ data: null, error: null })
    const alive = await Promise.all([here, there].map(async ({ auth }) => (await auth.refreshSession()).error === null))
    expect(alive).toEqual(expected)
  })
})

describe('auth.admin.inviteUserByEmail', () => {
  test('is refused to non-admins, and for a confirmed address', async () => {
    const { auth, email } = await world.signUp()
    expect((await auth.admin.inviteUserByEmail(newAddress())).error).toMatchObject(NOT_ADMIN)
    const { data, error } = await admin.inviteUserByEmail(email)
    expect(error).toMatchObject({ status: 422, code: 'email_exists' })
    expect(data).toEqual({ user: null })
  })

  test('emails a link that signs in', async () => {
    const email = newAddress()
    const { data, error } = await admin.inviteUserByEmail(email, { data: { team: 'blue' } })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email, user_metadata: { team: 'blue' } })
    expect(data.user?.invited_at).toBeDefined()
    const mail = await receiveMail(world, email, 'invite')
    expect(fragmentOf(await follow(mail.link))).toMatchObject({ type: 'invite', token_type: 'bearer' })
  })

  test('emails a code that signs in', async () => {
    const email = newAddress()
    await admin.inviteUserByEmail(email)
    const { code } = await receiveMail(world, email, 'invite')
    const client = world.openClient()
    const { data, error } = await client.auth.verifyOtp({ email, token: code, type: 'invite' })
    expect(error).toBeNull()
    expect(data.user?.email).toBe(email)
    expect(client.eventNames()).toContain('SIGNED_IN')
  })
})

describe('auth.admin.generateLink', () => {
  test('is refused to non-admins, and for an unknown address', async () => {
    const { auth, email } = await world.signUp()
    const refused = await auth.admin.generateLink({ type: 'magiclink', email })
    expect(refused.error).toMatchObject({ code: 'not_admin' })
    const { data, error } = await admin.generateLink({ type: 'recovery', email: newAddress() })
    expect(error).toMatchObject({ status: 404, code: 'user_not_found' })
    expect(data).toEqual({ properties: null, user: null })
  })

  test('of type signup returns a link that confirms the address', async () => {
    const email = newAddress()
    const { data, error } = await admin.generateLink({ type: 'signup', email, password: PASSWORD, options: {} })
    expect(error).toBeNull()
    expect(data.user?.email_confirmed_at).toBeUndefined()
    expect(Object.keys(data.properties ?? {}).toSorted()).toEqual([
      'action_link',
      'email_otp',
      'hashed_token',
      'redirect_to',
      'verification_type',
    ])
    const link = await follow(data.properties?.action_link ?? '')
    expect(fragmentOf(link)).toMatchObject({ type: 'signup' })
    expect((await world.openClient().auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull()
  })

  test.each(['magiclink', 'recovery'] as const)('of type %s signs in by link, token hash or code', async (type) => {
    const { email, user } = await world.signUp()
    const generate = async () => (await admin.generateLink({ type, email })).data.properties
    const byLink = await generate()
    expect(fragmentOf(await follow(byLink?.action_link ?? ''))).toMatchObject({ type })
    const byHash = world.openClient()
    const hashed = await byHash.auth.verifyOtp({ token_hash: (await generate())?.hashed_token ?? '', type })
    expect(hashed.data.user?.id).toBe(user.id)
    expect(byHash.eventNames()).toContain(type === 'recovery' ? 'PASSWORD_RECOVERY' : 'SIGNED_IN')
    const coded = await world.openClient().auth.verifyOtp({
      email,
      token: (await generate())?.email_otp ?? '',
      type,
    })
    expect(coded.data.user?.id).toBe(user.id)
  })

  test('of type invite creates the account', async () => {
    const { data } = await admin.generateLink({ type: 'invite', email: newAddress(), options: { data: { a: 1 } } })
    expect(data.user?.user_metadata).toMatchObject({ a: 1 })
    const verified = await world.openClient().auth.verifyOtp({
      token_hash: data.properties?.hashed_token ?? '',
      type: 'invite',
    })
    expect(verified.data.user?.id).toBe(data.user?.id)
  })

  test('of type email_change changes the address after both links are opened, if confirmations are on', async () => {
    await using strict = await openAuthWorld(['--email-enable-confirmations'])
    const { auth } = strict.openClient({ key: strict.serviceRoleKey })
    const email = newAddress()
    const newEmail = newAddress()
    const { data } = await auth.admin.createUser({ email, email_confirm: true })
    const id = data.user?.id ?? ''
    const current = await auth.admin.generateLink({ type: 'email_change_current', email, newEmail })
    const next = await auth.admin.generateLink({ type: 'email_change_new', email, newEmail })
    await follow(current.data.properties?.action_link ?? '')
    expect((await auth.admin.getUserById(id)).data.user?.email).toBe(email)
    await follow(next.data.properties?.action_link ?? '')
    expect((await auth.admin.getUserById(id)).data.user?.email).toBe(newEmail)
  })
})

describe('auth.admin.mfa.listFactors', () => {
  test('is refused to non-admins', async () => {
    const { auth, user } = await world.signUp()
    const { data, error } = await auth.admin.mfa.listFactors({ userId: user.id })
    expect(error).toMatchObject({ code: 'not_admin' })
    expect(data).toBeNull()
  })

  test("lists a user's factors", async () => {
    const { auth, user } = await world.signUp()
    const enrolled = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' })
    const { data } = await admin.mfa.listFactors({ userId: user.id })
    expect(data?.factors).toMatchObject([
      { id: enrolled.data?.id, friendly_name: 'phone', factor_type: 'totp', status: 'unverified' },
    ])
  })
})

describe('auth.admin.mfa.deleteFactor', () => {
  test('is refused to non-admins, and for an unknown factor', async () => {
    const { auth, user } = await world.signUp()
    const refused = await auth.admin.mfa.deleteFactor({ id: NOBODYS_ID, userId: user.id })
    expect(refused.error).toMatchObject({ code: 'not_admin' })
    const { error } = await admin.mfa.deleteFactor({ id: NOBODYS_ID, userId: user.id })
    expect(error).toMatchObject({ status: 404, code: 'mfa_factor_not_found' })
  })

  test("deletes a user's factor", async () => {
    const { auth, user } = await world.signUp()
    const enrolled = await auth.mfa.enroll({ factorType: 'totp' })
    const id = enrolled.data?.id ?? ''
    const { data, error } = await admin.mfa.deleteFactor({ id, userId: user.id })
    expect(error).toBeNull()
    // The client puts the whole answer under `data`, unlike its own type.
    expect(data).toMatchObject({ data: { id } })
    expect((await admin.mfa.listFactors({ userId: user.id })).data?.factors).toEqual([])
  })
})

async function addPasskey(userId: string): Promise<string> {
  const id = randomUUID()
  await world.admin.execute(sql`
    insert into auth.webauthn_credentials (id, user_id, credential_id, public_key, friendly_name)
    values (${id}, ${userId}, ${Buffer.from(id)}, '\\x00', 'laptop')
  `)
  return id
}

describe('auth.admin.passkey.listPasskeys', () => {
  test('is refused to non-admins', async () => {
    const { auth, user } = await world.signUp()
    const { data, error } = await auth.admin.passkey.listPasskeys({ userId: user.id })
    expect(error).toMatchObject({ code: 'not_admin' })
    expect(data).toBeNull()
  })

  test("lists a user's passkeys", async () => {
    const { id: userId } = await createUser()
    const id = await addPasskey(userId)
    const { data } = await admin.passkey.listPasskeys({ userId })
    expect(data).toMatchObject([{ id, friendly_name: 'laptop' }])
  })
})

describe('auth.admin.passkey.deletePasskey', () => {
  test('is refused to non-admins, and for an unknown passkey', async () => {
    const { auth, user } = await world.signUp()
    const params = { userId: user.id, passkeyId: NOBODYS_ID }
    expect((await auth.admin.passkey.deletePasskey(params)).error).toMatchObject({ code: 'not_admin' })
    expect((await admin.passkey.deletePasskey(params)).error).toMatchObject({ status: 404 })
  })

  test("deletes a user's passkey", async () => {
    const { id: userId } = await createUser()
    const passkeyId = await addPasskey(userId)
    expect(await admin.passkey.deletePasskey({ userId, passkeyId })).toEqual({ data: null, error: null })
    expect((await admin.passkey.listPasskeys({ userId })).data).toEqual([])
  })
})
