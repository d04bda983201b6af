import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'
import { type HttpListener, openHttpListener } from '../open-http-listener.ts'
import { openRealClient } from '../visit-provider.ts'
import type { AuthOptions } from '../../src/options/auth-options.ts'

// What Twilio is asked is what GoTrue asks it, field by field: internal/api/sms_provider/twilio.go.

const UNSUPPORTED =
  "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider."

const CONTENT = 'HX0123456789abcdef0123456789abcdef'

let world: AuthWorld
let twilio: HttpListener

beforeAll(async () => {
  world = await openAuthWorld()
  twilio = await openHttpListener(() => ({ status: 201, body: { sid: 'SM1', status: 'queued' } }))
})
beforeEach(() => {
  world.nowMs = Date.now()
})
afterAll(async () => {
  await twilio[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const newPhone = (): string => `1555${String(randomInt(10_000_000)).padStart(7, '0')}`

/** One at a time: all services on a database send its queued messages. */
function openApp(options: Partial<AuthOptions> = {}): Promise<AuthApp> {
  return world.openApp({
    smsEnableSignup: true,
    smsEnableConfirmations: true,
    smsMaxFrequency: 0,
    mfaPhoneEnrollEnabled: true,
    mfaPhoneVerifyEnabled: true,
    smsTwilioUrl: twilio.url,
    smsTwilioAccountSid: 'AC123',
    smsTwilioAuthToken: 'secret',
    smsTwilioMessageServiceSid: '+15005550006',
    ...options,
  })
}

/** What Twilio is asked about a number, once it is. */
async function formTo(phone: string): Promise<Record<string, string>> {
  const find = (): Record<string, string> | undefined =>
    twilio.requests
      .map(({ body }) => Object.fromEntries(new URLSearchParams(body)))
      .findLast(({ To: to }) => to?.endsWith(`+${phone}`))
  await expect.poll(find).toBeDefined()
  return find() ?? {}
}

describe('a code goes over WhatsApp', () => {
  test.each([
    ['+15005550006', 'whatsapp:+15005550006'],
    ['15005550006', 'whatsapp:15005550006'],
    ['MG0123456789abcdef0123456789abcdef', 'MG0123456789abcdef0123456789abcdef'],
  ])('from %s, in the approved template, and signs in', async (sender, from) => {
    await using app = await openApp({ smsTwilioMessageServiceSid: sender, smsTwilioContentSid: CONTENT })
    const client = await openRealClient(app)
    const phone = newPhone()
    for (const way of ['a new number', 'a known number']) {
      const asked = twilio.requests.length
      expect((await client.auth.signInWithOtp({ phone, options: { channel: 'whatsapp' } })).error, way).toBeNull()
      await expect.poll(() => twilio.requests.length).toBe(asked + 1)
      const form = await formTo(phone)
      expect(form).toEqual({
        To: `whatsapp:+${phone}`,
        Channel: 'whatsapp',
        From: from,
        ContentSid: CONTENT,
        ContentVariables: expect.stringMatching(/^\{"1":"\d{6}"\}$/) as string,
      })
      const { 1: token } = JSON.parse(form['ContentVariables'] ?? '{}') as Record<string, string>
      const { data, error } = await client.auth.verifyOtp({ phone, token: token ?? '', type: 'sms' })
      expect(error, way).toBeNull()
      expect(data.user?.phone).toBe(phone)
      world.nowMs += 1_000
    }
    expect(twilio.requests.at(-1)).toMatchObject({ method: 'POST', path: '/2010-04-01/Accounts/AC123/Messages.json' })
    expect(twilio.requests.at(-1)?.headers.authorization).toBe(`Basic ${btoa('AC123:secret')}`)
  })

  test('as the text of a message where there is no template', async () => {
    await using app = await openApp({ smsTemplate: 'Type {{ .Code }}' })
    const client = await openRealClient(app)
    const phone = newPhone()
    await client.auth.signInWithOtp({ phone, options: { channel: 'whatsapp' } })
    expect(await formTo(phone)).toEqual({
      To: `whatsapp:+${phone}`,
      Channel: 'whatsapp',
      From: 'whatsapp:+15005550006',
      Body: expect.stringMatching(/^Type \d{6}$/) as string,
    })
  })

  test('for signing up with a password, a new number and a second factor', async () => {
    await using app = await openApp({ smsTwilioContentSid: CONTENT })
    const client = await openRealClient(app)
    const [first, second] = [newPhone(), newPhone()]
    const confirm = async (phone: string, type: 'sms' | 'phone_change'): Promise<void> => {
      const form = await formTo(phone)
      expect(form).toMatchObject({ To: `whatsapp:+${phone}`, ContentSid: CONTENT })
      const { 1: token } = JSON.parse(form['ContentVariables'] ?? '{}') as Record<string, string>
      expect((await client.auth.verifyOtp({ phone, token: token ?? '', type })).error).toBeNull()
    }
    await client.auth.signUp({ phone: first, password: PASSWORD, options: { channel: 'whatsapp' } })
    await confirm(first, 'sms')
    const { data } = await client.auth.getSession()
    const token = data.session?.access_token
    const changed = await app.call({
      method: 'PUT',
      url: '/user',
      token,
      payload: { phone: second, channel: 'whatsapp' },
    })
    expect(changed.status).toBe(200)
    await confirm(second, 'phone_change')

    const third = newPhone()
    const enrolled = await client.auth.mfa.enroll({ factorType: 'phone', phone: third, friendlyName: 'phone' })
    expect(enrolled.error).toBeNull()
    const challenged = await client.auth.mfa.challenge({ factorId: enrolled.data?.id ?? '', channel: 'whatsapp' })
    expect(challenged.error).toBeNull()
    expect(await formTo(third)).toMatchObject({ To: `whatsapp:+${third}`, Channel: 'whatsapp', ContentSid: CONTENT })
  })
})

test('a code that asks for no channel is a text message, also when it is sent again', async () => {
  await using app = await openApp({ smsTwilioContentSid: CONTENT })
  const client = await openRealClient(app)
  const phone = newPhone()
  const asText = {
    To: `+${phone}`,
    From: '+15005550006',
    Body: expect.stringMatching(/^Your code is \d{6}$/) as string,
  }
  await client.auth.signInWithOtp({ phone })
  expect(await formTo(phone)).toEqual(asText)
  const other = newPhone()
  await client.auth.signInWithOtp({ phone: other, options: { channel: 'whatsapp' } })
  expect(await formTo(other)).toMatchObject({ Channel: 'whatsapp' })
  world.nowMs += 1_000
  expect((await client.auth.resend({ type: 'sms', phone: other })).error).toBeNull()
  await expect.poll(async () => (await formTo(other))['Channel']).toBeUndefined()
  expect(await formTo(other)).toEqual({ ...asText, To: `+${other}` })
})

test('WhatsApp without Twilio, and any other channel, is refused in GoTrue’s words', async () => {
  await using captured = await openApp({ smsTwilioAccountSid: undefined })
  await using sending = await openApp()
  const ask = (app: AuthApp, channel: string) =>
    app.call({ method: 'POST', url: '/otp', payload: { phone: newPhone(), channel } })
  for (const [app, channel] of [
    [captured, 'whatsapp'],
    [sending, 'telegram'],
    [sending, 'WhatsApp'],
  ] as const) {
    expect(await ask(app, channel)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message: UNSUPPORTED },
    })
  }
})
