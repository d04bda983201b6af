import { createHash, randomInt, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { countMessages, readCode, readMail, wrongCode } from '../mailbox.ts'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD, type SessionBody } from '../open-auth-world.ts'

const HALF = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'
const DAY_MS = 24 * 3600 * 1000

let world: AuthWorld
/** Changes are confirmed from both addresses. */
let double: AuthApp
let single: AuthApp
/** Addresses confirm themselves. */
let easy: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  const common = {
    siteUrl: 'https://app.example.org',
    emailEnableConfirmations: true,
    smsEnableSignup: true,
    smsEnableConfirmations: true,
    enableAnonymousSignIns: true,
  }
  double = await world.openApp(common)
  single = await world.openApp({ ...common, emailDoubleConfirmChanges: false })
  easy = await world.openApp({ ...common, emailEnableConfirmations: false, smsEnableConfirmations: false })
})

beforeEach(() => {
  world.nowMs += 60_000
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

const newEmail = () => `${randomUUID()}@example.org`
const newPhone = () => `1555${String(randomInt(10_000_000)).padStart(7, '0')}`
const put = (app: AuthApp, token: string | undefined, payload: object, query = '') =>
  app.call({ method: 'PUT', url: `/user${query}`, token, payload })
const verify = (app: AuthApp, payload: object) => app.call({ method: 'POST', url: '/verify', payload })
const open = (app: AuthApp, tokenHash: string) => app.call({ url: `/verify?type=email_change&token=${tokenHash}` })

/** A person with a confirmed address. */
async function member(email = newEmail()): Promise<SessionBody & { readonly email: string }> {
  return { ...(await easy.signUp(email)), email }
}

async function anonymous(app = double): Promise<SessionBody> {
  const { status, body } = await app.call({ method: 'POST', url: '/signup', payload: { data: { name: 'Nobody' } } })
  expect(status).toBe(200)
  return body as SessionBody
}

describe('a new address', () => {
  test('is waited for, and counts when both mails were answered, in any order', async () => {
    for (const first of ['old', 'new']) {
      const { email, access_token: token } = await member()
      const to = newEmail()
      expect(await put(double, token, { email: to }, '?redirect_to=https://app.example.org/account')).toMatchObject({
        status: 200,
        body: { email, new_email: to, email_change_sent_at: expect.any(String) },
      })
      const mails = { old: await readMail(world, email), new: await readMail(world, to) }
      expect(mails.new).toMatchObject({ kind: 'email_change', redirectTo: 'https://app.example.org/account' })
      expect(mails.old.tokenHash).not.toBe(mails.new.tokenHash)
      const [one, two] = first === 'old' ? [mails.old, mails.new] : [mails.new, mails.old]

      const half = await open(double, one.tokenHash)
      expect(half.status).toBe(303)
      const fragment = new URLSearchParams(new URL(String(half.headers['location'])).hash.slice(1))
      expect(Object.fromEntries(fragment)).toEqual({ message: HALF, sb: '' })
      expect(await easy.call({ url: '/user', token })).toMatchObject({ body: { email } })
      expect(await verify(double, { type: 'email_change', token_hash: one.tokenHash })).toMatchObject({ status: 403 })

      expect(await verify(double, { type: 'email_change', token_hash: two.tokenHash })).toMatchObject({
        status: 200,
        body: { user: { email: to, identities: [{ identity_data: { email: to, email_verified: true } }] } },
      })
      expect(await double.signIn(to, PASSWORD)).toMatchObject({ status: 200 })
    }
  })

  test('counts by the two codes as well', async () => {
    const { email, access_token: token } = await member()
    const to = newEmail()
    await put(double, token, { email: to })
    const old = await readMail(world, email)
    const fresh = await readMail(world, to)
    const by = (address: string, otp: string) => verify(double, { type: 'email_change', token: otp, email: address })
    expect(await by(email, wrongCode(old.token))).toMatchObject({ status: 403 })
    expect(await by(email, old.token)).toMatchObject({ status: 200, body: { msg: HALF, code: '200' } })
    expect(await by(to, fresh.token)).toMatchObject({ status: 200, body: { user: { email: to } } })
  })

  test('needs only its own mail where changes are confirmed once', async () => {
    const { email, access_token: token } = await member()
    const before = await countMessages(world, email)
    const to = newEmail()
    await put(single, token, { email: to })
    expect(await countMessages(world, email)).toBe(before)
    const { tokenHash } = await readMail(world, to)
    const answer = await open(single, tokenHash)
    expect(String(answer.headers['location'])).toContain('type=email_change')
    expect(await easy.call({ url: '/user', token })).toMatchObject({ body: { email: to } })
  })

  test('with PKCE ends in a code, and half of it in a message', async () => {
    const verifier = 'v'.repeat(50)
    const { email, access_token: token } = await member()
    const to = newEmail()
    const code_challenge = createHash('sha256').update(verifier).digest('base64url')
    await put(double, token, { email: to, code_challenge, code_challenge_method: 's256' })
    const half = new URL(String((await open(double, (await readMail(world, email)).tokenHash)).headers['location']))
    expect(half.searchParams.get('message')).toBe(HALF)
    const whole = new URL(String((await open(double, (await readMail(world, to)).tokenHash)).headers['location']))
    const payload = { auth_code: whole.searchParams.get('code'), code_verifier: verifier }
    const session = await double.call({ method: 'POST', url: '/token?grant_type=pkce', payload })
    expect(session).toMatchObject({ status: 200, body: { user: { email: to } } })
    expect(await double.auth.verifyToken(session.body.access_token ?? '')).toMatchObject({
      amr: [{ method: 'email_change' }],
    })
  })

  test('can be sent again, which ends what was sent before', async () => {
    const { email, access_token: token } = await member()
    const to = newEmail()
    await put(double, token, { email: to })
    const first = await readMail(world, to)
    expect(await put(double, token, { email: to })).toMatchObject({
      status: 429,
      body: { code: 'over_email_send_rate_limit' },
    })
    world.nowMs += 2_000
    await double.call({ method: 'POST', url: '/resend', payload: { type: 'email_change', email } })
    const second = await readMail(world, to)
    expect(second.tokenHash).not.toBe(first.tokenHash)
    expect(await verify(double, { type: 'email_change', token_hash: first.tokenHash })).toMatchObject({ status: 403 })
    expect(await verify(double, { type: 'email_change', token_hash: second.tokenHash })).toMatchObject({ status: 200 })
  })

  test('is refused when another user has it, also as a way to sign in, and when they got it meanwhile', async () => {
    const taken = await member()
    const { access_token: token, email } = await member()
    expect(await put(double, token, { email: taken.email })).toMatchObject({
      status: 422,
      body: { code: 'email_exists' },
    })
    const linked = newEmail()
    await world.db.pool.execute(sql`
      insert into auth.identities (provider_id, user_id, identity_data, provider)
      values (${randomUUID()}, ${taken.user.id}, ${JSON.stringify({ email: linked })}::jsonb, 'github')
    `)
    expect(await put(double, token, { email: linked })).toMatchObject({ status: 422, body: { code: 'email_exists' } })
    const to = newEmail()
    await put(single, token, { email: to })
    await member(to)
    const { tokenHash } = await readMail(world, to)
    expect(await verify(single, { type: 'email_change', token_hash: tokenHash })).toMatchObject({
      status: 422,
      body: { code: 'email_exists' },
    })
    expect(await easy.call({ url: '/user', token })).toMatchObject({ body: { email } })
  })

  test('is worth nothing after a new password, and is not sent again', async () => {
    const { access_token: token, email } = await member()
    const to = newEmail()
    await put(single, token, { email: to })
    const { body } = await put(single, token, { password: 'a better password' })
    expect(body).not.toHaveProperty('new_email')
    const { tokenHash } = await readMail(world, to)
    expect(await verify(single, { type: 'email_change', token_hash: tokenHash })).toMatchObject({ status: 403 })
    world.nowMs += 60_000
    const payload = { type: 'email_change', email }
    expect(await single.call({ method: 'POST', url: '/resend', payload })).toMatchObject({ status: 200 })
    expect(await countMessages(world, to)).toBe(1)
  })

  test('of an account that an organisation keeps is not for its owner to change', async () => {
    const { access_token: token, user } = await member()
    await world.db.pool.execute(sql`update auth.users set is_sso_user = true where id = ${user.id}`)
    for (const payload of [{ email: newEmail() }, { phone: newPhone() }, { password: 'a new one' }, { nonce: '1' }]) {
      expect(await put(double, token, payload)).toMatchObject({ status: 422, body: { code: 'user_sso_managed' } })
    }
  })
})

describe('a new number', () => {
  test('is worth nothing after a new password, and is not sent again', async () => {
    const phone = newPhone()
    const { body } = await easy.call({ method: 'POST', url: '/signup', payload: { phone, password: PASSWORD } })
    const to = newPhone()
    await put(double, body.access_token, { phone: to })
    await put(double, body.access_token, { password: 'a better password' })
    const token = await readCode(world, to)
    expect(await verify(double, { type: 'phone_change', phone: to, token })).toMatchObject({ status: 403 })
    world.nowMs += 60_000
    const payload = { type: 'phone_change', phone }
    expect(await double.call({ method: 'POST', url: '/resend', payload })).toMatchObject({ status: 200 })
    expect(await countMessages(world, to)).toBe(1)
  })

  test('counts when its code was answered', async () => {
    const { access_token: token } = await member()
    const phone = newPhone()
    expect(await put(double, token, { phone: `+${phone}` })).toMatchObject({
      status: 200,
      body: { phone: '', new_phone: phone },
    })
    const otp = await readCode(world, phone)
    expect(await verify(double, { type: 'sms', token: otp, phone })).toMatchObject({ status: 403 })
    expect(await verify(double, { type: 'phone_change', token: otp, phone })).toMatchObject({
      status: 200,
      body: { user: { phone, app_metadata: { provider: 'email', providers: ['email', 'phone'] } } },
    })
  })

  test('counts at once where numbers confirm themselves', async () => {
    const { access_token: token } = await member()
    const phone = newPhone()
    expect(await put(easy, token, { phone })).toMatchObject({
      status: 200,
      body: { phone, phone_confirmed_at: expect.any(String) },
    })
  })

  test('is refused in a wrong form, by another channel, and when another user has it', async () => {
    const other = await member()
    const phone = newPhone()
    await put(easy, other.access_token, { phone })
    const { access_token: token } = await member()
    expect(await put(double, token, { phone: 'nonsense' })).toMatchObject({ status: 400 })
    expect(await put(double, token, { phone: newPhone(), channel: 'whatsapp' })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('Invalid channel') },
    })
    expect(await put(double, token, { phone })).toMatchObject({ status: 422, body: { code: 'phone_exists' } })
  })
})

