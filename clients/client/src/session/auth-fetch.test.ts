import { createClient, isAuthRetryableFetchError, type SupabaseClient } from '@supabase/supabase-js'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createAuthFetch } from './auth-fetch.ts'
import { retryWithCaptcha } from './retry-with-captcha.ts'

const URL_ = 'http://accounts.example'
const KEY = 'session'
const HOTEL = '<!doctype html><title>Welcome</title>'
const page = (status: number): Response =>
  new Response(HOTEL, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })

/** The public client, with a valid or expired session, on a network that always gives the same response. */
function openClient(
  answer: typeof globalThis.fetch | (() => Response),
  isExpired: boolean,
): { readonly supabase: SupabaseClient; readonly kept: Map<string, string> } {
  const expiresAt = Math.floor(Date.now() / 1_000) + (isExpired ? -60 : 3_600)
  const user = {
    id: 'ana',
    aud: 'authenticated',
    app_metadata: {},
    user_metadata: {},
    created_at: '2026-01-01T00:00:00Z',
  }
  const tokens = { access_token: 'token', refresh_token: 'refresh', token_type: 'bearer', expires_in: 3_600 }
  const kept = new Map([[KEY, JSON.stringify({ ...tokens, expires_at: expiresAt, user })]])
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
  const auth = { storage, storageKey: KEY, autoRefreshToken: false, detectSessionInUrl: false }
  const fetch = createAuthFetch(async (input, init) => answer(input, init), URL_)
  return { supabase: createClient(URL_, 'anon', { auth, global: { fetch } }), kept }
}

afterEach(() => vi.useRealTimers())

describe('behind a page that answers everything', () => {
  test.each([200, 403, 404, 500, 511])('with %s a session that has to be refreshed stays', async (status) => {
    vi.useFakeTimers()
    const { supabase, kept } = openClient(() => page(status), true)
    const refreshing = supabase.auth.refreshSession()
    // auth-js retries for half a minute, as without a network.
    await vi.advanceTimersByTimeAsync(60_000)
    expect(isAuthRetryableFetchError((await refreshing).error)).toBe(true)
    expect(kept.has(KEY)).toBe(true)
  })

  test('other devices are not said to be signed out', async () => {
    const { supabase } = openClient(() => page(200), false)
    const { error } = await supabase.auth.signOut({ scope: 'others' })
    expect(isAuthRetryableFetchError(error)).toBe(true)
  })
})

test('where nothing answers a token is waited for half a minute, and leaving this device takes five seconds', async () => {
  vi.useFakeTimers()
  const hang = (_: unknown, init?: RequestInit): Promise<Response> =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error))
    })
  const expired = openClient(hang, true)
  const refreshing = expired.supabase.auth.refreshSession()
  await vi.advanceTimersByTimeAsync(31_000)
  expect(isAuthRetryableFetchError((await refreshing).error)).toBe(true)
  expect(expired.kept.has(KEY)).toBe(true)

  const leaving = openClient(hang, false).supabase.auth.signOut({ scope: 'local' })
  await vi.advanceTimersByTimeAsync(5_100)
  expect(isAuthRetryableFetchError((await leaving).error)).toBe(true)
})

test.each([
  [429, { code: 429, error_code: 'over_request_rate_limit', msg: 'Request rate limit reached' }],
  [403, { message: 'Forbidden' }],
  [401, null],
])('a session stays when a refresh is answered with %s %o', async (status, body) => {
  vi.useFakeTimers()
  const { supabase, kept } = openClient(() => Response.json(body, { status }), true)
  const refreshing = supabase.auth.refreshSession()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(isAuthRetryableFetchError((await refreshing).error)).toBe(true)
  expect(kept.has(KEY)).toBe(true)
})

test.each([
  { code: 400, error_code: 'refresh_token_not_found', msg: 'gone' },
  { code: 'refresh_token_not_found', message: 'gone' },
])('what the service answers is taken as it is: %o', async (body) => {
  const headers = 'message' in body ? { 'x-supabase-api-version': '2024-01-01' } : {}
  const ended = openClient(() => Response.json(body, { status: 400, headers }), true)
  expect((await ended.supabase.auth.refreshSession()).error).toMatchObject({ code: 'refresh_token_not_found' })
  expect(ended.kept.has(KEY)).toBe(false)
  const others = openClient(() => new Response(null, { status: 204 }), false)
  expect((await others.supabase.auth.signOut({ scope: 'others' })).error).toBeNull()
})

test.each([-5, 5])('a token ends by the clock of a device that is %s hours off', async (hours) => {
  const serverS = Math.floor(Date.now() / 1_000)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 })
  const asked: string[] = []
  const fetch = createAuthFetch(async (input) => {
    asked.push(String(input))
    const user = { id: 'ana', aud: 'authenticated' }
    const tokens = { access_token: 'a.b.c', refresh_token: 'refresh', token_type: 'bearer', user }
    return Response.json({ ...tokens, expires_in: 3_600, expires_at: serverS + 3_600 })
  }, URL_)
  const { auth } = createClient(URL_, 'anon', {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch },
  })
  await auth.signInWithPassword({ email: 'ana@example.org', password: 'secret' })
  for (let time = 0; time < 3; time++) expect((await auth.getSession()).data.session?.access_token).toBe('a.b.c')
  expect(asked).toHaveLength(1)
  vi.setSystemTime(Date.now() + 3_590_000)
  await auth.getSession()
  expect(asked).toHaveLength(2)
})

test('other services may answer with pages', async () => {
  const fetch = createAuthFetch(async () => page(200), URL_)
  expect(await (await fetch(`${URL_}/functions/v1/hello`)).text()).toBe(HOTEL)
  await expect(fetch(new Request(`${URL_}/auth/v1/user`))).rejects.toThrow(TypeError)
})

test('a request refused for want of a captcha is sent again with its response, unless the user gives up', async () => {
  const sent: unknown[] = []
  const answered: typeof globalThis.fetch = async (_input, init) => {
    const body = JSON.parse(String(init?.body)) as { gotrue_meta_security?: { captcha_token?: string } }
    sent.push(body)
    return body.gotrue_meta_security?.captcha_token === 'human'
      ? Response.json({ ok: true })
      : Response.json({ code: 'captcha_failed', message: 'no captcha_token found' }, { status: 400 })
  }
  const init = { method: 'POST', body: JSON.stringify({ email: 'ana@example.org', gotrue_meta_security: {} }) }
  const ask = (response: string | undefined): Promise<Response> =>
    createAuthFetch(answered, URL_, (...refused) => retryWithCaptcha(...refused, async () => response))(
      `${URL_}/auth/v1/token?grant_type=password`,
      init,
    )
  expect((await ask('human')).status).toBe(200)
  expect(sent).toEqual([
    { email: 'ana@example.org', gotrue_meta_security: {} },
    { email: 'ana@example.org', gotrue_meta_security: { captcha_token: 'human' } },
  ])
  expect((await ask(undefined)).status).toBe(400)
  expect((await ask('robot')).status).toBe(400)
  expect(sent).toHaveLength(5)
})
