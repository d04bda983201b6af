import type { FastifyRequest } from 'fastify'
import { describe, expect, test } from 'vitest'
import { openHttpListener } from '../../test/open-http-listener.ts'
import { createCaptcha, createCaptchaProvider } from './captcha.ts'

const options = (captchaUrl?: string) => ({
  captchaEnabled: true,
  captchaProvider: 'turnstile',
  captchaSecret: ' secret ',
  captchaUrl,
  jwtAdminRoles: ['service_role'],
})

/** A request of a role with a captcha in its body. */
const requestWith = (token: unknown, role = 'anon') =>
  ({
    ip: '192.0.2.1',
    body: { gotrue_meta_security: { captcha_token: token } },
    caller: { role, claims: { role }, userId: undefined, expiresAtS: undefined },
  }) as unknown as FastifyRequest

describe('a captcha', () => {
  test('is not asked for when it is off', async () => {
    const captcha = createCaptcha({ ...options(), captchaEnabled: false })
    await expect(captcha.require(requestWith(undefined))).resolves.toBeUndefined()
  })

  test('is judged by the provider', async () => {
    await using provider = await openHttpListener(() => ({ body: { success: true } }))
    await createCaptcha(options(provider.url)).require(requestWith(' token '))
    expect(provider.requests).toHaveLength(1)
    expect(provider.requests[0]?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/)
    expect(Object.fromEntries(new URLSearchParams(provider.requests[0]?.body))).toEqual({
      secret: 'secret',
      response: 'token',
      remoteip: '192.0.2.1',
    })
  })

  test('is not asked of administrators', async () => {
    await using provider = await openHttpListener(() => ({ body: { success: true } }))
    await createCaptcha(options(provider.url)).require(requestWith(undefined, 'service_role'))
    expect(provider.requests).toEqual([])
  })

  test('that fails is refused with the reasons of the provider', async () => {
    await using provider = await openHttpListener(() => ({
      body: { success: false, 'error-codes': ['invalid-input-response', 'timeout-or-duplicate'] },
    }))
    await expect(createCaptcha(options(provider.url)).require(requestWith('token'))).rejects.toMatchObject({
      code: 'captcha_failed',
      status: 400,
      message: 'captcha protection: request disallowed (invalid-input-response, timeout-or-duplicate)',
    })
  })

  test.each([undefined, '', '  ', 1])('without a token (%j) is refused without asking anybody', async (token) => {
    await using provider = await openHttpListener(() => ({ body: { success: true } }))
    await expect(createCaptcha(options(provider.url)).require(requestWith(token))).rejects.toMatchObject({
      code: 'captcha_failed',
      message: 'captcha protection: request disallowed (no captcha_token found)',
    })
    expect(provider.requests).toEqual([])
  })

  test.each([
    ['answers no JSON', { body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['answers without end', { body: { success: true, more: 'x'.repeat(1024 * 1024) } }],
    ['sends elsewhere', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }],
  ])('lets no request through when the provider %s', async (_title, answer) => {
    await using provider = await openHttpListener(() => answer)
    await expect(createCaptcha(options(provider.url)).require(requestWith('token'))).rejects.toMatchObject({
      code: 'unexpected_failure',
      status: 500,
    })
  })

  test('is not waited for when the provider hangs', async () => {
    await using provider = await openHttpListener(() => ({ body: { success: true }, delayMs: 60_000 }))
    const hanging = createCaptchaProvider(options(provider.url), 50)
    await expect(hanging.verify('token', '192.0.2.1')).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('whose provider is not known, or has no secret, is refused at start', () => {
    expect(() => createCaptcha({ ...options(), captchaProvider: 'toString' })).toThrow('captchaProvider: toString')
    expect(() => createCaptcha({ ...options(), captchaSecret: undefined })).toThrow('captchaSecret')
  })
})
