import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type BrowserPage, visitPage } from './auth-browser.ts'
import {
  type AuthWorld,
  claimsOf,
  follow,
  fragmentOf,
  newAddress,
  openAuthWorld,
  receiveMail,
  storedSession,
} from './auth-world.ts'

// Emailed links: where the server redirects the browser, and what the client reads from that URL.

const APP = 'https://app.example.org'

let world: AuthWorld
let page: BrowserPage | undefined

beforeAll(async () => {
  world = await openAuthWorld(['--email-max-frequency=0', `--site-url=${APP}`, `--additional-redirect-urls=${APP}/**`])
})
afterAll(() => world[Symbol.asyncDispose]())
afterEach(() => {
  page?.leave()
  page = undefined
})

async function linkFor(flowType: 'implicit' | 'pkce', redirectTo = `${APP}/welcome`) {
  const { email, user } = await world.signUp()
  const client = world.openClient({ flowType })
  const { error } = await client.auth.signInWithOtp({ email, options: { emailRedirectTo: redirectTo } })
  expect(error).toBeNull()
  return { ...client, email, userId: user.id, ...(await receiveMail(world, email, 'magic_link')) }
}

describe('auth.signInWithOtp', () => {
  test('emails a link that opens the app with a session', async () => {
    const { link, userId } = await linkFor('implicit')
    const target = await follow(link)
    expect(`${target.origin}${target.pathname}`).toBe(`${APP}/welcome`)
    const brought = fragmentOf(target)
    expect(brought).toMatchObject({ token_type: 'bearer', type: 'magiclink', expires_in: '3600' })
    expect(claimsOf(brought['access_token'] ?? '')).toMatchObject({ sub: userId, amr: [{ method: 'otp' }] })
  })

  test('emails a link that mail scanners may open: only a click on the page verifies it', async () => {
    const { page, link, userId } = await linkFor('implicit')
    expect(new URL(page).pathname).toBe('/auth/confirm')
    for (const method of ['GET', 'HEAD', 'GET']) await fetch(page, { method, redirect: 'manual' })
    expect(claimsOf(fragmentOf(await follow(link))['access_token'] ?? '')).toMatchObject({ sub: userId })
  })

  test('with PKCE emails a link that opens the app with a code and no token', async () => {
    const { link } = await linkFor('pkce')
    const target = await follow(link)
    expect(target.searchParams.get('code')).toMatch(/^[0-9a-f-]{36}$/)
    expect(target.hash).toBe('')
    expect(target.href).not.toContain('token')
  })

  describe('refused', () => {
    test('replaces a redirect outside the allow list by the site URL', async () => {
      const { link } = await linkFor('implicit', 'https://elsewhere.example.net/steal')
      expect((await follow(link)).origin).toBe(APP)
    })

    test('refuses a used link, with the error in the URL', async () => {
      const { link } = await linkFor('implicit')
      await follow(link)
      const again = await follow(link)
      expect(fragmentOf(again)).toMatchObject({
        error: 'access_denied',
        error_code: 'otp_expired',
        error_description: 'Email link is invalid or has expired',
      })
    })
  })
})

