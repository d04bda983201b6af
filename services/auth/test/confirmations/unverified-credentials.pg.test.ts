import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { newAddress, openAdminApi } from '../call-as-admin.ts'
import { readCode, readMail } from '../mailbox.ts'
import { type AuthApp, type AuthWorld, openAuthWorld } from '../open-auth-world.ts'
import type { AuthOptions } from '../../src/options/auth-options.ts'
import { type OidcProvider, openOidcProvider } from '../open-oidc-provider.ts'
import { makeKnown, openRealClient, signInAt } from '../visit-provider.ts'

// An attacker makes an account with the address of another user, and waits for that user to come.

const ATTACKERS = 'password of the attacker'
const VICTIMS = 'password of the victim'

const UNLIMITED = { emailMaxFrequency: 0, rateLimitEmailSent: 10_000, rateLimitSmsSent: 10_000, smsMaxFrequency: 0 }

let world: AuthWorld
/** The same database twice: new addresses are confirmed at once, or by a message. */
let open: AuthApp
let strict: AuthApp
let provider: OidcProvider

/** An app whose clock goes on with every request, so that the newest message is known. */
async function openTicking(options: Partial<AuthOptions>): Promise<AuthApp> {
  const app = await world.openApp({ ...UNLIMITED, ...options })
  return {
    ...app,
    call: (request) => {
      world.nowMs += 1_000
      return app.call(request)
    },
  }
}

beforeAll(async () => {
  world = await openAuthWorld()
  open = await openTicking({ smsEnableSignup: true })
  strict = await openTicking({
    emailEnableConfirmations: true,
    smsEnableSignup: true,
    smsEnableConfirmations: true,
  })
  provider = await openOidcProvider()
  await makeKnown(open, provider)
})

beforeEach(() => {
  world.nowMs = Date.now()
})

afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

interface Attack {
  readonly email: string
  readonly userId: string
  readonly attacker: SupabaseClient
}

/** Signs up with the victim's address, and adds every other credential that there is. */
async function attack(app: AuthApp): Promise<Attack> {
  const email = newAddress()
  const attacker = await openRealClient(app, { flowType: 'implicit' })
  const { data, error } = await attacker.auth.signUp({ email, password: ATTACKERS })
  expect(error).toBeNull()
  const userId = data.user?.id ?? ''
  await world.db.pool.execute(sql`
    insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
    values (gen_random_uuid(), ${userId}, 'totp', 'verified', now(), now())
  `)
  await world.db.pool.execute(sql`
    insert into auth.webauthn_credentials (user_id, credential_id, public_key) values (${userId}, ${userId}::text::bytea, 'x')
  `)
  await world.db.pool.execute(sql`
    insert into auth.identities (provider_id, user_id, identity_data, provider) values (${userId}, ${userId}, '{}', 'github')
  `)
  await world.db.pool.execute(sql`
    insert into auth.flow_state (id, user_id, auth_code, code_challenge, code_challenge_method, provider_type, authentication_method, created_at)
    values (gen_random_uuid(), ${userId}, ${crypto.randomUUID()}, 'x', 'plain', 'email', 'magiclink', now() - interval '1 minute')
  `)
  await world.db.pool.execute(sql`
    update auth.users set phone = ${String(BigInt(`0x${userId.slice(0, 8)}`))}, phone_confirmed_at = now(),
           email_change = ${newAddress()}
     where id = ${userId}
  `)
  return { email, userId, attacker }
}

type Proof = (app: AuthApp, email: string) => Promise<string | undefined>

/** @returns whose account the link in the newest mail opens */
async function openLink(app: AuthApp, email: string, type: 'email' | 'recovery' | 'signup' | 'invite') {
  const client = await openRealClient(app, { flowType: 'implicit' })
  const { tokenHash, kind } = await readMail(world, email)
  const asked = kind === 'magic_link' ? 'magiclink' : type
  const { data, error } = await client.auth.verifyOtp({ token_hash: tokenHash, type: asked })
  expect(error).toBeNull()
  return data.user?.id
}

