import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'
import { type HttpListener, openHttpListener } from '../open-http-listener.ts'

let world: AuthWorld
let provider: HttpListener
let app: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  provider = await openHttpListener(({ body }) => {
    const isRight = new URLSearchParams(body).get('response') === 'human'
    return { body: { success: isRight, ...(isRight ? {} : { 'error-codes': ['invalid-input-response'] }) } }
  })
  app = await world.openApp({
    captchaEnabled: true,
    captchaProvider: 'hcaptcha',
    captchaSecret: 'secret',
    captchaUrl: provider.url,
    enableAnonymousSignIns: true,
    passkeyEnabled: true,
  })
})
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const EMAIL = 'captcha@example.org'
const meta = (token: string) => ({ gotrue_meta_security: { captcha_token: token } })
const post = (url: string, payload: object, token?: string) => app.call({ method: 'POST', url, payload, token })

describe('with a captcha', () => {
  test.each<[string, object]>([
    ['/signup', { email: EMAIL, password: PASSWORD }],
    ['/signup', {}],
    ['/token?grant_type=password', { email: EMAIL, password: PASSWORD }],
    ['/otp', { email: EMAIL }],
    ['/magiclink', { email: EMAIL }],
    ['/recover', { email: EMAIL }],
    ['/resend', { type: 'signup', email: EMAIL }],
    ['/passkeys/authentication/options', {}],
  ])('%s asks for it (%j)', async (url, payload) => {
    expect(await post(url, payload)).toMatchObject({
      status: 400,
      body: {
        code: 'captcha_failed',
        message: 'captcha protection: request disallowed (no captcha_token found)',
      },
    })
    expect(await post(url, { ...payload, ...meta('robot') })).toMatchObject({
      status: 400,
      body: {
        code: 'captcha_failed',
        message: 'captcha protection: request disallowed (invalid-input-response)',
      },
    })
    const passed = await post(url, { ...payload, ...meta('human') })
    expect(passed.body).not.toMatchObject({ code: 'captcha_failed' })
  })

  test('a refresh, the end of a flow and an administrator need none', async () => {
    const signUp = await post('/signup', { email: 'refresh@example.org', password: PASSWORD, ...meta('human') })
    expect(signUp.status).toBe(200)
    const asked = provider.requests.length
    expect((await app.refresh(signUp.body.refresh_token)).status).toBe(200)
    expect(await post('/token?grant_type=pkce', { auth_code: crypto.randomUUID(), code_verifier: 'x' })).toMatchObject({
      status: 404,
      body: { code: 'flow_state_not_found' },
    })
    const key = app.auth.apiKeys.serviceRole
    expect((await post('/recover', { email: 'admin@example.org' }, key)).status).toBe(200)
    expect(provider.requests).toHaveLength(asked)
  })
})
