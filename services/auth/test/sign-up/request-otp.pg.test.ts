import { randomInt, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { countMessages, readCode, readMail, wrongCode } from '../mailbox.ts'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'

let world: AuthWorld
/** Addresses and numbers have to be confirmed. */
let app: AuthApp
/** They confirm themselves. */
let easy: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  const common = { smsEnableSignup: true, siteUrl: 'https://app.example.org', smsTestOtp: ['15550000001=424242'] }
  app = await world.openApp({ ...common, emailEnableConfirmations: true, smsEnableConfirmations: true })
  easy = await world.openApp(common)
})

beforeEach(() => {
  world.nowMs += 60_000
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

const newEmail = () => `${randomUUID()}@example.org`
const newPhone = () => `1555${String(randomInt(10_000_000)).padStart(7, '0')}`
const callOf = (on: AuthApp) => (url: string, payload: object) => on.call({ method: 'POST', url, payload })
const post = (url: string, payload: object) => callOf(app)(url, payload)

async function confirmed(email = newEmail()): Promise<string> {
  await post('/otp', { email })
  const { token } = await readMail(world, email)
  expect(await post('/verify', { type: 'email', token, email })).toMatchObject({ status: 200 })
  world.nowMs += 2_000
  return email
}

describe('a code to sign in with', () => {
  test.each([
    ['/otp', {}, 400, 'One of email or phone must be set'],
    ['/otp', { email: 'a@b.org', phone: '+15550100' }, 400, 'Only an email address or phone number should be provided'],
    ['/otp', { email: 'a@b.org', channel: 'sms' }, 400, 'Channel should only be specified with Phone OTP'],
    ['/otp', { email: 'nonsense' }, 400, 'Unable to validate email address: invalid format'],
    ['/otp', { phone: 'nonsense' }, 400, 'Invalid phone number format (E.164 required)'],
    [
      '/otp',
      { phone: '+15550100', channel: 'whatsapp' },
      400,
      "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
    ],
    ['/magiclink', {}, 422, 'Password recovery requires an email'],
  ])('%s %j is refused', async (url, payload, status, message) => {
    expect(await post(url, payload)).toMatchObject({ status, body: { code: 'validation_failed', message } })
  })

  test('makes no account when none is wanted', async () => {
    const disabled = { status: 422, body: { code: 'otp_disabled', message: 'Signups not allowed for otp' } }
    expect(await post('/otp', { email: newEmail(), create_user: false })).toMatchObject(disabled)
    expect(await post('/otp', { phone: newPhone(), create_user: false })).toMatchObject(disabled)
    const email = await confirmed()
    expect(await post('/otp', { email, create_user: false })).toMatchObject({ status: 200, body: {} })
    expect(await readMail(world, email)).toMatchObject({ kind: 'magic_link' })
  })

  test('makes none where sign-up is off', async () => {
    const closed = await world.openApp({ enableSignup: false, smsEnableSignup: true })
    const refused = { status: 422, body: { code: 'signup_disabled' } }
    expect(await callOf(closed)('/otp', { email: newEmail() })).toMatchObject(refused)
    expect(await callOf(closed)('/otp', { phone: newPhone() })).toMatchObject(refused)
    expect(await callOf(closed)('/otp', { email: await confirmed() })).toMatchObject({ status: 200 })
  })

  test('is refused where its channel is off', async () => {
    const off = await world.openApp({ emailEnableSignup: false })
    expect(await callOf(off)('/otp', { email: newEmail() })).toMatchObject({
      status: 422,
      body: { code: 'email_provider_disabled', message: 'Email logins are disabled' },
    })
    expect(await callOf(off)('/signup', { email: newEmail(), password: PASSWORD })).toMatchObject({
      status: 400,
      body: { code: 'email_provider_disabled', message: 'Email signups are disabled' },
    })
    expect(await callOf(off)('/otp', { phone: newPhone() })).toMatchObject({
      status: 400,
      body: { code: 'phone_provider_disabled', message: 'Unsupported phone provider' },
    })
    expect(await callOf(off)('/resend', { type: 'sms', phone: newPhone() })).toMatchObject({
      status: 400,
      body: { code: 'phone_provider_disabled', message: 'Phone logins are disabled' },
    })
  })

  test('leads back to where the app wants, by any of its names', async () => {
    for (const url of ['/otp', '/magiclink', '/recover']) {
      const email = await confirmed()
      await post(`${url}?redirect_to=${encodeURIComponent('https://app.example.org/in')}`, { email })
      expect((await readMail(world, email)).redirectTo).toBe('https://app.example.org/in')
      world.nowMs += 2_000
      await post(`${url}?redirect_to=${encodeURIComponent('https://evil.example.com')}`, { email })
      expect((await readMail(world, email)).redirectTo).toBe('https://app.example.org')
    }
  })

  test('where addresses confirm themselves, comes in a mail to sign in', async () => {
    const email = newEmail()
    expect(await callOf(easy)('/otp', { email, data: { name: 'Ada' } })).toMatchObject({ status: 200, body: {} })
    const { kind, tokenHash } = await readMail(world, email)
    expect(kind).toBe('magic_link')
    expect(await callOf(easy)('/verify', { type: 'magiclink', token_hash: tokenHash })).toMatchObject({
      status: 200,
      body: { user: { email, user_metadata: { name: 'Ada' }, app_metadata: { provider: 'email' } } },
    })
    // There is no password to sign in with.
    expect(await easy.signIn(email, '')).toMatchObject({ status: 400, body: { code: 'invalid_credentials' } })
  })

  test('comes once in as many seconds as is set, for known and unknown addresses alike', async () => {
    const slow = callOf(await world.openApp({ emailEnableConfirmations: true, emailMaxFrequency: 60 }))
    for (const email of [newEmail(), await confirmed()]) {
      for (const [url, payload] of [
        ['/otp', { email }],
        ['/recover', { email }],
      ] as const) {
        world.nowMs += 60_000
        expect(await slow(url, payload)).toMatchObject({ status: 200 })
        world.nowMs += 20_500
        expect(await slow(url, payload)).toMatchObject({
          status: 429,
          headers: { 'retry-after': '40' },
          body: {
            code: 'over_email_send_rate_limit',
            message: 'For security purposes, you can only request this after 40 seconds.',
          },
        })
      }
    }
    world.nowMs += 60_000
    const unknown = newEmail()
    expect(await slow('/recover', { email: unknown })).toMatchObject({ status: 200 })
    expect(await slow('/recover', { email: unknown })).toMatchObject({ status: 429 })
  })

  test('is limited for each address of clients', async () => {
    const strict = callOf(
      await world.openApp({
        rateLimitEmailSent: 1,
        rateLimitSmsSent: 1,
        smsEnableSignup: true,
        rateLimitLoopbackExempt: false,
      }),
    )
    expect(await strict('/recover', { email: newEmail() })).toMatchObject({ status: 200 })
    expect(await strict('/recover', { email: newEmail() })).toMatchObject({
      status: 429,
      body: { code: 'over_email_send_rate_limit', message: 'email rate limit exceeded' },
    })
    expect(await strict('/otp', { phone: newPhone() })).toMatchObject({ status: 200 })
    expect(await strict('/otp', { phone: newPhone() })).toMatchObject({
      status: 429,
      body: { code: 'over_sms_send_rate_limit' },
    })
  })
})

describe('a phone', () => {
  test('signs up with a password, is confirmed by a code, and then signs in', async () => {
    const phone = newPhone()
    const waiting = await post('/signup', { phone: `+${phone}`, password: PASSWORD })
    expect(waiting).toMatchObject({ status: 200, body: { phone, identities: [{ provider: 'phone' }] } })
    expect(waiting.body).not.toHaveProperty('access_token')
    const signIn = () => post('/token?grant_type=password', { phone, password: PASSWORD })
    expect(await signIn()).toMatchObject({ status: 400, body: { code: 'phone_not_confirmed' } })
    const token = await readCode(world, phone)
    expect(token).toMatch(/^\d{6}$/)
    expect(await post('/verify', { type: 'sms', token: wrongCode(token), phone })).toMatchObject({ status: 403 })
    expect(await post('/verify', { type: 'sms', token, phone: `+${phone}` })).toMatchObject({
      status: 200,
      body: { user: { phone, phone_confirmed_at: expect.any(String), app_metadata: { providers: ['phone'] } } },
    })
    expect(await signIn()).toMatchObject({ status: 200 })
  })

  test('signs up and in with codes alone, each used once and good for a minute', async () => {
    const phone = newPhone()
    for (let round = 0; round < 2; round++) {
      world.nowMs += 10_000
      expect(await post('/otp', { phone, channel: 'sms' })).toEqual(expect.objectContaining({ status: 200, body: {} }))
      const token = await readCode(world, phone)
      const verify = () => post('/verify', { type: 'sms', token, phone })
      expect(await verify()).toMatchObject({ status: 200, body: { user: { phone } } })
      expect(await verify()).toMatchObject({ status: 403, body: { code: 'otp_expired' } })
    }
    world.nowMs += 10_000
    await post('/otp', { phone })
    world.nowMs += 60_001
    const late = { type: 'sms', token: await readCode(world, phone), phone }
    expect(await post('/verify', late)).toMatchObject({ status: 403, body: { code: 'otp_expired' } })
  })

  test('that confirms itself gets a code to sign in', async () => {
    const phone = newPhone()
    expect(await callOf(easy)('/otp', { phone })).toMatchObject({ status: 200 })
    const token = await readCode(world, phone)
    expect(await callOf(easy)('/verify', { type: 'sms', token, phone })).toMatchObject({ status: 200 })
  })

  test('for tests has its fixed code, and gets no message', async () => {
    const phone = '15550000001'
    expect(await post('/otp', { phone })).toMatchObject({ status: 200 })
    expect(await countMessages(world, phone)).toBe(0)
    expect(await post('/verify', { type: 'sms', token: '424243', phone })).toMatchObject({ status: 403 })
    expect(await post('/verify', { type: 'sms', token: '424242', phone })).toMatchObject({ status: 200 })
    world.nowMs += 10_000
    expect(await post('/otp', { phone })).toMatchObject({ status: 200, body: { message_id: 'test-otp' } })
  })

  test('cannot be used with PKCE, and says so', async () => {
    const payload = {
      phone: newPhone(),
      password: PASSWORD,
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'plain',
    }
    expect(await post('/signup', payload)).toMatchObject({
      status: 400,
      body: { message: 'PKCE not supported for phone signups' },
    })
  })

  test('gets a message once in as many seconds as is set', async () => {
    const phone = newPhone()
    await post('/otp', { phone })
    expect(await post('/otp', { phone })).toMatchObject({
      status: 429,
      body: { code: 'over_sms_send_rate_limit', message: expect.stringContaining('after 5 seconds') },
    })
  })
})

describe('sending again', () => {
  test.each([
    [{}, 'Missing one of these types: signup, email_change, sms, phone_change'],
    [{ type: 'recovery', email: 'a@b.org' }, 'Missing one of these types: signup, email_change, sms, phone_change'],
    [{ type: 'signup' }, 'Type provided requires an email address'],
    [{ type: 'sms', email: 'a@b.org' }, 'Type provided requires a phone number'],
    [{ type: 'email_change' }, 'Missing email address or phone number'],
    [
      { type: 'signup', email: 'a@b.org', phone: '+15550100' },
      'Only an email address or phone number should be provided.',
    ],
    [
      { type: 'signup', email: 'a@b.org', code_challenge: 'x' },
      'PKCE flow requires code_challenge_method and code_challenge',
    ],
  ])('%j is refused', async (payload, message) => {
    expect(await post('/resend', payload)).toMatchObject({ status: 400, body: { code: 'validation_failed', message } })
  })

  test('brings a sign-up its mail with a new link, and ends the old one', async () => {
    const email = newEmail()
    await post('/signup', { email, password: PASSWORD })
    const first = await readMail(world, email)
    world.nowMs += 2_000
    expect(await post('/resend', { type: 'signup', email })).toMatchObject({ status: 200, body: {} })
    const second = await readMail(world, email)
    expect(second.kind).toBe('confirmation')
    expect(await post('/verify', { type: 'signup', token_hash: first.tokenHash })).toMatchObject({ status: 403 })
    expect(await post('/verify', { type: 'signup', token_hash: second.tokenHash })).toMatchObject({ status: 200 })
    world.nowMs += 2_000
    const before = await countMessages(world, email)
    expect(await post('/resend', { type: 'signup', email })).toMatchObject({ status: 200, body: {} })
    expect(await countMessages(world, email)).toBe(before)
  })

  test('brings a number its code, and answers alike when no user waits', async () => {
    const phone = newPhone()
    await post('/signup', { phone, password: PASSWORD })
    world.nowMs += 10_000
    expect(await post('/resend', { type: 'sms', phone })).toMatchObject({ status: 200, body: {} })
    const token = await readCode(world, phone)
    expect(await post('/verify', { type: 'sms', token, phone })).toMatchObject({ status: 200 })
    for (const payload of [
      { type: 'sms', phone: newPhone() },
      { type: 'phone_change', phone },
      { type: 'signup', email: newEmail() },
      { type: 'email_change', email: newEmail() },
    ]) {
      world.nowMs += 10_000
      expect(await post('/resend', payload)).toMatchObject({ status: 200, body: {} })
    }
    expect(await countMessages(world, phone)).toBe(2)
  })
})

test('signing up again brings an unconfirmed address its mail, changes nothing of the account, and tells nothing', async () => {
  const email = newEmail()
  await post('/signup', { email, password: PASSWORD, data: { name: 'first' } })
  world.nowMs += 2_000
  const again = await post('/signup', { email, password: 'another password', data: { name: 'second' } })
  expect(again).toMatchObject({ status: 200, body: { email, user_metadata: { name: 'second' } } })
  expect(await countMessages(world, email)).toBe(2)
  const { tokenHash } = await readMail(world, email)
  expect(await post('/verify', { type: 'signup', token_hash: tokenHash })).toMatchObject({
    body: { user: { user_metadata: { name: 'first' } } },
  })
  expect(await app.signIn(email, 'another password')).toMatchObject({ body: { code: 'invalid_credentials' } })
  world.nowMs += 2_000
  const known = await post('/signup', { email, password: PASSWORD, data: { name: 'third' } })
  expect(known.status).toBe(200)
  expect(Object.keys(known.body)).toEqual(Object.keys(again.body))
  expect(await countMessages(world, email)).toBe(2)
  const ids = await world.db.pool.query<{ id: string }>(sql`select id from auth.users where email = ${email}`)
  expect(JSON.stringify(known.body)).not.toContain(ids[0]?.id)
})