describe('an anonymous account', () => {
  test('is refused unless it is allowed, and when sign-up is off', async () => {
    const off = await world.openApp()
    expect(await off.call({ method: 'POST', url: '/signup', payload: {} })).toMatchObject({
      status: 422,
      body: { code: 'anonymous_provider_disabled', message: 'Anonymous sign-ins are disabled' },
    })
    const closed = await world.openApp({ enableAnonymousSignIns: true, enableSignup: false })
    expect(await closed.call({ method: 'POST', url: '/signup', payload: {} })).toMatchObject({
      status: 422,
      body: { code: 'signup_disabled' },
    })
    const few = await world.openApp({
      enableAnonymousSignIns: true,
      rateLimitAnonymousUsers: 1,
      rateLimitLoopbackExempt: false,
    })
    const ask = () => few.call({ method: 'POST', url: '/signup', payload: {} })
    expect((await ask()).status).toBe(200)
    expect(await ask()).toMatchObject({ status: 429, body: { code: 'over_request_rate_limit' } })
  })

  test('says in its tokens what it is, and has no way to sign in', async () => {
    const { access_token: token, refresh_token: refreshToken, user } = await anonymous()
    expect(user).toMatchObject({
      is_anonymous: true,
      email: '',
      identities: [],
      app_metadata: {},
      user_metadata: { name: 'Nobody' },
    })
    const claims = { is_anonymous: true, role: 'authenticated', amr: [{ method: 'anonymous' }] }
    expect(await double.auth.verifyToken(token)).toMatchObject(claims)
    expect(await double.auth.verifyToken((await double.refresh(refreshToken)).body.access_token ?? '')).toMatchObject(
      claims,
    )
    expect(await double.call({ url: '/reauthenticate', token })).toMatchObject({
      status: 400,
      body: { message: 'Reauthentication requires the user to have an email or a phone number' },
    })
  })

  test('becomes permanent by an address that is confirmed, and keeps what it has', async () => {
    const { access_token: token, user } = await anonymous()
    expect(await put(double, token, { password: 'a password first' })).toMatchObject({
      status: 422,
      body: {
        message: 'Updating password of an anonymous user without an email or phone is not allowed',
      },
    })
    const taken = await member()
    expect(await put(double, token, { email: taken.email })).toMatchObject({ body: { code: 'email_exists' } })
    const email = newEmail()
    expect(await put(double, token, { email })).toMatchObject({
      status: 200,
      body: { is_anonymous: true, new_email: email },
    })
    const { token: otp } = await readMail(world, email)
    const answer = await verify(double, { type: 'email_change', token: otp, email })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        user: {
          id: user.id,
          email,
          is_anonymous: false,
          email_confirmed_at: expect.any(String),
          user_metadata: { name: 'Nobody' },
          app_metadata: { provider: 'email', providers: ['email'] },
          identities: [{ provider: 'email' }],
        },
      },
    })
    expect(await double.auth.verifyToken(answer.body.access_token ?? '')).toMatchObject({ is_anonymous: false })
    expect(await put(double, answer.body.access_token, { password: PASSWORD })).toMatchObject({ status: 200 })
    expect(await double.signIn(email, PASSWORD)).toMatchObject({ status: 200 })
  })

  test('becomes permanent at once where addresses confirm themselves', async () => {
    const { access_token: token, user } = await anonymous(easy)
    const email = newEmail()
    expect(await put(easy, token, { email, password: PASSWORD })).toMatchObject({
      status: 200,
      body: { id: user.id, email, is_anonymous: false, identities: [{ provider: 'email' }] },
    })
    expect(await easy.signIn(email, PASSWORD)).toMatchObject({ status: 200 })
  })

  test('becomes permanent by a number', async () => {
    const { access_token: token, user } = await anonymous()
    const phone = newPhone()
    await put(double, token, { phone })
    const otp = await readCode(world, phone)
    expect(await verify(double, { type: 'phone_change', token: otp, phone })).toMatchObject({
      status: 200,
      body: { user: { id: user.id, phone, is_anonymous: false, app_metadata: { provider: 'phone' } } },
    })
  })
})

