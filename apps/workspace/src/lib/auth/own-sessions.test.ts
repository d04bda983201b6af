import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AuthApiError, AuthSessionMissingError, createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { endOwnSession, listOwnSessions } from './own-sessions.ts'

const ANON_KEY = 'anon-key'
const TOKEN = 'access-token'

/** The server's next answer, and the request it received. */
let answer: { readonly status: number; readonly body: string; readonly type?: string }
let asked: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = []

const server = createServer((request, response) => {
  asked.push(request)
  response.writeHead(answer.status, { 'content-type': answer.type ?? 'application/json' }).end(answer.body)
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const overNetwork = globalThis.fetch
  // Resolves URLs relative to the server, as on a page.
  vi.stubGlobal('fetch', (path: string, init: RequestInit) =>
    overNetwork(new URL(path, `http://127.0.0.1:${port}`), init),
  )
})

beforeEach(() => {
  asked = []
  answer = { status: 200, body: '[]' }
})

afterAll(() => {
  vi.unstubAllGlobals()
  server.close()
})

/** Opens the public client, with or without a stored session. */
function openClient(isSignedIn = true) {
  const session = {
    access_token: TOKEN,
    refresh_token: 'refresh-token',
    token_type: 'bearer',
    expires_in: 3_600,
    expires_at: Math.floor(Date.now() / 1_000) + 3_600,
    user: { id: 'dana', aud: 'authenticated', app_metadata: {}, user_metadata: {}, created_at: '2026-01-01T00:00:00Z' },
  }
  const stored = isSignedIn ? JSON.stringify(session) : null
  const storage = { getItem: () => stored, setItem: () => undefined, removeItem: () => undefined }
  const auth = { storage, autoRefreshToken: false, detectSessionInUrl: false }
  return { supabase: createClient('http://127.0.0.1', ANON_KEY, { auth }) }
}

const row = (id: string, more: object = {}) => ({
  id,
  created_at: '2026-11-01T08:00:00Z',
  refreshed_at: null,
  not_after: null,
  user_agent: null,
  ip: null,
  aal: 'aal1',
  amr: null,
  current: false,
  ...more,
})

test('the list begins with this device, then the one seen last', async () => {
  const rows = [
    row('old'),
    row('seen', { refreshed_at: '2026-11-03T08:00:00Z' }),
    row('new', { created_at: '2026-11-02T08:00:00Z' }),
    row('here', { current: true }),
  ]
  answer = { status: 200, body: JSON.stringify(rows) }
  const sessions = await listOwnSessions(openClient(), ANON_KEY)
  expect(sessions.map(({ id }) => id)).toEqual(['here', 'seen', 'new', 'old'])
  expect(asked).toMatchObject([
    {
      method: 'GET',
      url: '/auth/v1/user/sessions',
      headers: { apikey: ANON_KEY, authorization: `Bearer ${TOKEN}` },
    },
  ])
})

test('a session has the ways in, the oldest first, and whether a second step was done', async () => {
  const amr = [
    { method: 'totp', timestamp: 2 },
    { method: 'password', timestamp: 1 },
  ]
  const ended = '2026-12-01T00:00:00Z'
  answer = { status: 200, body: JSON.stringify([row('one', { aal: 'aal2', amr, not_after: ended, ip: '192.0.2.1' })]) }
  expect(await listOwnSessions(openClient(), ANON_KEY)).toEqual([
    {
      id: 'one',
      startedAt: new Date('2026-11-01T08:00:00Z'),
      seenAt: new Date('2026-11-01T08:00:00Z'),
      endsAt: new Date(ended),
      userAgent: undefined,
      ip: '192.0.2.1',
      hasSecondStep: true,
      isSupport: false,
      methods: ['password', 'totp'],
      isCurrent: false,
    },
  ])
})

test('a session is ended by its id, whatever is in it', async () => {
  answer = { status: 204, body: '' }
  await endOwnSession(openClient(), ANON_KEY, 'a/b')
  expect(asked).toMatchObject([{ method: 'DELETE', url: '/auth/v1/user/sessions/a%2Fb' }])
})

test.each([
  [
    'its code and message',
    404,
    '{"code":404,"error_code":"session_not_found","msg":"gone"}',
    'gone',
    'session_not_found',
  ],
  ['its status when a proxy answers', 502, '<html>', '/auth/v1/user/sessions answered 502', undefined],
  ['the newer form of a code', 403, '{"code":"bad_jwt","message":"no"}', 'no', 'bad_jwt'],
])('a refusal is an error with %s', async (_, status, body, message, code) => {
  answer = { status, body }
  const refused = listOwnSessions(openClient(), ANON_KEY)
  await expect(refused).rejects.toBeInstanceOf(AuthApiError)
  await expect(refused).rejects.toMatchObject({ status, message, code })
})

test('a hotel’s page ends no session', async () => {
  answer = { status: 200, body: '<!doctype html>', type: 'text/html' }
  await expect(endOwnSession(openClient(), ANON_KEY, 'one')).rejects.toThrow(TypeError)
})

test('an answer of another form is refused', async () => {
  answer = { status: 200, body: '[{"id":1}]' }
  await expect(listOwnSessions(openClient(), ANON_KEY)).rejects.toThrow()
})

test('without a session the server is not asked', async () => {
  await expect(listOwnSessions(openClient(false), ANON_KEY)).rejects.toBeInstanceOf(AuthSessionMissingError)
  expect(asked).toEqual([])
})
