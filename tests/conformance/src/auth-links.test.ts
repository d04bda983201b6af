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

// The links of mails: what the server sends the browser back with, and what the client makes of the address that it finds itself at.

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
  test('sends a link that leads to the app with a session', async () => {
    const { link, userId } = await linkFor('implicit')
    const target = await follow(link)
    expect(`${target.origin}${target.pathname}`).toBe(`${APP}/welcome`)
    const brought = fragmentOf(target)
    expect(brought).toMatchObject({ token_type: 'bearer', type: 'magiclink', expires_in: '3600' })
    expect(claimsOf(brought['access_token'] ?? '')).toMatchObject({ sub: userId, amr: [{ method: 'otp' }] })
  })

  test('sends a link that programs may open as often as they like: only its press verifies', async () => {
    const { page, link, userId } = await linkFor('implicit')
    expect(new URL(page).pathname).toBe('/auth/confirm')
    for (const method of ['GET', 'HEAD', 'GET']) await fetch(page, { method, redirect: 'manual' })
    expect(claimsOf(fragmentOf(await follow(link))['access_token'] ?? '')).toMatchObject({ sub: userId })
  })

  test('with PKCE sends a link that leads to the app with a code and no token', async () => {
    const { link } = await linkFor('pkce')
    const target = await follow(link)
    expect(target.searchParams.get('code')).toMatch(/^[0-9a-f-]{36}$/)
    expect(target.hash).toBe('')
    expect(target.href).not.toContain('token')
  })

  describe('refused', () => {
    test('sends no link to a place that is not on the list, but to the site', async () => {
      const { link } = await linkFor('implicit', 'https://elsewhere.example.net/steal')
      expect((await follow(link)).origin).toBe(APP)
    })

    test('sends a link that works once; then it says why in the address', async () => {
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
  test('signs in the browser that asked for the link', async () => {
    const { auth, link, userId, events, stored } = await linkFor('pkce')
    const code = (await follow(link)).searchParams.get('code') ?? ''
    const { data, error } = await auth.exchangeCodeForSession(code)
    expect(error).toBeNull()
    expect(data.user?.id).toBe(userId)
    expect(events.at(-1)).toEqual(['SIGNED_IN', userId])
    expect(storedSession(stored).user.id).toBe(userId)
  })

  describe('refused', () => {
    test('is refused to another browser, which does not have the verifier', async () => {
      const { link } = await linkFor('pkce')
      const code = (await follow(link)).searchParams.get('code') ?? ''
      const { auth, requests } = world.openClient({ flowType: 'pkce' })
      const { error } = await auth.exchangeCodeForSession(code)
      expect(error).toMatchObject({ name: 'AuthPKCECodeVerifierMissingError' })
      expect(requests).toEqual([])
    })

    test('is refused to a browser with another verifier', async () => {
      const { link } = await linkFor('pkce')
      const other = await linkFor('pkce')
      const code = (await follow(link)).searchParams.get('code') ?? ''
      const { data, error } = await other.auth.exchangeCodeForSession(code)
      expect(error).toMatchObject({ name: 'AuthApiError', status: 400, code: 'bad_code_verifier' })
      expect(data).toMatchObject({ session: null, user: null })
    })

    test('is refused for a code that was never given', async () => {
      const { auth } = await linkFor('pkce')
      const { error } = await auth.exchangeCodeForSession('5f0e1d2c-3b4a-4958-8776-655443322110')
      expect(error).toMatchObject({ name: 'AuthApiError', status: 404, code: 'flow_state_not_found' })
    })

    test('is refused for a code that was used', async () => {
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
  test('takes the session from the address of the page, tells SIGNED_IN and clears the address', async () => {
    const { link, userId } = await linkFor('implicit')
    page = visitPage((await follow(link)).href)
    const { auth, events, stored } = world.openClient({ detectSessionInUrl: true })
    expect(await auth.initialize()).toEqual({ error: null })
    await expect.poll(() => events).toContainEqual(['SIGNED_IN', userId])
    expect(page.address()).toBe(`${APP}/welcome`)
    expect(stored.has('session')).toBe(true)
  })

  test('with PKCE exchanges the code in the address and clears it', async () => {
    const { link, userId, stored } = await linkFor('pkce')
    page = visitPage((await follow(link)).href)
    const { auth, events } = world.openClient({ detectSessionInUrl: true, flowType: 'pkce', stored })
    expect(await auth.initialize()).toEqual({ error: null })
    await expect.poll(() => events).toContainEqual(['SIGNED_IN', userId])
    expect(page.address()).toBe(`${APP}/welcome`)
  })

  test('tells PASSWORD_RECOVERY when the link was one for a new password', async () => {
    const { email, user } = await world.signUp()
    await world.openClient().auth.resetPasswordForEmail(email, { redirectTo: `${APP}/new-password` })
    page = visitPage((await follow((await receiveMail(world, email, 'recovery')).link)).href)
    const { auth, events } = world.openClient({ detectSessionInUrl: true })
    await auth.initialize()
    await expect.poll(() => events).toContainEqual(['PASSWORD_RECOVERY', user.id])
    expect(events.map(([event]) => event)).not.toContain('SIGNED_IN')
  })

  describe('refused', () => {
    test('returns the error that a used link leaves in the address, and keeps the session that there is', async () => {
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

    test('does not believe a session in the address that the server did not make', async () => {
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