describe('auth.exchangeCodeForSession', () => {
  test('signs in the browser that requested the link', async () => {
    const { auth, link, userId, events, stored } = await linkFor('pkce')
    const code = (await follow(link)).searchParams.get('code') ?? ''
    const { data, error } = await auth.exchangeCodeForSession(code)
    expect(error).toBeNull()
    expect(data.user?.id).toBe(userId)
    expect(events.at(-1)).toEqual(['SIGNED_IN', userId])
    expect(storedSession(stored).user.id).toBe(userId)
  })

  describe('refused', () => {
    test('is refused in a browser without the code verifier', async () => {
      const { link } = await linkFor('pkce')
      const code = (await follow(link)).searchParams.get('code') ?? ''
      const { auth, requests } = world.openClient({ flowType: 'pkce' })
      const { error } = await auth.exchangeCodeForSession(code)
      expect(error).toMatchObject({ name: 'AuthPKCECodeVerifierMissingError' })
      expect(requests).toEqual([])
    })

    test('is refused with another code verifier', async () => {
      const { link } = await linkFor('pkce')
      const other = await linkFor('pkce')
      const code = (await follow(link)).searchParams.get('code') ?? ''
      const { data, error } = await other.auth.exchangeCodeForSession(code)
      expect(error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'bad_code_verifier' })
      expect(data).toMatchObject({ session: null, user: null })
    })

    test('is refused for an unknown code', async () => {
      const { auth } = await linkFor('pkce')
      const { error } = await auth.exchangeCodeForSession('5f0e1d2c-3b4a-4958-8776-655443322110')
      expect(error).toMatchObject({ name: 'AuthApiError', status: 404, code: 'flow_state_not_found' })
    })

    test('is refused for a used code', async () => {
      const { auth, link, stored } = await linkFor('pkce')
      const before = new Map(stored)
      const code = (await follow(link)).searchParams.get('code') ?? ''
      await auth.exchangeCodeForSession(code)
      const again = await world.openClient({ flowType: 'pkce', stored: before }).auth.exchangeCodeForSession(code)
      expect(again.error).toMatchObject({ status: 404, code: 'flow_state_not_found' })
    })
  })
})

describe('auth.initialize', () => {
  test('reads the session from the URL, emits SIGNED_IN and clears the URL', async () => {
    const { link, userId } = await linkFor('implicit')
    page = visitPage((await follow(link)).href)
    const { auth, events, stored } = world.openClient({ detectSessionInUrl: true })
    expect(await auth.initialize()).toEqual({ error: null })
    await expect.poll(() => events).toContainEqual(['SIGNED_IN', userId])
    expect(page.address()).toBe(`${APP}/welcome`)
    expect(stored.has('session')).toBe(true)
  })

  test('with PKCE exchanges the code in the URL and clears it', async () => {
    const { link, userId, stored } = await linkFor('pkce')
    page = visitPage((await follow(link)).href)
    const { auth, events } = world.openClient({ detectSessionInUrl: true, flowType: 'pkce', stored })
    expect(await auth.initialize()).toEqual({ error: null })
    await expect.poll(() => events).toContainEqual(['SIGNED_IN', userId])
    expect(page.address()).toBe(`${APP}/welcome`)
  })

  test('emits PASSWORD_RECOVERY for a recovery link', async () => {
    const { email, user } = await world.signUp()
    await world.openClient().auth.resetPasswordForEmail(email, { redirectTo: `${APP}/new-password` })
    page = visitPage((await follow((await receiveMail(world, email, 'recovery')).link)).href)
    const { auth, events } = world.openClient({ detectSessionInUrl: true })
    await auth.initialize()
    await expect.poll(() => events).toContainEqual(['PASSWORD_RECOVERY', user.id])
    expect(events.map(([event]) => event)).not.toContain('SIGNED_IN')
  })

  describe('refused', () => {
    test('returns the error in the URL of a used link, and keeps the current session', async () => {
      const { link } = await linkFor('implicit')
      await follow(link)
      const other = await world.signUp({ email: newAddress() })
      page = visitPage((await follow(link)).href)
      const { auth } = world.openClient({ detectSessionInUrl: true, stored: other.stored })
      const { error } = await auth.initialize()
      expect(error).toMatchObject({
        name: 'AuthImplicitGrantRedirectError',
        message: 'Email link is invalid or has expired',
        details: { error: 'access_denied', code: 'otp_expired' },
      })
      expect((await auth.getSession()).data.session?.user.id).toBe(other.user.id)
    })

    test('refuses a forged session in the URL', async () => {
      const token = [{ alg: 'ES256', typ: 'JWT' }, { sub: 'me', exp: 4_000_000_000 }, 'signature']
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
      page = visitPage(
        `${APP}/#access_token=${token}&expires_in=3600&refresh_token=abc&token_type=bearer&type=magiclink`,
      )
      vi.spyOn(console, 'warn').mockImplementation(() => undefined)
      const { auth, stored } = world.openClient({ detectSessionInUrl: true })
      expect((await auth.initialize()).error).toMatchObject({ name: 'AuthApiError', status: 403, code: 'bad_jwt' })
      expect(stored.has('session')).toBe(false)
      vi.restoreAllMocks()
    })
  })
})