const proofs: Readonly<Record<string, Proof>> = {
  'the link of a mail to sign in': async (app, email) => {
    const client = await openRealClient(app, { flowType: 'implicit' })
    expect((await client.auth.signInWithOtp({ email })).error).toBeNull()
    return openLink(app, email, 'email')
  },
  'the code of a mail to sign in': async (app, email) => {
    const client = await openRealClient(app, { flowType: 'implicit' })
    expect((await client.auth.signInWithOtp({ email })).error).toBeNull()
    const { token } = await readMail(world, email)
    const { data, error } = await client.auth.verifyOtp({ email, token, type: 'email' })
    expect(error).toBeNull()
    return data.user?.id
  },
  'the link of a mail to sign in, with PKCE': async (app, email) => {
    const client = await openRealClient(app)
    expect((await client.auth.signInWithOtp({ email })).error).toBeNull()
    const { tokenHash, kind } = await readMail(world, email)
    const type = kind === 'magic_link' ? 'magiclink' : 'signup'
    const { headers } = await app.call({ url: `/verify?type=${type}&token=${tokenHash}` })
    const code = new URL(String(headers['location'])).searchParams.get('code') ?? ''
    const { data, error } = await client.auth.exchangeCodeForSession(code)
    expect(error).toBeNull()
    return data.user?.id
  },
  'a mail for a forgotten password': async (app, email) => {
    const client = await openRealClient(app, { flowType: 'implicit' })
    expect((await client.auth.resetPasswordForEmail(email)).error).toBeNull()
    return openLink(app, email, 'recovery')
  },
  'a provider that vouches for the address': async (app, email) => {
    const login = crypto.randomUUID().slice(0, 8)
    provider.people.set(login, { email, email_verified: true })
    const { fragment } = await signInAt(app, provider, login)
    const { body } = await app.call({ url: '/user', token: fragment['access_token'] })
    return (body as { id?: string }).id
  },
}

const strictProofs: Readonly<Record<string, Proof>> = {
  ...proofs,
  'an invitation': async (app, email) => {
    const admin = await openAdminApi(app)
    expect((await admin.call('POST', '/invite', { email })).status).toBe(200)
    return openLink(app, email, 'invite')
  },
  "the mail of the victim's own sign-up": async (app, email) => {
    const client = await openRealClient(app, { flowType: 'implicit' })
    expect((await client.auth.signUp({ email, password: VICTIMS })).error).toBeNull()
    return openLink(app, email, 'signup')
  },
  "the mail that the attacker had sent after the victim's sign-up": async (app, email) => {
    const client = await openRealClient(app, { flowType: 'implicit' })
    expect((await client.auth.signUp({ email, password: VICTIMS })).error).toBeNull()
    expect((await client.auth.signUp({ email, password: ATTACKERS })).error).toBeNull()
    expect((await client.auth.resend({ email, type: 'signup' })).error).toBeNull()
    return openLink(app, email, 'signup')
  },
}

async function expectNothingLeft(app: AuthApp, { email, userId, attacker }: Attack): Promise<void> {
  expect((await attacker.auth.signInWithPassword({ email, password: ATTACKERS })).error?.code).toBe(
    'invalid_credentials',
  )
  const [left] = await world.db.pool.query(sql`
    select (select count(*)::int from auth.sessions where user_id = ${userId}) as sessions,
           (select count(*)::int from auth.mfa_factors where user_id = ${userId}) as factors,
           (select count(*)::int from auth.webauthn_credentials where user_id = ${userId}) as passkeys,
           (select count(*)::int from auth.flow_state where user_id = ${userId}) as flows,
           (select count(*)::int from auth.identities where user_id = ${userId} and provider = 'github') as identities,
           users.phone, users.email_change, users.encrypted_password as password, email_confirmed_at is not null as confirmed
      from auth.users as users where id = ${userId}
  `)
  expect(left).toEqual({
    // Of the victim.
    sessions: 1,
    factors: 0,
    passkeys: 0,
    flows: 0,
    identities: 0,
    phone: null,
    email_change: '',
    password: '',
    confirmed: true,
  })
  const { data } = await attacker.auth.getSession()
  if (data.session) expect((await app.refresh(data.session.refresh_token)).status).toBe(400)
}

