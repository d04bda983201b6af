import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthWorld, newAddress, newNumber, openAuthWorld, PASSWORD } from './auth-world.ts'

// Disabled and unsupported features return errors that the client knows.

let world: AuthWorld
beforeAll(async () => {
  world = await openAuthWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

describe('auth.signInWithSSO', () => {
  describe('refused', () => {
    test.each([
      ['a domain', { domain: 'example.org' }],
      ['a provider', { providerId: '5f0e1d2c-3b4a-4958-8776-655443322110' }],
    ])('reports that SAML is off for %s', async (_title, params) => {
      const { data, error } = await world.openClient().auth.signInWithSSO(params)
      expect(error).toMatchObject({ name: 'AuthApiError', status: 404, code: 'saml_provider_disabled' })
      expect(data).toBeNull()
    })
  })
})

describe('auth.signInWithOAuth', () => {
  test('returns the URL to open, without a request', async () => {
    const { auth, requests } = world.openClient({ flowType: 'pkce' })
    const { data, error } = await auth.signInWithOAuth({
      provider: 'github',
      options: { redirectTo: `${world.url}/back`, scopes: 'repo', queryParams: { prompt: 'consent' } },
    })
    expect(error).toBeNull()
    const url = new URL(data.url ?? '')
    expect(`${url.origin}${url.pathname}`).toBe(`${world.url}/auth/v1/authorize`)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      provider: 'github',
      redirect_to: `${world.url}/back`,
      scopes: 'repo',
      prompt: 'consent',
      code_challenge: expect.any(String),
      code_challenge_method: 's256',
    })
    expect(requests).toEqual([])
  })

  describe('refused', () => {
    test.each(['github', 'google', 'facebook', 'nonsense'])(
      'reports that the provider %s is not enabled',
      async (provider) => {
        const { data } = await world.openClient().auth.signInWithOAuth({ provider: provider as 'github' })
        const response = await fetch(data.url ?? '', { redirect: 'manual' })
        expect(response.status).toBe(400)
        expect(await response.json()).toMatchObject({
          error_code: 'validation_failed',
          msg: expect.stringContaining('Unsupported provider'),
        })
      },
    )
  })
})

describe('auth.signInWithWeb3', () => {
  describe('refused', () => {
    test.each(['ethereum', 'solana'] as const)('reports that wallets are off for %s', async (chain) => {
      const signature = chain === 'solana' ? new Uint8Array(64) : '0x00'
      const credentials = { chain, message: 'example.org wants you to sign in', signature } as never
      const { data, error } = await world.openClient().auth.signInWithWeb3(credentials)
      expect(error).toMatchObject({ name: 'AuthApiError', status: 422, code: 'web3_provider_disabled' })
      expect(data).toEqual({ user: null, session: null })
    })
  })
})

describe('auth.signUp', () => {
  let world: AuthWorld
  beforeAll(async () => {
    world = await openAuthWorld(['--no-enable-signup', '--sms-enable-signup', '--enable-anonymous-sign-ins'])
  })
  afterAll(() => world[Symbol.asyncDispose]())

  describe('refused', () => {
    test.each([
      ['an email address', (auth: Auth) => auth.signUp({ email: newAddress(), password: PASSWORD })],
      ['a phone number', (auth: Auth) => auth.signUp({ phone: newNumber(), password: PASSWORD })],
      ['an anonymous user', (auth: Auth) => auth.signInAnonymously()],
      ['a new address in signInWithOtp', (auth: Auth) => auth.signInWithOtp({ email: newAddress() })],
    ])('refuses %s if sign-ups are off', async (_title, attempt) => {
      const { error } = await attempt(world.openClient().auth)
      expect(error).toMatchObject({ name: 'AuthApiError', status: 422, code: 'signup_disabled' })
    })
  })
})

type Auth = ReturnType<AuthWorld['openClient']>['auth']

describe('captchas', () => {
  let world: AuthWorld
  const asked: URLSearchParams[] = []
  /** A captcha service with Turnstile's protocol. */
  const judge = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const form = new URLSearchParams(body)
      asked.push(form)
      const success = form.get('response') === 'human'
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(success ? { success } : { success, 'error-codes': ['invalid-input-response'] }))
    })
  })

  beforeAll(async () => {
    await new Promise<void>((resolve) => judge.listen(0, '127.0.0.1', resolve))
    const { port } = judge.address() as { port: number }
    world = await openAuthWorld([
      '--captcha-enabled',
      '--captcha-secret=the secret of the captcha',
      `--captcha-url=http://127.0.0.1:${port}/siteverify`,
    ])
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    judge.close()
  })

  const attempts: readonly (readonly [string, (auth: Auth, captchaToken?: string) => Promise<{ error: unknown }>])[] = [
    [
      'signUp',
      (auth, captchaToken) =>
        auth.signUp({
          email: newAddress(),
          password: PASSWORD,
          options: captchaToken ? { captchaToken } : {},
        }),
    ],
    [
      'signInWithOtp',
      (auth, captchaToken) =>
        auth.signInWithOtp({ email: newAddress(), options: captchaToken ? { captchaToken } : {} }),
    ],
    [
      'resetPasswordForEmail',
      (auth, captchaToken) => auth.resetPasswordForEmail(newAddress(), captchaToken ? { captchaToken } : {}),
    ],
  ]

  test.each(attempts)('let %s through when solved', async (_name, attempt) => {
    const before = asked.length
    expect((await attempt(world.openClient().auth, 'human')).error).toBeNull()
    expect(asked).toHaveLength(before + 1)
    expect(asked.at(-1)?.get('secret')).toBe('the secret of the captcha')
  })

  test('are not required to refresh a session', async () => {
    const { auth } = world.openClient()
    await auth.signUp({ email: newAddress(), password: PASSWORD, options: { captchaToken: 'human' } })
    expect((await auth.refreshSession()).error).toBeNull()
  })

  describe('refused', () => {
    test.each(attempts)('stop %s when missing or failed', async (_name, attempt) => {
      for (const token of [undefined, 'machine']) {
        const { error } = await attempt(world.openClient().auth, token)
        expect(error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'captcha_failed' })
      }
    })

    test('stop signInWithPassword before the password is checked', async () => {
      const email = newAddress()
      await world.openClient().auth.signUp({ email, password: PASSWORD, options: { captchaToken: 'human' } })
      const { error } = await world.openClient().auth.signInWithPassword({ email, password: PASSWORD })
      expect(error).toMatchObject({ status: 400, code: 'captcha_failed' })
    })
  })
})