describe('a new password', () => {
  const ask = (app: AuthApp, token: string | undefined) => app.call({ url: '/reauthenticate', token })

  test('needs a code by mail when the sign-in is older than a day and that is set', async () => {
    const strict = await world.openApp({ emailSecurePasswordChange: true, jwtExpiry: 604_800 })
    const email = newEmail()
    const { access_token: token } = await strict.signUp(email)
    expect(await put(strict, token, { password: 'the first new one' })).toMatchObject({ status: 200 })
    world.nowMs += DAY_MS + 1
    const password = 'the second new one'
    expect(await put(strict, token, { password })).toMatchObject({
      status: 400,
      body: { code: 'reauthentication_needed', message: 'Password update requires reauthentication' },
    })
    expect(await put(strict, token, { password, nonce: '123456' })).toMatchObject({
      status: 422,
      body: { code: 'reauthentication_not_valid', message: 'Nonce has expired or is invalid' },
    })
    expect(await ask(strict, token)).toMatchObject({ status: 200, body: {} })
    const mail = await readMail(world, email)
    expect(mail.kind).toBe('reauthentication')
    expect(await put(strict, token, { password, nonce: wrongCode(mail.token) })).toMatchObject({ status: 422 })
    // Nothing else takes that code.
    expect(await verify(strict, { type: 'email', token: mail.token, email })).toMatchObject({ status: 403 })
    expect(await put(strict, token, { password, nonce: mail.token })).toMatchObject({ status: 200 })
    expect(await put(strict, token, { password: 'the third new one', nonce: mail.token })).toMatchObject({
      status: 422,
    })
    expect(await strict.signIn(email, password)).toMatchObject({ status: 200 })
  })

  test('needs a code that is young, of a user who is confirmed and signed in', async () => {
    const strict = await world.openApp({ emailSecurePasswordChange: true, jwtExpiry: 604_800, smsEnableSignup: true })
    expect(await ask(strict, undefined)).toMatchObject({ status: 401, body: { code: 'no_authorization' } })
    const email = newEmail()
    const { access_token: token, user } = await strict.signUp(email)
    world.nowMs += DAY_MS + 1
    await ask(strict, token)
    expect(await ask(strict, token)).toMatchObject({ status: 429, body: { code: 'over_email_send_rate_limit' } })
    const { token: nonce } = await readMail(world, email)
    world.nowMs += 3_600_001
    expect(await put(strict, token, { password: 'a new password', nonce })).toMatchObject({ status: 422 })
    await world.db.pool.execute(sql`update auth.users set email_confirmed_at = null where id = ${user.id}`)
    expect(await ask(strict, token)).toMatchObject({ status: 422, body: { code: 'email_not_confirmed' } })
  })

  test('of a user who has only a number is proven by it', async () => {
    const strict = await world.openApp({
      emailSecurePasswordChange: true,
      jwtExpiry: 604_800,
      smsEnableSignup: true,
      smsOtpExpiry: 600,
    })
    const phone = newPhone()
    const { body } = await strict.call({ method: 'POST', url: '/signup', payload: { phone, password: PASSWORD } })
    world.nowMs += DAY_MS + 1
    expect(await ask(strict, body.access_token)).toMatchObject({ status: 200 })
    const nonce = await readCode(world, phone)
    expect(await put(strict, body.access_token, { password: 'a new password', nonce })).toMatchObject({ status: 200 })
  })

  test('needs the old one where that is set, except after a mail', async () => {
    const strict = await world.openApp({ securityUpdatePasswordRequireCurrentPassword: true })
    const email = newEmail()
    const { access_token: token } = await strict.signUp(email)
    const change = (bearer: string | undefined, extra: object) =>
      put(strict, bearer, { password: 'a new password', ...extra })
    expect(await change(token, {})).toMatchObject({ status: 400, body: { code: 'current_password_required' } })
    expect(await change(token, { current_password: 'wrong' })).toMatchObject({
      status: 400,
      body: { code: 'current_password_invalid' },
    })
    expect(await change(token, { current_password: PASSWORD })).toMatchObject({ status: 200 })
    await strict.call({ method: 'POST', url: '/recover', payload: { email } })
    const { tokenHash } = await readMail(world, email)
    const { body } = await verify(strict, { type: 'recovery', token_hash: tokenHash })
    expect(await change(body.access_token, { password: 'another new one' })).toMatchObject({ status: 200 })
  })
})
