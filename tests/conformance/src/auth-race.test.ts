import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { sql } from '@holdfast/postgres'
import { runsOf } from '@holdfast/test-support'
import { openAuthInProcess } from './auth-in-process.ts'
import { type AuthWorld, claimsOf, createAuthWorld } from './auth-world.ts'

// Two tabs refresh the same token at the same time. In whatever order the server sees them, both must stay in the same session, which must
// never have two valid refresh tokens: a second one would be an unnoticed copy. Two servers share the database, so neither can rely on state
// in memory.

const ROUNDS = runsOf(100, { variable: 'HOLDFAST_REFRESH_ROUNDS' })

let world: AuthWorld
let urls: readonly string[]

beforeAll(async () => {
  const server = await openAuthInProcess({ servers: 2, options: { rateLimitTokenRefresh: 0 } })
  urls = server.urls
  world = createAuthWorld(server)
})
afterAll(() => world[Symbol.asyncDispose]())
afterEach(() => {
  vi.useRealTimers()
})

interface Answer {
  readonly access_token: string
  readonly refresh_token: string
}

/** Refreshes like a tab without a client library. */
async function refreshBare(url: string, refreshToken: string): Promise<Answer> {
  const response = await fetch(`${url}/auth/v1/token?grant_type=refresh_token`, {
    method: 'POST',
    headers: { apikey: world.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ refresh_token: refreshToken }),
  })
  const body: unknown = await response.json()
  expect(response.status, JSON.stringify(body)).toBe(200)
  return body as Answer
}

async function activeTokens(userId: string): Promise<string[]> {
  const rows = await world.admin.query<{ token: string }>(sql`
    select token from auth.refresh_tokens where user_id = ${userId} and revoked is not true
  `)
  return rows.map(({ token }) => token)
}

describe('auth.refreshSession', () => {
  test('keeps two clients signed in that repeatedly refresh the same token at once', async () => {
    const first = await world.signUp({ url: urls[0] ?? '' })
    const second = world.openClient({ url: urls[1] ?? '' })
    await second.auth.setSession(first.session)
    const sessionId = claimsOf(first.session.access_token)['session_id']
    let token = first.session.refresh_token
    for (let round = 0; round < ROUNDS; round++) {
      const [one, two, bare] = await Promise.all([
        first.auth.refreshSession({ refresh_token: token }),
        second.auth.refreshSession({ refresh_token: token }),
        round % 2 === 0 ? refreshBare(urls[(round / 2) % 2] ?? '', token) : undefined,
      ])
      const where = `round ${round}`
      expect(one.error, where).toBeNull()
      expect(two.error, where).toBeNull()
      const sessions = [one.data.session, two.data.session, ...(bare ? [bare] : [])]
      for (const session of sessions) {
        expect(claimsOf(session?.access_token ?? '')['session_id'], where).toBe(sessionId)
      }
      const active = await activeTokens(first.user.id)
      expect(active, where).toHaveLength(1)
      expect(new Set(sessions.map((session) => session?.refresh_token)), where).toEqual(new Set(active))
      token = active[0] ?? ''
    }
    for (const { auth } of [first, second]) {
      expect((await auth.getUser()).data.user?.id).toBe(first.user.id)
      expect((await auth.refreshSession()).error).toBeNull()
    }
  })

  test('returns the same new token to twenty tabs at once', async () => {
    const { session, user } = await world.signUp()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, tab) => refreshBare(urls[tab % 2] ?? '', session.refresh_token)),
    )
    expect(new Set(answers.map((answer) => answer.refresh_token))).toEqual(new Set(await activeTokens(user.id)))
  })

  test('accepts a token from two refreshes ago within the reuse interval', async () => {
    const { auth, session } = await world.signUp()
    await auth.refreshSession()
    const { data: newest } = await auth.refreshSession()
    const late = await world.openClient().auth.refreshSession({ refresh_token: session.refresh_token })
    expect(late.error).toBeNull()
    expect(late.data.session?.refresh_token).toBe(newest.session?.refresh_token)
  })

  describe('refused', () => {
    test('ends the session for a token from two refreshes ago after the reuse interval', async () => {
      const { auth, session, user } = await world.signUp()
      await auth.refreshSession()
      await auth.refreshSession()
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11_000 })
      const late = await world.openClient().auth.refreshSession({ refresh_token: session.refresh_token })
      expect(late.error).toMatchObject({ status: 400, code: 'refresh_token_already_used' })
      expect(await activeTokens(user.id)).toEqual([])
      expect((await auth.refreshSession()).error).toMatchObject({ code: 'refresh_token_already_used' })
    })

    test('ends the session once if two clients use old tokens at the same time', async () => {
      const { auth, session, user } = await world.signUp()
      await auth.refreshSession()
      await auth.refreshSession()
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11_000 })
      const hands = await Promise.all(
        urls.map((url) => world.openClient({ url }).auth.refreshSession({ refresh_token: session.refresh_token })),
      )
      for (const { error } of hands) expect(error).toMatchObject({ code: 'refresh_token_already_used' })
      expect(await activeTokens(user.id)).toEqual([])
    })
  })
})
