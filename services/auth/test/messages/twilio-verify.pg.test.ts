import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'
import { type HttpListener, type ListenerAnswer, openHttpListener } from '../open-http-listener.ts'
import { openRealClient } from '../visit-provider.ts'
import type { AuthOptions } from '../../src/options/auth-options.ts'

// Twilio Verify is asked what GoTrue asks it (internal/api/sms_provider/twilio_verify.go), and its word about a code counts.

const SERVICE = 'VA0123456789abcdef0123456789abcdef'

let world: AuthWorld
let twilio: HttpListener
/** The code that each number was sent, until it is used. */
let codes: Map<string, string>
/** What Twilio says to everything, when it is not itself. */
let odd: ListenerAnswer | undefined

beforeAll(async () => {
  world = await openAuthWorld()
  twilio = await openHttpListener(({ path, body }) => {
    const { To: to = '', Code: code } = Object.fromEntries(new URLSearchParams(body))
    if (odd) return odd
    if (path.endsWith('/Verifications')) {
      codes.set(to, String(randomInt(1_000_000)).padStart(6, '0'))
      return { status: 201, body: { sid: 'VE1', to, status: 'pending', valid: false } }
    }
    const expected = codes.get(to)
    if (expected === undefined) return { status: 404, body: { code: 20404, message: 'not found' } }
    if (code !== expected) return { status: 200, body: { to, status: 'pending', valid: false } }
    codes.delete(to)
    return { status: 200, body: { to, status: 'approved', valid: true } }
  })
})
beforeEach(() => {
  world.nowMs = Date.now()
  codes = new Map()
  odd = undefined
})
afterAll(async () => {
  await twilio[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const newPhone = (): string => `1555${String(randomInt(10_000_000)).padStart(7, '0')}`

function openApp(options: Partial<AuthOptions> = {}): Promise<AuthApp> {
  return world.openApp({
    smsEnableSignup: true,
    smsEnableConfirmations: true,
    smsMaxFrequency: 0,
    smsOtpExpiry: 600,
    mfaPhoneEnrollEnabled: true,
    mfaPhoneVerifyEnabled: true,
    mfaPhoneMaxFrequency: 0,
    smsTwilioVerifyUrl: twilio.url,
    smsTwilioVerifyAccountSid: 'AC123',
    smsTwilioVerifyAuthToken: 'secret',
    smsTwilioVerifyMessageServiceSid: SERVICE,
    ...options,
  })
}

/** The code that Twilio has sent to a number, once it has. */
async function codeTo(phone: string): Promise<string> {
  await expect.poll(() => codes.get(`+${phone}`)).toBeDefined()
  return codes.get(`+${phone}`) ?? ''
}

const requestsTo = (phone: string) =>
  twilio.requests
    .map(({ method, path, headers, body }) => {
      const form: Record<string, string> = Object.fromEntries(new URLSearchParams(body))
      return { method, path, authorization: headers.authorization, form }
    })
    .filter(({ form }) => form['To'] === `+${phone}`)

describe('a code of Twilio Verify', () => {
  test.each(['sms', 'whatsapp'] as const)('over %s signs in, once', async (channel) => {
    await using app = await openApp()
    const client = await openRealClient(app)
    const phone = newPhone()
    expect((await client.auth.signInWithOtp({ phone, options: { channel } })).error).toBeNull()
    const token = await codeTo(phone)
    const { data, error } = await client.auth.verifyOtp({ phone, token, type: 'sms' })
    expect(error).toBeNull()
    expect(data.user?.phone).toBe(phone)
    const common = { method: 'POST', authorization: `Basic ${btoa('AC123:secret')}` }
    expect(requestsTo(phone)).toEqual([
      { ...common, path: `/v2/Services/${SERVICE}/Verifications`, form: { To: `+${phone}`, Channel: channel } },
      { ...common, path: `/v2/Services/${SERVICE}/VerificationCheck`, form: { To: `+${phone}`, Code: token } },
    ])
    expect((await client.auth.verifyOtp({ phone, token, type: 'sms' })).error).toMatchObject({ code: 'otp_expired' })
  })

  test('that is wrong, or for nothing that was asked here, or too old, is none', async () => {
    await using app = await openApp()
    const client = await openRealClient(app)
    const [phone, other] = [newPhone(), newPhone()]
    await client.auth.signInWithOtp({ phone })
    const token = await codeTo(phone)
    const wrong = token === '000000' ? '000001' : '000000'
    const refusal = { code: 'otp_expired', status: 403 }
    expect((await client.auth.verifyOtp({ phone, token: wrong, type: 'sms' })).error).toMatchObject(refusal)
    codes.set(`+${other}`, '123456')
    expect((await client.auth.verifyOtp({ phone: other, token: '123456', type: 'sms' })).error).toMatchObject(refusal)
    world.nowMs += 601_000
    expect((await client.auth.verifyOtp({ phone, token, type: 'sms' })).error).toMatchObject(refusal)
  })

  test.each([
    ['is away', { status: 503, body: {} }],
    ['does not know the account', { status: 401, body: { code: 20003, message: 'Authenticate' } }],
    ['says what cannot be read', { status: 200, body: '{"status":"appr' }],
  ])('cannot be checked while Twilio %s, and counts afterwards', async (_, answer) => {
    await using app = await openApp()
    const client = await openRealClient(app)
    const phone = newPhone()
    await client.auth.signInWithOtp({ phone })
    const token = await codeTo(phone)
    odd = answer
    const verify = () => app.call({ method: 'POST', url: '/verify', payload: { type: 'sms', phone, token } })
    expect((await verify()).status).toBe(500)
    odd = undefined
    expect((await verify()).status).toBe(200)
  })

  test('confirms a new number and raises a session', async () => {
    await using app = await openApp()
    const client = await openRealClient(app)
    const [first, second] = [newPhone(), newPhone()]
    await client.auth.signUp({ phone: first, password: PASSWORD, options: { channel: 'whatsapp' } })
    expect((await client.auth.verifyOtp({ phone: first, token: await codeTo(first), type: 'sms' })).error).toBeNull()
    await client.auth.updateUser({ phone: second })
    const changed = await client.auth.verifyOtp({ phone: second, token: await codeTo(second), type: 'phone_change' })
    expect([changed.error, changed.data.user?.phone]).toEqual([null, second])

    const factor = await client.auth.mfa.enroll({ factorType: 'phone', phone: second })
    const factorId = factor.data?.id ?? ''
    const challenge = await client.auth.mfa.challenge({ factorId, channel: 'whatsapp' })
    const challengeId = challenge.data?.id ?? ''
    const code = await codeTo(second)
    const wrong = code === '000000' ? '000001' : '000000'
    expect((await client.auth.mfa.verify({ factorId, challengeId, code: wrong })).error).not.toBeNull()
    expect((await client.auth.mfa.verify({ factorId, challengeId, code })).error).toBeNull()
    expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data?.currentLevel).toBe('aal2')
  })

  test('is not asked for about a number for tests', async () => {
    const phone = newPhone()
    await using app = await openApp({ smsTestOtp: [`${phone}=424242`] })
    const client = await openRealClient(app)
    await client.auth.signInWithOtp({ phone })
    expect((await client.auth.verifyOtp({ phone, token: '424242', type: 'sms' })).error).toBeNull()
    expect(requestsTo(phone)).toEqual([])
  })
})

test('a part of the account, or two accounts, are refused at the start', async () => {
  await expect(openApp({ smsTwilioVerifyAuthToken: '' })).rejects.toMatchObject({ code: 'option_invalid' })
  await expect(openApp({ smsTwilioVerifyMessageServiceSid: '' })).rejects.toMatchObject({ code: 'option_invalid' })
  await expect(openApp({ smsTwilioAccountSid: 'AC1' })).rejects.toMatchObject({ code: 'option_invalid' })
})