describe('where addresses are confirmed, the credentials of an account made beforehand end with', () => {
  test.each(Object.entries(strictProofs))('%s', async (_, prove) => {
    const attacked = await attack(strict)
    expect(await prove(strict, attacked.email)).toBe(attacked.userId)
    await expectNothingLeft(strict, attacked)
  })
})

describe('where addresses confirm themselves, the credentials of an account made beforehand end with', () => {
  test.each(Object.entries(proofs))('%s', async (_, prove) => {
    const attacked = await attack(open)
    expect(await prove(open, attacked.email)).toBe(attacked.userId)
    await expectNothingLeft(open, attacked)
  })
})

test('a code by text message ends the password that was set for the number beforehand', async () => {
  for (const app of [strict, open]) {
    const phone = `1555${String(Math.random()).slice(2, 9)}`
    const attacker = await openRealClient(app)
    await attacker.auth.signUp({ phone, password: ATTACKERS })
    const victim = await openRealClient(app)
    expect((await victim.auth.signInWithOtp({ phone })).error).toBeNull()
    const token = await readCode(world, phone)
    expect((await victim.auth.verifyOtp({ phone, token, type: 'sms' })).error).toBeNull()
    expect((await attacker.auth.signInWithPassword({ phone, password: ATTACKERS })).error?.code).toBe(
      'invalid_credentials',
    )
    expect((await victim.auth.getUser()).error).toBeNull()
  }
})

describe('a password stays with', () => {
  const password = VICTIMS

  test('the mail of the sign-up that set it, also when that was sent again', async () => {
    const email = newAddress()
    const client = await openRealClient(strict, { flowType: 'implicit' })
    await client.auth.signUp({ email, password })
    await client.auth.signUp({ email, password })
    await client.auth.resend({ email, type: 'signup' })
    await openLink(strict, email, 'signup')
    expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull()
  })

  test('every later mail, once the address is proven', async () => {
    const email = newAddress()
    const client = await openRealClient(open, { flowType: 'implicit' })
    await client.auth.signUp({ email, password })
    await proofs['a mail for a forgotten password']?.(open, email)
    await client.auth.signInWithOtp({ email })
    const { tokenHash } = await readMail(world, email)
    expect((await client.auth.verifyOtp({ token_hash: tokenHash, type: 'magiclink' })).error).toBeNull()
    expect((await client.auth.updateUser({ password: 'another password' })).error).toBeNull()
    await proofs['the code of a mail to sign in']?.(open, email)
    expect((await client.auth.signInWithPassword({ email, password: 'another password' })).error).toBeNull()
  })

  test('a confirmation by an administrator', async () => {
    const admin = await openAdminApi(open)
    const { email } = await admin.createAccount({ password })
    await proofs['the link of a mail to sign in']?.(open, email)
    const client = await openRealClient(open)
    expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull()

    const other = newAddress()
    const { data } = await client.auth.signUp({ email: other, password })
    await admin.call('PUT', `/admin/users/${data.user?.id ?? ''}`, { email_confirm: true })
    await proofs['the link of a mail to sign in']?.(open, other)
    expect((await client.auth.signInWithPassword({ email: other, password })).error).toBeNull()
  })

  test('a change of address by its user', async () => {
    const [email, next] = [newAddress(), newAddress()]
    const single = await openTicking({ emailDoubleConfirmChanges: false })
    const client = await openRealClient(single, { flowType: 'implicit' })
    await client.auth.signUp({ email, password })
    await client.auth.updateUser({ email: next })
    const { tokenHash } = await readMail(world, next)
    expect((await client.auth.verifyOtp({ token_hash: tokenHash, type: 'email_change' })).error).toBeNull()
    await proofs['the link of a mail to sign in']?.(single, next)
    expect((await client.auth.signInWithPassword({ email: next, password })).error).toBeNull()
  })
})
